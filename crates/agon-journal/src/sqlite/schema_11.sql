-- What was looked up at an outside seat for a request that is not answered yet; `lookup` is JSON.
CREATE TABLE pending_lookups (
    debate TEXT NOT NULL REFERENCES debates (id),
    key    TEXT NOT NULL,
    number INTEGER NOT NULL,
    lookup TEXT NOT NULL,
    PRIMARY KEY (debate, key, number)
) STRICT, WITHOUT ROWID;

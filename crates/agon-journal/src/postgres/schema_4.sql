-- What was looked up at an outside seat for a request that is not answered yet; `lookup` is JSON.
CREATE TABLE pending_lookups (
    debate TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    key    TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    lookup TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (debate, key, number)
);

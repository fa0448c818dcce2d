-- What has been done for requests that may not have been answered yet.
CREATE TABLE receipts (
    request TEXT PRIMARY KEY,
    done    TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

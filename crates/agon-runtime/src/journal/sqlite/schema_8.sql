-- Debates whose words were deleted: what is left of each shows that its record was sound.
CREATE TABLE tombstones (
    debate     TEXT PRIMARY KEY,
    protocol   TEXT NOT NULL,
    length     INTEGER NOT NULL,
    head       TEXT NOT NULL,
    deleted_at TEXT NOT NULL,
    deleted_by TEXT NOT NULL,
    reason     TEXT NOT NULL
) STRICT;

-- The chain of a deleted debate. `line` is an entry that was kept; without it, its words are gone.
CREATE TABLE tombstone_entries (
    debate TEXT NOT NULL REFERENCES tombstones (debate),
    seq    INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    key    TEXT,
    hash   TEXT NOT NULL,
    line   TEXT,
    PRIMARY KEY (debate, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE labels (
    debate TEXT NOT NULL REFERENCES debates (id),
    label  TEXT NOT NULL,
    PRIMARY KEY (debate, label)
) STRICT, WITHOUT ROWID;

-- How far the events of a debate were turned into messages, for each webhook. A webhook that is new begins with what
-- happens next.
CREATE TABLE webhooks (
    name     TEXT PRIMARY KEY,
    since    TEXT NOT NULL
) STRICT;

CREATE TABLE webhook_cursors (
    name   TEXT NOT NULL REFERENCES webhooks (name),
    debate TEXT NOT NULL REFERENCES debates (id),
    length INTEGER NOT NULL,
    PRIMARY KEY (name, debate)
) STRICT, WITHOUT ROWID;

-- Messages to webhooks, stored before they are sent. `subject` says what a message is about, so that one event never
-- gets two ids. Times are milliseconds since 1970.
CREATE TABLE webhook_messages (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL REFERENCES webhooks (name),
    event         TEXT NOT NULL,
    debate        TEXT REFERENCES debates (id),
    subject       TEXT NOT NULL,
    body          TEXT NOT NULL,
    created_at    TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts      INTEGER NOT NULL DEFAULT 0,
    due_ms        INTEGER NOT NULL,
    claimed_ms    INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, subject)
) STRICT;

CREATE INDEX webhook_messages_due ON webhook_messages (state, due_ms);
CREATE INDEX webhook_messages_of ON webhook_messages (debate);

CREATE TABLE webhook_attempts (
    message TEXT NOT NULL REFERENCES webhook_messages (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    at      TEXT NOT NULL,
    status  INTEGER,
    took_ms INTEGER NOT NULL,
    error   TEXT,
    PRIMARY KEY (message, attempt)
) STRICT, WITHOUT ROWID;

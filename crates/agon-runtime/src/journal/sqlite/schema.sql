CREATE TABLE debates (
    id        TEXT PRIMARY KEY,
    protocol  TEXT NOT NULL,
    motion    TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    length    INTEGER NOT NULL,
    head      TEXT NOT NULL,
    last_at   TEXT NOT NULL,
    outcome   TEXT,
    directory TEXT,
    driven_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE entries (
    debate TEXT NOT NULL REFERENCES debates (id),
    seq    INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    key    TEXT,
    line   TEXT NOT NULL,
    PRIMARY KEY (debate, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX entries_once ON entries (debate, kind, key) WHERE key IS NOT NULL;

CREATE TABLE texts (
    digest  TEXT PRIMARY KEY,
    content TEXT NOT NULL
) STRICT;

CREATE TABLE calls (
    debate            TEXT NOT NULL REFERENCES debates (id),
    key               TEXT NOT NULL,
    attempt           INTEGER NOT NULL,
    started_at        TEXT NOT NULL,
    state             TEXT NOT NULL CHECK (state IN ('open', 'answered', 'failed')),
    tokens            INTEGER NOT NULL,
    cost_microusd     INTEGER NOT NULL,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    estimated         INTEGER NOT NULL DEFAULT 1,
    counted           INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (debate, key, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    debate     TEXT NOT NULL REFERENCES debates (id),
    seat       TEXT NOT NULL,
    token      TEXT NOT NULL,
    holder     TEXT NOT NULL,
    fence      INTEGER NOT NULL,
    until      TEXT NOT NULL,
    PRIMARY KEY (debate, seat)
) STRICT, WITHOUT ROWID;

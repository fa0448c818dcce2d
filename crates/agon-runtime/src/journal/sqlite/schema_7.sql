-- People who may use a server with accounts. A deleted person keeps the id, which stands on records, and nothing else.
CREATE TABLE principals (
    id              TEXT PRIMARY KEY,
    login           TEXT UNIQUE,
    display         TEXT NOT NULL,
    password        TEXT,
    administrator   INTEGER NOT NULL DEFAULT 0,
    state           TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'deleted')),
    created_at      TEXT NOT NULL,
    debates_per_day INTEGER,
    open_debates    INTEGER,
    cost_microusd   INTEGER
) STRICT, WITHOUT ROWID;

-- How others call a person: the issuer and subject of a login, or the name in a proxy's header.
CREATE TABLE identities (
    issuer    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    principal TEXT NOT NULL REFERENCES principals (id),
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

-- What proves a person. Secrets are stored as their digests.
CREATE TABLE sessions (
    digest     TEXT PRIMARY KEY,
    principal  TEXT NOT NULL REFERENCES principals (id),
    via        TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_of ON sessions (principal);

CREATE TABLE personal_tokens (
    id         TEXT PRIMARY KEY,
    digest     TEXT NOT NULL UNIQUE,
    principal  TEXT NOT NULL REFERENCES principals (id),
    name       TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at    TEXT,
    revoked_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX personal_tokens_of ON personal_tokens (principal);

-- What a person may do in one debate; `seat` is empty where the role is not for one seat alone.
CREATE TABLE grants (
    debate     TEXT NOT NULL REFERENCES debates (id) ON DELETE CASCADE,
    principal  TEXT NOT NULL REFERENCES principals (id),
    role       TEXT NOT NULL CHECK (role IN ('owner', 'judge', 'debater', 'audience', 'viewer')),
    seat       TEXT NOT NULL DEFAULT '',
    granted_by TEXT NOT NULL,
    granted_at TEXT NOT NULL,
    PRIMARY KEY (debate, principal, role, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX grants_of ON grants (principal);

-- Links with which anyone can read one debate.
CREATE TABLE share_links (
    id         TEXT PRIMARY KEY,
    digest     TEXT NOT NULL UNIQUE,
    debate     TEXT NOT NULL REFERENCES debates (id) ON DELETE CASCADE,
    principal  TEXT NOT NULL REFERENCES principals (id),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX share_links_of ON share_links (debate);

-- Debates that count against a person's quotas: reserved before they are opened, so `debate` is empty at first.
CREATE TABLE debate_starts (
    number    INTEGER PRIMARY KEY,
    principal TEXT NOT NULL REFERENCES principals (id),
    debate    TEXT UNIQUE,
    at        TEXT NOT NULL,
    cost_max  INTEGER
) STRICT;

CREATE INDEX debate_starts_of ON debate_starts (principal, at);

-- Logins that another server is asked about, and texts that were sent after a login had expired.
CREATE TABLE login_flows (
    digest     TEXT PRIMARY KEY,
    state      TEXT NOT NULL,
    nonce      TEXT NOT NULL,
    verifier   TEXT NOT NULL,
    next       TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE form_drafts (
    id        TEXT PRIMARY KEY,
    principal TEXT NOT NULL REFERENCES principals (id),
    path      TEXT NOT NULL,
    body      TEXT NOT NULL,
    at        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who did what, and when. Rows are added, never changed.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        TEXT NOT NULL,
    principal TEXT,
    via       TEXT NOT NULL,
    action    TEXT NOT NULL,
    debate    TEXT,
    target    TEXT,
    result    TEXT NOT NULL,
    address   TEXT
) STRICT;

CREATE INDEX audit_by_debate ON audit (debate, number);
CREATE INDEX audit_by_principal ON audit (principal, number);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

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

CREATE INDEX debates_by_time ON debates (opened_at DESC, id DESC);

-- For the sweep by age: the debates that have ended, oldest first.
CREATE INDEX debates_ended ON debates (last_at, id) WHERE outcome IS NOT NULL;

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

-- One row for each attempt. `cost_basis` is how far its cost is known: 0 reported, 1 estimated, 2 unknown. `failure` is
-- its kind, in a word.
CREATE TABLE calls (
    debate             TEXT NOT NULL REFERENCES debates (id),
    key                TEXT NOT NULL,
    attempt            INTEGER NOT NULL,
    started_at         TEXT NOT NULL,
    state              TEXT NOT NULL CHECK (state IN ('open', 'answered', 'failed')),
    tokens             INTEGER NOT NULL,
    cost_microusd      INTEGER NOT NULL,
    prompt_tokens      INTEGER NOT NULL DEFAULT 0,
    cached_tokens      INTEGER NOT NULL DEFAULT 0,
    completion_tokens  INTEGER NOT NULL DEFAULT 0,
    estimated          INTEGER NOT NULL DEFAULT 1,
    counted            INTEGER NOT NULL DEFAULT 1,
    cost_basis         INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    failure            TEXT,
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

-- What was looked up at an outside seat for a request that is not answered yet; `lookup` is JSON.
CREATE TABLE pending_lookups (
    debate TEXT NOT NULL REFERENCES debates (id),
    key    TEXT NOT NULL,
    number INTEGER NOT NULL,
    lookup TEXT NOT NULL,
    PRIMARY KEY (debate, key, number)
) STRICT, WITHOUT ROWID;

-- Duels that others hold and whose lock agon keeps.
CREATE TABLE duels (
    id               TEXT PRIMARY KEY,
    target_path      TEXT NOT NULL,
    target_key       TEXT NOT NULL,
    topic            TEXT,
    topic_slug       TEXT,
    debate_path      TEXT,
    status           TEXT NOT NULL CHECK (status IN ('ACTIVE', 'CLOSED')),
    current_owner_id TEXT,
    lease_token      TEXT,
    lease_expires_at TEXT,
    created_at       TEXT NOT NULL,
    updated_at       TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX duels_active ON duels (target_key) WHERE status = 'ACTIVE';

CREATE TABLE duel_participants (
    number       INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    duel         TEXT NOT NULL REFERENCES duels (id),
    display_name TEXT NOT NULL,
    harness      TEXT NOT NULL,
    model_id     TEXT NOT NULL,
    joined_at    TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    UNIQUE (duel, display_name, harness, model_id)
) STRICT;

-- What a duel's artifact was whenever its lock was taken or given back.
CREATE TABLE duel_sightings (
    number      INTEGER PRIMARY KEY,
    duel        TEXT NOT NULL REFERENCES duels (id),
    participant TEXT NOT NULL,
    moment      TEXT NOT NULL CHECK (moment IN ('claim', 'release', 'close')),
    at          TEXT NOT NULL,
    digest      TEXT,
    turns       TEXT NOT NULL,
    outcome     TEXT
) STRICT;

CREATE INDEX duel_sightings_of ON duel_sightings (duel);

-- Events that workflows of others report.
CREATE TABLE runs (
    id         TEXT PRIMARY KEY,
    workflow   TEXT NOT NULL,
    name       TEXT,
    harness    TEXT,
    project    TEXT,
    status     TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE events (
    id   INTEGER PRIMARY KEY,
    run  TEXT NOT NULL REFERENCES runs (id),
    type TEXT NOT NULL,
    step TEXT,
    unit TEXT,
    data TEXT NOT NULL,
    at   TEXT NOT NULL
) STRICT;

CREATE INDEX events_of ON events (run);

-- Where a folder that others made breaks rules that its own program does not check.
CREATE TABLE findings (
    number  INTEGER PRIMARY KEY,
    folder  TEXT NOT NULL,
    at      TEXT NOT NULL,
    finding TEXT NOT NULL
) STRICT;

CREATE INDEX findings_in ON findings (folder);

-- What has been done for requests that may not have been answered yet.
CREATE TABLE receipts (
    request TEXT PRIMARY KEY,
    done    TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Full-text index of the motion and the statements of each debate, by runs of three characters. It follows from the
-- entries; the server fills it while it runs. A debate whose `length` here differs from that in `debates` is searched
-- without it.
CREATE TABLE searchable (
    number INTEGER PRIMARY KEY,
    debate TEXT NOT NULL UNIQUE REFERENCES debates (id),
    length INTEGER NOT NULL
) STRICT;

CREATE VIRTUAL TABLE search_index USING fts5 (
    text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram'
);

-- Who drives a debate, where several machines share the store: `fence` grows with every claim, and what is appended
-- under an older one is refused. A holder is alive until its row in `drivers` says so.
CREATE TABLE drivers (
    holder TEXT PRIMARY KEY,
    words  TEXT NOT NULL,
    until  TEXT NOT NULL
) STRICT;

CREATE TABLE drives (
    debate TEXT PRIMARY KEY,
    holder TEXT,
    fence  INTEGER NOT NULL
) STRICT;

-- Debates that nobody drives since only people are asked: who is told once the record has another length.
CREATE TABLE waits (
    debate TEXT PRIMARY KEY REFERENCES debates (id),
    length INTEGER NOT NULL,
    wake   TEXT NOT NULL
) STRICT;

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

-- Passkeys of people. `key` is the public half with what its browser said of it, as JSON; `credential` is the name that
-- the browser knows it by.
CREATE TABLE passkeys (
    id         TEXT PRIMARY KEY,
    credential TEXT NOT NULL UNIQUE,
    principal  TEXT NOT NULL REFERENCES principals (id),
    name       TEXT NOT NULL,
    key        TEXT NOT NULL,
    counter    INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    used_at    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_of ON passkeys (principal);

-- Challenges that browsers are to sign. Each is taken once; `principal` is empty where it is for a login.
CREATE TABLE passkey_challenges (
    digest     TEXT PRIMARY KEY,
    principal  TEXT REFERENCES principals (id),
    state      TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The invitation of a person, with which the person logs in once. The secret is stored as its digest.
CREATE TABLE invitations (
    principal  TEXT PRIMARY KEY REFERENCES principals (id),
    digest     TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Failed logins since a moment, by a digest of the name and the address.
CREATE TABLE login_attempts (
    counter TEXT PRIMARY KEY,
    since   TEXT NOT NULL,
    made    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

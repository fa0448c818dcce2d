-- Text is compared by its bytes, as SQLite does. What people wrote may hold a NUL, which the type TEXT cannot.
CREATE TABLE debates (
    id        TEXT COLLATE "C" PRIMARY KEY,
    protocol  TEXT COLLATE "C" NOT NULL,
    motion    BYTEA NOT NULL,
    opened_at TEXT COLLATE "C" NOT NULL,
    length    BIGINT NOT NULL,
    head      TEXT COLLATE "C" NOT NULL,
    last_at   TEXT COLLATE "C" NOT NULL,
    outcome   TEXT COLLATE "C",
    directory TEXT COLLATE "C",
    driven_ms BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX debates_by_time ON debates (opened_at DESC, id DESC);

-- For the sweep by age: the debates that have ended, oldest first.
CREATE INDEX debates_ended ON debates (last_at, id) WHERE outcome IS NOT NULL;

-- `said` is what a search finds: the motion, and the words of answers that nobody redacted.
CREATE TABLE entries (
    debate TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    seq    BIGINT NOT NULL,
    kind   TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C",
    line   TEXT COLLATE "C" NOT NULL,
    said   TEXT COLLATE "C",
    PRIMARY KEY (debate, seq)
);

CREATE UNIQUE INDEX entries_once ON entries (debate, kind, key) WHERE key IS NOT NULL;

CREATE TABLE texts (
    digest  TEXT COLLATE "C" PRIMARY KEY,
    content BYTEA NOT NULL
);

CREATE TABLE calls (
    debate             TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    key                TEXT COLLATE "C" NOT NULL,
    attempt            BIGINT NOT NULL,
    started_at         TEXT COLLATE "C" NOT NULL,
    state              TEXT COLLATE "C" NOT NULL CHECK (state IN ('open', 'answered', 'failed')),
    tokens             BIGINT NOT NULL,
    cost_microusd      BIGINT NOT NULL,
    prompt_tokens      BIGINT NOT NULL DEFAULT 0,
    cached_tokens      BIGINT NOT NULL DEFAULT 0,
    completion_tokens  BIGINT NOT NULL DEFAULT 0,
    estimated          BIGINT NOT NULL DEFAULT 1,
    counted            BIGINT NOT NULL DEFAULT 1,
    cost_basis         BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    failure            TEXT COLLATE "C",
    PRIMARY KEY (debate, key, attempt)
);

-- What was looked up at an outside seat for a request that is not answered yet; `lookup` is JSON.
CREATE TABLE pending_lookups (
    debate TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    key    TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    lookup TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (debate, key, number)
);

CREATE TABLE leases (
    debate TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    seat   TEXT COLLATE "C" NOT NULL,
    token  TEXT COLLATE "C" NOT NULL,
    holder TEXT COLLATE "C" NOT NULL,
    fence  BIGINT NOT NULL,
    until  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (debate, seat)
);

-- The last transaction of each process that writes: where a connection breaks during a commit, the row says whether the
-- transaction was committed.
CREATE TABLE writers (
    writer    TEXT COLLATE "C" PRIMARY KEY,
    committed BIGINT NOT NULL,
    seen      TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- Who drives a debate: `fence` grows with every claim, and what is appended under an older one is refused. A holder is
-- alive until its row in `drivers` says so.
CREATE TABLE drivers (
    holder TEXT COLLATE "C" PRIMARY KEY,
    words  TEXT COLLATE "C" NOT NULL,
    until  TEXT COLLATE "C" NOT NULL
);

CREATE TABLE drives (
    debate TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT COLLATE "C",
    fence  BIGINT NOT NULL
);

-- Debates that nobody drives since only people are asked: who is told once the record has another length.
CREATE TABLE waits (
    debate TEXT COLLATE "C" PRIMARY KEY REFERENCES debates (id),
    length BIGINT NOT NULL,
    wake   TEXT COLLATE "C" NOT NULL
);

-- People who may use a server with accounts. A deleted person keeps the id, which stands on records, and nothing else.
CREATE TABLE principals (
    id              TEXT COLLATE "C" PRIMARY KEY,
    login           TEXT COLLATE "C" UNIQUE,
    display         TEXT COLLATE "C" NOT NULL,
    password        TEXT COLLATE "C",
    administrator   BIGINT NOT NULL DEFAULT 0,
    state           TEXT COLLATE "C" NOT NULL CHECK (state IN ('active', 'disabled', 'deleted')),
    created_at      TEXT COLLATE "C" NOT NULL,
    debates_per_day BIGINT,
    open_debates    BIGINT,
    cost_microusd   BIGINT
);

-- How others call a person: the issuer and subject of a login, or the name in a proxy's header.
CREATE TABLE identities (
    issuer    TEXT COLLATE "C" NOT NULL,
    subject   TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    PRIMARY KEY (issuer, subject)
);

-- What proves a person. Secrets are stored as their digests.
CREATE TABLE sessions (
    digest     TEXT COLLATE "C" PRIMARY KEY,
    principal  TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    via        TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX sessions_of ON sessions (principal);

CREATE TABLE personal_tokens (
    id         TEXT COLLATE "C" PRIMARY KEY,
    digest     TEXT COLLATE "C" NOT NULL UNIQUE,
    principal  TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    name       TEXT COLLATE "C" NOT NULL,
    scopes     TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL,
    used_at    TEXT COLLATE "C",
    revoked_at TEXT COLLATE "C"
);

CREATE INDEX personal_tokens_of ON personal_tokens (principal);

-- What a person may do in one debate; `seat` is empty where the role is not for one seat alone.
CREATE TABLE grants (
    debate     TEXT COLLATE "C" NOT NULL REFERENCES debates (id) ON DELETE CASCADE,
    principal  TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('owner', 'judge', 'debater', 'audience', 'viewer')),
    seat       TEXT COLLATE "C" NOT NULL DEFAULT '',
    granted_by TEXT COLLATE "C" NOT NULL,
    granted_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (debate, principal, role, seat)
);

CREATE INDEX grants_of ON grants (principal);

-- Links with which anyone can read one debate.
CREATE TABLE share_links (
    id         TEXT COLLATE "C" PRIMARY KEY,
    digest     TEXT COLLATE "C" NOT NULL UNIQUE,
    debate     TEXT COLLATE "C" NOT NULL REFERENCES debates (id) ON DELETE CASCADE,
    principal  TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    created_at TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL,
    revoked_at TEXT COLLATE "C"
);

CREATE INDEX share_links_of ON share_links (debate);

-- Debates that count against a person's quotas: reserved before they are opened, so `debate` is empty at first.
CREATE TABLE debate_starts (
    number    BIGINT PRIMARY KEY,
    principal TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    debate    TEXT COLLATE "C" UNIQUE,
    at        TEXT COLLATE "C" NOT NULL,
    cost_max  BIGINT
);

CREATE INDEX debate_starts_of ON debate_starts (principal, at);

-- Logins that another server is asked about, and texts that were sent after a login had expired.
CREATE TABLE login_flows (
    digest     TEXT COLLATE "C" PRIMARY KEY,
    state      TEXT COLLATE "C" NOT NULL,
    nonce      TEXT COLLATE "C" NOT NULL,
    verifier   TEXT COLLATE "C" NOT NULL,
    next       BYTEA NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE form_drafts (
    id        TEXT COLLATE "C" PRIMARY KEY,
    principal TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    path      BYTEA NOT NULL,
    body      BYTEA NOT NULL,
    at        TEXT COLLATE "C" NOT NULL
);

-- Who did what, and when. Rows are added, never changed.
CREATE TABLE audit (
    number    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C",
    via       TEXT COLLATE "C" NOT NULL,
    action    TEXT COLLATE "C" NOT NULL,
    debate    TEXT COLLATE "C",
    target    TEXT COLLATE "C",
    result    TEXT COLLATE "C" NOT NULL,
    address   TEXT COLLATE "C"
);

CREATE INDEX audit_by_debate ON audit (debate, number);
CREATE INDEX audit_by_principal ON audit (principal, number);

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- Debates whose words were deleted: what is left of each shows that its record was sound.
CREATE TABLE tombstones (
    debate     TEXT COLLATE "C" PRIMARY KEY,
    protocol   TEXT COLLATE "C" NOT NULL,
    length     BIGINT NOT NULL,
    head       TEXT COLLATE "C" NOT NULL,
    deleted_at TEXT COLLATE "C" NOT NULL,
    deleted_by TEXT COLLATE "C" NOT NULL,
    reason     BYTEA NOT NULL
);

-- The chain of a deleted debate. `line` is an entry that was kept; without it, its words are gone.
CREATE TABLE tombstone_entries (
    debate TEXT COLLATE "C" NOT NULL REFERENCES tombstones (debate),
    seq    BIGINT NOT NULL,
    kind   TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C",
    hash   TEXT COLLATE "C" NOT NULL,
    line   TEXT COLLATE "C",
    PRIMARY KEY (debate, seq)
);

CREATE TABLE labels (
    debate TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    label  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (debate, label)
);

-- How far the events of a debate were turned into messages, for each webhook. A webhook that is new begins with what
-- happens next.
CREATE TABLE webhooks (
    name     TEXT COLLATE "C" PRIMARY KEY,
    since    TEXT COLLATE "C" NOT NULL
);

CREATE TABLE webhook_cursors (
    name   TEXT COLLATE "C" NOT NULL REFERENCES webhooks (name),
    debate TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    length BIGINT NOT NULL,
    PRIMARY KEY (name, debate)
);

-- Messages to webhooks, stored before they are sent. `subject` says what a message is about, so that one event never
-- gets two ids. Times are milliseconds since 1970.
CREATE TABLE webhook_messages (
    id            TEXT COLLATE "C" PRIMARY KEY,
    name          TEXT COLLATE "C" NOT NULL REFERENCES webhooks (name),
    event         TEXT COLLATE "C" NOT NULL,
    debate        TEXT COLLATE "C" REFERENCES debates (id),
    subject       TEXT COLLATE "C" NOT NULL,
    body          TEXT COLLATE "C" NOT NULL,
    created_at    TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts      BIGINT NOT NULL DEFAULT 0,
    due_ms        BIGINT NOT NULL,
    claimed_ms    BIGINT NOT NULL DEFAULT 0,
    UNIQUE (name, subject)
);

CREATE INDEX webhook_messages_due ON webhook_messages (state, due_ms);
CREATE INDEX webhook_messages_of ON webhook_messages (debate);

CREATE TABLE webhook_attempts (
    message TEXT COLLATE "C" NOT NULL REFERENCES webhook_messages (id) ON DELETE CASCADE,
    attempt BIGINT NOT NULL,
    at      TEXT COLLATE "C" NOT NULL,
    status  BIGINT,
    took_ms BIGINT NOT NULL,
    error   BYTEA,
    PRIMARY KEY (message, attempt)
);

-- Passkeys of people. `key` is the public half with what its browser said of it, as JSON; `credential` is the name that
-- the browser knows it by.
CREATE TABLE passkeys (
    id         TEXT COLLATE "C" PRIMARY KEY,
    credential TEXT COLLATE "C" NOT NULL UNIQUE,
    principal  TEXT COLLATE "C" NOT NULL REFERENCES principals (id),
    name       TEXT COLLATE "C" NOT NULL,
    key        BYTEA NOT NULL,
    counter    BIGINT NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    used_at    TEXT COLLATE "C"
);

CREATE INDEX passkeys_of ON passkeys (principal);

-- Challenges that browsers are to sign. Each is taken once; `principal` is empty where it is for a login.
CREATE TABLE passkey_challenges (
    digest     TEXT COLLATE "C" PRIMARY KEY,
    principal  TEXT COLLATE "C" REFERENCES principals (id),
    state      BYTEA NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL
);

-- The invitation of a person, with which the person logs in once. The secret is stored as its digest.
CREATE TABLE invitations (
    principal  TEXT COLLATE "C" PRIMARY KEY REFERENCES principals (id),
    digest     TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL
);

-- Failed logins since a moment, by a digest of the name and the address.
CREATE TABLE login_attempts (
    counter TEXT COLLATE "C" PRIMARY KEY,
    since   TEXT COLLATE "C" NOT NULL,
    made    BIGINT NOT NULL
);

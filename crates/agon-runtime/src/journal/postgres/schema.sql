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

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

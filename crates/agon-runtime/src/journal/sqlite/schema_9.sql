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

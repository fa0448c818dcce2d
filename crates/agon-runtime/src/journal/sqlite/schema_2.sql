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

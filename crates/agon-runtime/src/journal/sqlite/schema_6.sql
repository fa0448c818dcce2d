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

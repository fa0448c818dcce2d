-- Contents by digest, and the passages into which they are cut.
CREATE TABLE texts (
    digest TEXT PRIMARY KEY,
    content TEXT NOT NULL
) STRICT;

-- One row for each content and way of cutting ('diff' or 'text'), also where it has no passage.
CREATE TABLE cuts (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL REFERENCES texts (digest),
    cutting TEXT NOT NULL,
    UNIQUE (digest, cutting)
) STRICT;

-- `ordinal` counts the passages of a cut from 0. Lines are empty where a diff only removes.
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    cut INTEGER NOT NULL REFERENCES cuts (id),
    ordinal INTEGER NOT NULL,
    first INTEGER,
    last INTEGER,
    shown_bytes INTEGER NOT NULL,
    words INTEGER NOT NULL
) STRICT;
CREATE INDEX passages_of_cut ON passages (cut, ordinal);

-- Which words are in which passage; the rows are those of `passages`. The words come separated by spaces and in
-- lower case, so the plainest tokenizer keeps them as they are.
CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE occurrences USING fts5vocab ('words', 'instance');

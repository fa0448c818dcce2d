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

CREATE INDEX debates_by_time ON debates (opened_at DESC, id DESC);

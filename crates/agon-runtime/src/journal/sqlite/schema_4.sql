-- How far the cost of a call is known: 0 reported, 1 estimated, 2 unknown. What was stored before does not say
-- whether a price was known, so no cost counts as an unknown one.
ALTER TABLE calls ADD COLUMN cost_basis INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
-- The kind of failure, in a word.
ALTER TABLE calls ADD COLUMN failure TEXT;

UPDATE calls SET cost_basis = CASE WHEN tokens > 0 AND cost_microusd = 0 THEN 2 ELSE estimated END;

-- The version is how many of the files behind this one ran. Another process may have
-- made the table since it was looked for.
CREATE TABLE IF NOT EXISTS schema_version (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	version INTEGER NOT NULL
) STRICT;

INSERT INTO schema_version (singleton, version) VALUES (1, 0) ON CONFLICT DO NOTHING;

-- version is the number of the last file of this folder that ran.
CREATE TABLE schema_version (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	version INTEGER NOT NULL
) STRICT;

INSERT INTO schema_version (singleton, version) VALUES (1, 0);

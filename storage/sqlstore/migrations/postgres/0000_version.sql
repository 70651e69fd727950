-- The version is how many of the files behind this one ran.
CREATE TABLE main.schema_version (
	singleton BIGINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
	version BIGINT NOT NULL
);

INSERT INTO main.schema_version (singleton, version) VALUES (1, 0);

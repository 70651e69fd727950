-- What a session, a grant and a decision rest on is compared in the write.
ALTER TABLE accounts ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

ALTER TABLE clients ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

ALTER TABLE statuses ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

-- What the user was shown. Grants from before did not keep it, and so end.
ALTER TABLE grants ADD COLUMN attributes TEXT;

ALTER TABLE grants ADD COLUMN group_names TEXT;

UPDATE grants SET revoked_at = created_at WHERE revoked_at IS NULL;

-- siblings is 1 when other tokens were issued in place of the same one.
ALTER TABLE tokens ADD COLUMN parent BLOB;

ALTER TABLE tokens ADD COLUMN siblings INTEGER NOT NULL DEFAULT 0;

-- A decision without a name is from before it was kept what the user was shown:
-- nothing is issued on it.
CREATE TABLE decisions (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	scopes TEXT,
	attributes TEXT,
	group_names TEXT,
	client_name TEXT NOT NULL,
	redirect_hosts TEXT,
	decision BLOB CHECK (length(decision) = 32),
	created_at INTEGER NOT NULL,
	decided_at INTEGER,
	last_used_at INTEGER,
	PRIMARY KEY (subject, client_id)
) STRICT, WITHOUT ROWID;

INSERT INTO decisions (subject, client_id, scopes, client_name, created_at, decided_at, last_used_at)
SELECT subject, client_id, scopes, '', created_at, decided_at, last_used_at FROM consents;

DROP TABLE consents;

ALTER TABLE decisions RENAME TO consents;

CREATE TABLE installation (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	issuer TEXT NOT NULL,
	data_key BLOB NOT NULL
) STRICT;

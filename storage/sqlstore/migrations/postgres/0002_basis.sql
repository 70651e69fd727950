-- What a session, a grant and a decision rest on is compared in the write.
ALTER TABLE main.accounts ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

ALTER TABLE main.clients ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

ALTER TABLE main.statuses ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;

-- What the user was shown. Grants from before did not keep it, and so end.
ALTER TABLE main.grants ADD COLUMN attributes TEXT;

ALTER TABLE main.grants ADD COLUMN group_names TEXT;

UPDATE main.grants SET revoked_at = created_at WHERE revoked_at IS NULL;

-- siblings is 1 when other tokens were issued in place of the same one.
ALTER TABLE main.tokens ADD COLUMN parent BYTEA;

ALTER TABLE main.tokens ADD COLUMN siblings BIGINT NOT NULL DEFAULT 0;

-- A decision without a name is from before it was kept what the user was shown:
-- nothing is issued on it.
CREATE TABLE main.decisions (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	scopes TEXT,
	attributes TEXT,
	group_names TEXT,
	client_name TEXT NOT NULL,
	redirect_hosts TEXT,
	decision BYTEA CHECK (length(decision) = 32),
	created_at BIGINT NOT NULL,
	decided_at BIGINT,
	last_used_at BIGINT,
	PRIMARY KEY (subject, client_id)
);

INSERT INTO main.decisions (subject, client_id, scopes, client_name, created_at, decided_at, last_used_at)
SELECT subject, client_id, scopes, '', created_at, decided_at, last_used_at FROM main.consents;

DROP TABLE main.consents;

ALTER TABLE main.decisions RENAME TO consents;

CREATE TABLE main.installation (
	singleton BIGINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
	issuer TEXT NOT NULL,
	data_key BYTEA NOT NULL
);

-- A schema as it was at version 2. Its tables were made by these statements, in this
-- order.
CREATE TABLE schema_version (
	singleton BIGINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
	version BIGINT NOT NULL
);

CREATE TABLE images (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	media_type TEXT NOT NULL,
	bytes BYTEA NOT NULL
);

CREATE TABLE clients (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	document TEXT NOT NULL
);

CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	email TEXT NOT NULL,
	email_key TEXT UNIQUE CHECK (email_key <> ''),
	email_verified BIGINT NOT NULL CHECK (email_verified IN (0, 1)),
	password_hash TEXT NOT NULL,
	password_changed_at BIGINT,
	disabled BIGINT NOT NULL CHECK (disabled IN (0, 1)),
	created_at BIGINT NOT NULL
);

CREATE TABLE attributes (
	subject TEXT NOT NULL CHECK (subject <> ''),
	handle TEXT NOT NULL CHECK (handle <> ''),
	value TEXT NOT NULL,
	PRIMARY KEY (subject, handle)
);

CREATE TABLE statuses (
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	verified BIGINT NOT NULL CHECK (verified IN (0, 1)),
	verified_by TEXT NOT NULL,
	verified_at BIGINT,
	expires_at BIGINT,
	PRIMARY KEY (subject, group_name)
);

CREATE TABLE sessions (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	auth_time BIGINT,
	amr TEXT,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	last_seen_at BIGINT,
	expires_at BIGINT NOT NULL,
	idle_until BIGINT NOT NULL CHECK (idle_until <= expires_at)
);

CREATE INDEX sessions_by_account ON sessions (account_id);

CREATE INDEX sessions_by_end ON sessions (idle_until);

CREATE TABLE consents (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at BIGINT NOT NULL,
	decided_at BIGINT NOT NULL,
	last_used_at BIGINT,
	PRIMARY KEY (subject, client_id)
);

CREATE TABLE grants (
	id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
	flow BYTEA NOT NULL UNIQUE CHECK (length(flow) = 32),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	scopes TEXT,
	redirect_uri TEXT NOT NULL,
	redirect_sent BIGINT NOT NULL CHECK (redirect_sent IN (0, 1)),
	response_type TEXT NOT NULL,
	nonce TEXT NOT NULL,
	eid TEXT NOT NULL,
	challenge TEXT NOT NULL,
	auth_time BIGINT,
	amr TEXT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	revoked_at BIGINT
);

CREATE INDEX grants_by_subject ON grants (subject, client_id);

CREATE INDEX grants_by_end ON grants (expires_at);

CREATE TABLE tokens (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	kind BIGINT NOT NULL CHECK (kind IN (1, 2, 3)),
	grant_id BYTEA NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	spent_at BIGINT
);

CREATE INDEX tokens_by_grant ON tokens (grant_id);

CREATE INDEX access_tokens_by_end ON tokens (expires_at) WHERE kind = 2;

CREATE TABLE tickets (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	purpose TEXT NOT NULL CHECK (purpose <> ''),
	subject TEXT NOT NULL,
	payload BYTEA,
	expires_at BIGINT NOT NULL,
	UNIQUE (purpose, subject)
);

CREATE INDEX tickets_by_end ON tickets (expires_at);

CREATE TABLE keys (
	generation BIGINT NOT NULL PRIMARY KEY CHECK (generation > 0),
	id TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sealed BYTEA NOT NULL,
	created_at BIGINT NOT NULL,
	use_from BIGINT NOT NULL
);

CREATE TABLE attempts (
	bucket BYTEA NOT NULL PRIMARY KEY CHECK (length(bucket) = 32),
	drained_at BIGINT NOT NULL
);

CREATE INDEX attempts_by_end ON attempts (drained_at);

CREATE TABLE events (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at BIGINT NOT NULL,
	name TEXT NOT NULL CHECK (name <> ''),
	subject TEXT NOT NULL,
	client_id TEXT NOT NULL,
	address TEXT NOT NULL,
	detail TEXT NOT NULL
);

CREATE INDEX events_by_subject ON events (subject, id);

CREATE INDEX events_by_client ON events (client_id, id);
ALTER TABLE accounts ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

ALTER TABLE clients ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

ALTER TABLE statuses ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;

ALTER TABLE grants ADD COLUMN attributes TEXT;

ALTER TABLE grants ADD COLUMN group_names TEXT;

UPDATE grants SET revoked_at = created_at WHERE revoked_at IS NULL;

ALTER TABLE tokens ADD COLUMN parent BYTEA;

ALTER TABLE tokens ADD COLUMN siblings BIGINT NOT NULL DEFAULT 0;

CREATE TABLE decisions (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
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

INSERT INTO decisions (subject, client_id, scopes, client_name, created_at, decided_at, last_used_at)
SELECT subject, client_id, scopes, '', created_at, decided_at, last_used_at FROM consents;

DROP TABLE consents;

ALTER TABLE decisions RENAME TO consents;

CREATE TABLE installation (
	singleton BIGINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
	issuer TEXT NOT NULL,
	data_key BYTEA NOT NULL
);

INSERT INTO schema_version (singleton, version) VALUES (1, 2);

INSERT INTO clients (id, version, document) VALUES ('client', 7, '{"name":"Küche \u003c\u0026\u003e \"Söhne\"","dialect":"v3","public":true,"secrets":[{"sealed":"c2VhbGVk","created_at":1773500966535897,"expires_at":1773504566535897},{"sealed":"AP8="}],"auth_method":"client_secret_basic","redirect_uris":["https://app.example/callback?a=1\u0026b=2"],"post_logout_redirect_uris":["https://app.example/"],"response_types":["code","token"],"grant_types":["authorization_code"],"scopes":["openid"],"origins":["https://app.example"],"no_query_token":true,"no_jsonp":true,"userinfo_signed":true,"require_verified":true,"skip_consent":true,"disabled":true,"deleted":true,"logo":"AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","button_color":"#aabbcc","policy_uri":"https://app.example/policy","terms_uri":"https://app.example/terms","created_at":1773500966535897,"updated_at":1773501026535897}');

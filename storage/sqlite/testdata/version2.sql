-- A database as it was at version 2 of the schema.
PRAGMA application_id = 1651469921;

CREATE TABLE schema_version (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	version INTEGER NOT NULL
	) STRICT;

CREATE TABLE images (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	media_type TEXT NOT NULL,
	bytes BLOB NOT NULL
) STRICT;

CREATE TABLE clients (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	document TEXT NOT NULL
, version INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	email TEXT NOT NULL,
	email_key TEXT UNIQUE CHECK (email_key <> ''),
	email_verified INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
	password_hash TEXT NOT NULL,
	password_changed_at INTEGER,
	disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
	created_at INTEGER NOT NULL
, epoch INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE attributes (
	subject TEXT NOT NULL CHECK (subject <> ''),
	handle TEXT NOT NULL CHECK (handle <> ''),
	value TEXT NOT NULL,
	PRIMARY KEY (subject, handle)
) STRICT, WITHOUT ROWID;

CREATE TABLE statuses (
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
	verified_by TEXT NOT NULL,
	verified_at INTEGER,
	expires_at INTEGER, revision INTEGER NOT NULL DEFAULT 1,
	PRIMARY KEY (subject, group_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	auth_time INTEGER,
	amr TEXT,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	last_seen_at INTEGER,
	expires_at INTEGER NOT NULL,
	idle_until INTEGER NOT NULL CHECK (idle_until <= expires_at)
) STRICT;

CREATE INDEX sessions_by_account ON sessions (account_id);

CREATE INDEX sessions_by_end ON sessions (idle_until);

CREATE TABLE grants (
	id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
	flow BLOB NOT NULL UNIQUE CHECK (length(flow) = 32),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	scopes TEXT,
	redirect_uri TEXT NOT NULL,
	redirect_sent INTEGER NOT NULL CHECK (redirect_sent IN (0, 1)),
	response_type TEXT NOT NULL,
	nonce TEXT NOT NULL,
	eid TEXT NOT NULL,
	challenge TEXT NOT NULL,
	auth_time INTEGER,
	amr TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	revoked_at INTEGER
, attributes TEXT, group_names TEXT) STRICT;

CREATE INDEX grants_by_subject ON grants (subject, client_id);

CREATE INDEX grants_by_end ON grants (expires_at);

CREATE TABLE tokens (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
	grant_id BLOB NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	spent_at INTEGER
, parent BLOB, siblings INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_grant ON tokens (grant_id);

CREATE INDEX access_tokens_by_end ON tokens (expires_at) WHERE kind = 2;

CREATE TABLE tickets (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	purpose TEXT NOT NULL CHECK (purpose <> ''),
	subject TEXT NOT NULL,
	payload BLOB,
	expires_at INTEGER NOT NULL,
	UNIQUE (purpose, subject)
) STRICT;

CREATE INDEX tickets_by_end ON tickets (expires_at);

CREATE TABLE keys (
	generation INTEGER NOT NULL PRIMARY KEY CHECK (generation > 0),
	id TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sealed BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	use_from INTEGER NOT NULL
) STRICT;

CREATE TABLE attempts (
	bucket BLOB NOT NULL PRIMARY KEY CHECK (length(bucket) = 32),
	drained_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_end ON attempts (drained_at);

CREATE TABLE events (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	name TEXT NOT NULL CHECK (name <> ''),
	subject TEXT NOT NULL,
	client_id TEXT NOT NULL,
	address TEXT NOT NULL,
	detail TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_subject ON events (subject, id);

CREATE INDEX events_by_client ON events (client_id, id);

CREATE TABLE "consents" (
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

CREATE TABLE installation (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	issuer TEXT NOT NULL,
	data_key BLOB NOT NULL
) STRICT;

INSERT INTO schema_version (singleton, version) VALUES (1, 2);

INSERT INTO clients (id, version, document) VALUES ('client', 7, '{"name":"Küche \u003c\u0026\u003e \"Söhne\"","dialect":"v3","public":true,"secrets":[{"sealed":"c2VhbGVk","created_at":1773500966535897,"expires_at":1773504566535897},{"sealed":"AP8="}],"auth_method":"client_secret_basic","redirect_uris":["https://app.example/callback?a=1\u0026b=2"],"post_logout_redirect_uris":["https://app.example/"],"response_types":["code","token"],"grant_types":["authorization_code"],"scopes":["openid"],"origins":["https://app.example"],"no_query_token":true,"no_jsonp":true,"userinfo_signed":true,"require_verified":true,"skip_consent":true,"disabled":true,"deleted":true,"logo":"AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","button_color":"#aabbcc","policy_uri":"https://app.example/policy","terms_uri":"https://app.example/terms","created_at":1773500966535897,"updated_at":1773501026535897}');

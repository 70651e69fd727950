-- Times are microseconds since 1970 in UTC. NULL is "never" or "not yet"; what
-- can be presented as a credential always has an end. Statements end with a
-- semicolon at the end of a line.

CREATE TABLE IF NOT EXISTS images (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	media_type TEXT NOT NULL,
	bytes BLOB NOT NULL
) STRICT;

-- What is queried are columns; the rest of a client is one JSON document.
CREATE TABLE IF NOT EXISTS clients (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	document TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS accounts (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	email TEXT NOT NULL,
	email_key TEXT UNIQUE CHECK (email_key <> ''),
	email_verified INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
	password_hash TEXT NOT NULL,
	password_changed_at INTEGER,
	disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
	created_at INTEGER NOT NULL
) STRICT;

-- A subject need not have an account: the host may keep its users elsewhere.
CREATE TABLE IF NOT EXISTS attributes (
	subject TEXT NOT NULL CHECK (subject <> ''),
	handle TEXT NOT NULL CHECK (handle <> ''),
	value TEXT NOT NULL,
	PRIMARY KEY (subject, handle)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS statuses (
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
	verified_by TEXT NOT NULL,
	verified_at INTEGER,
	expires_at INTEGER,
	PRIMARY KEY (subject, group_name)
) STRICT, WITHOUT ROWID;

-- A session is over at idle_until, which is never later than expires_at.
CREATE TABLE IF NOT EXISTS sessions (
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

CREATE INDEX IF NOT EXISTS sessions_by_account ON sessions (account_id);

CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (idle_until);

CREATE TABLE IF NOT EXISTS consents (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at INTEGER NOT NULL,
	decided_at INTEGER NOT NULL,
	last_used_at INTEGER,
	PRIMARY KEY (subject, client_id)
) STRICT, WITHOUT ROWID;

-- Grants and tokens are written by every sign-in: each index here is paid for a
-- million times. The first serves the user's and the application's revocations,
-- the second the sweep. Ending all grants of a client reads the whole table.
CREATE TABLE IF NOT EXISTS grants (
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
) STRICT;

CREATE INDEX IF NOT EXISTS grants_by_subject ON grants (subject, client_id);

CREATE INDEX IF NOT EXISTS grants_by_end ON grants (expires_at);

-- kind: 1 authorization code, 2 access token, 3 refresh token.
CREATE TABLE IF NOT EXISTS tokens (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
	grant_id BLOB NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	spent_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS tokens_by_grant ON tokens (grant_id);

-- Only access tokens are swept before their grant.
CREATE INDEX IF NOT EXISTS access_tokens_by_end ON tokens (expires_at) WHERE kind = 2;

CREATE TABLE IF NOT EXISTS tickets (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	purpose TEXT NOT NULL CHECK (purpose <> ''),
	subject TEXT NOT NULL,
	payload BLOB,
	expires_at INTEGER NOT NULL,
	UNIQUE (purpose, subject)
) STRICT;

CREATE INDEX IF NOT EXISTS tickets_by_end ON tickets (expires_at);

CREATE TABLE IF NOT EXISTS keys (
	generation INTEGER NOT NULL PRIMARY KEY CHECK (generation > 0),
	id TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sealed BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	use_from INTEGER NOT NULL
) STRICT;

-- drained_at is when the bucket is empty again (the theoretical arrival time of
-- the generic cell rate algorithm); a bucket that is empty needs no row.
CREATE TABLE IF NOT EXISTS attempts (
	bucket BLOB NOT NULL PRIMARY KEY CHECK (length(bucket) = 32),
	drained_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS attempts_by_end ON attempts (drained_at);

CREATE TABLE IF NOT EXISTS events (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	name TEXT NOT NULL CHECK (name <> ''),
	subject TEXT NOT NULL,
	client_id TEXT NOT NULL,
	address TEXT NOT NULL,
	detail TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS events_by_subject ON events (subject, id);

CREATE INDEX IF NOT EXISTS events_by_client ON events (client_id, id);

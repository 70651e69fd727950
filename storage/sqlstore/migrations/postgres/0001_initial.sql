-- main stands for the schema of the tables: see Dialect.Schema. Nothing here may
-- be there already (no IF NOT EXISTS): somebody else would own it and its triggers.

-- Times are microseconds since 1970 in UTC. NULL is "never" or "not yet"; what
-- can be presented as a credential always has an end. Statements end with a
-- semicolon at the end of a line.

CREATE TABLE main.images (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	media_type TEXT NOT NULL,
	bytes BYTEA NOT NULL
);

-- What is queried are columns; the rest of a client is one JSON document.
CREATE TABLE main.clients (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	document TEXT NOT NULL
);

CREATE TABLE main.accounts (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	email TEXT NOT NULL,
	email_key TEXT UNIQUE CHECK (email_key <> ''),
	email_verified BIGINT NOT NULL CHECK (email_verified IN (0, 1)),
	password_hash TEXT NOT NULL,
	password_changed_at BIGINT,
	disabled BIGINT NOT NULL CHECK (disabled IN (0, 1)),
	created_at BIGINT NOT NULL
);

-- A subject need not have an account: the host may keep its users elsewhere.
CREATE TABLE main.attributes (
	subject TEXT NOT NULL CHECK (subject <> ''),
	handle TEXT NOT NULL CHECK (handle <> ''),
	value TEXT NOT NULL,
	PRIMARY KEY (subject, handle)
);

CREATE TABLE main.statuses (
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	verified BIGINT NOT NULL CHECK (verified IN (0, 1)),
	verified_by TEXT NOT NULL,
	verified_at BIGINT,
	expires_at BIGINT,
	PRIMARY KEY (subject, group_name)
);

-- A session is over at idle_until, which is never later than expires_at.
CREATE TABLE main.sessions (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES main.accounts (id) ON DELETE CASCADE,
	auth_time BIGINT,
	amr TEXT,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	last_seen_at BIGINT,
	expires_at BIGINT NOT NULL,
	idle_until BIGINT NOT NULL CHECK (idle_until <= expires_at)
);

CREATE INDEX sessions_by_account ON main.sessions (account_id);

CREATE INDEX sessions_by_end ON main.sessions (idle_until);

CREATE TABLE main.consents (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at BIGINT NOT NULL,
	decided_at BIGINT NOT NULL,
	last_used_at BIGINT,
	PRIMARY KEY (subject, client_id)
);

-- Grants and tokens are written by every sign-in: each index here is paid for a
-- million times. The first serves the user's and the application's revocations,
-- the second the sweep. Ending all grants of a client reads the whole table.
CREATE TABLE main.grants (
	id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
	flow BYTEA NOT NULL UNIQUE CHECK (length(flow) = 32),
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
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

CREATE INDEX grants_by_subject ON main.grants (subject, client_id);

CREATE INDEX grants_by_end ON main.grants (expires_at);

-- kind: 1 authorization code, 2 access token, 3 refresh token.
CREATE TABLE main.tokens (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	kind BIGINT NOT NULL CHECK (kind IN (1, 2, 3)),
	grant_id BYTEA NOT NULL REFERENCES main.grants (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	spent_at BIGINT
);

CREATE INDEX tokens_by_grant ON main.tokens (grant_id);

-- Only access tokens are swept before their grant.
CREATE INDEX access_tokens_by_end ON main.tokens (expires_at) WHERE kind = 2;

CREATE TABLE main.tickets (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	purpose TEXT NOT NULL CHECK (purpose <> ''),
	subject TEXT NOT NULL,
	payload BYTEA,
	expires_at BIGINT NOT NULL,
	UNIQUE (purpose, subject)
);

CREATE INDEX tickets_by_end ON main.tickets (expires_at);

CREATE TABLE main.keys (
	generation BIGINT NOT NULL PRIMARY KEY CHECK (generation > 0),
	id TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sealed BYTEA NOT NULL,
	created_at BIGINT NOT NULL,
	use_from BIGINT NOT NULL
);

-- drained_at is when the bucket is empty again (the theoretical arrival time of
-- the generic cell rate algorithm); a bucket that is empty needs no row.
CREATE TABLE main.attempts (
	bucket BYTEA NOT NULL PRIMARY KEY CHECK (length(bucket) = 32),
	drained_at BIGINT NOT NULL
);

CREATE INDEX attempts_by_end ON main.attempts (drained_at);

CREATE TABLE main.events (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at BIGINT NOT NULL,
	name TEXT NOT NULL CHECK (name <> ''),
	subject TEXT NOT NULL,
	client_id TEXT NOT NULL,
	address TEXT NOT NULL,
	detail TEXT NOT NULL
);

CREATE INDEX events_by_subject ON main.events (subject, id);

CREATE INDEX events_by_client ON main.events (client_id, id);

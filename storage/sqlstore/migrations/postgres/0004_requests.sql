-- What an authorization request may ask for beside scopes: single claims, and the
-- resource servers that its tokens are for. sid names the session to the application.
ALTER TABLE main.grants ADD COLUMN claims TEXT NOT NULL DEFAULT '';

ALTER TABLE main.grants ADD COLUMN resources TEXT;

ALTER TABLE main.grants ADD COLUMN sid TEXT NOT NULL DEFAULT '';

ALTER TABLE main.tokens ADD COLUMN resources TEXT;

ALTER TABLE main.consents ADD COLUMN resources TEXT;

-- Applications that are told when a session ends. Whichever way a session goes, what is
-- left of it here has none, and is due at next_at. A session that the host keeps has no
-- row of ours, and host_session where the host names it: next_at is NULL until the host
-- says that it has ended, and after expires_at it is given up.
CREATE TABLE main.client_sessions (
	id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 32),
	session BYTEA REFERENCES main.sessions (digest) ON DELETE SET NULL,
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	sid TEXT NOT NULL,
	host_session BYTEA,
	created_at BIGINT NOT NULL,
	expires_at BIGINT,
	next_at BIGINT,
	attempts BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX client_sessions_by_session ON main.client_sessions (session) WHERE session IS NOT NULL;

CREATE INDEX client_sessions_by_client ON main.client_sessions (client_id);

CREATE INDEX client_sessions_by_subject ON main.client_sessions (subject);

CREATE INDEX client_sessions_due ON main.client_sessions (next_at) WHERE session IS NULL;

CREATE INDEX client_sessions_by_end ON main.client_sessions (expires_at) WHERE expires_at IS NOT NULL;

-- What may be presented once, such as the jti of an assertion.
CREATE TABLE main.used_ids (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	expires_at BIGINT NOT NULL
);

CREATE INDEX used_ids_by_end ON main.used_ids (expires_at);

-- Authorization requests that were pushed, sealed.
CREATE TABLE main.pushed_requests (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	payload BYTEA NOT NULL,
	expires_at BIGINT NOT NULL
);

CREATE INDEX pushed_requests_by_client ON main.pushed_requests (client_id);

CREATE INDEX pushed_requests_by_end ON main.pushed_requests (expires_at);

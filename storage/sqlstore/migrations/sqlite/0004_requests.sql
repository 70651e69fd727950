-- What an authorization request may ask for beside scopes: single claims, and the
-- resource servers that its tokens are for. sid names the session to the application.
ALTER TABLE grants ADD COLUMN claims TEXT NOT NULL DEFAULT '';

ALTER TABLE grants ADD COLUMN resources TEXT;

ALTER TABLE grants ADD COLUMN sid TEXT NOT NULL DEFAULT '';

ALTER TABLE tokens ADD COLUMN resources TEXT;

ALTER TABLE consents ADD COLUMN resources TEXT;

-- Applications that are told when a session ends. Whichever way a session goes, what is
-- left of it here has none, and is due at next_at. A session that the host keeps has no
-- row of ours, and host_session where the host names it: next_at is NULL until the host
-- says that it has ended, and after expires_at it is given up.
CREATE TABLE client_sessions (
	id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 32),
	session BLOB REFERENCES sessions (digest) ON DELETE SET NULL,
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	sid TEXT NOT NULL,
	host_session BLOB,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	next_at INTEGER,
	attempts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX client_sessions_by_session ON client_sessions (session) WHERE session IS NOT NULL;

CREATE INDEX client_sessions_by_client ON client_sessions (client_id);

CREATE INDEX client_sessions_by_subject ON client_sessions (subject);

CREATE INDEX client_sessions_due ON client_sessions (next_at) WHERE session IS NULL;

CREATE INDEX client_sessions_by_end ON client_sessions (expires_at) WHERE expires_at IS NOT NULL;

-- What may be presented once, such as the jti of an assertion.
CREATE TABLE used_ids (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_ids_by_end ON used_ids (expires_at);

-- Authorization requests that were pushed, sealed.
CREATE TABLE pushed_requests (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	payload BLOB NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX pushed_requests_by_client ON pushed_requests (client_id);

CREATE INDEX pushed_requests_by_end ON pushed_requests (expires_at);

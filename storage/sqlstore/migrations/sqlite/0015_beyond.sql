-- The applications that have exchanged a token for this one (act of RFC 8693), the latest first.
-- NULL for a token that nobody has exchanged.
ALTER TABLE tokens ADD COLUMN actors TEXT;

-- Hosts whose clients are kept out that nobody has registered, with all hosts below them.
CREATE TABLE denied_hosts (
	host TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (host <> ''),
	reason TEXT NOT NULL,
	denied_by TEXT NOT NULL,
	denied_at INTEGER NOT NULL
) STRICT;

-- When a client that nobody has registered was first stored, at the hosts under which it is
-- listed. NULL at other hosts. Run records the hosts of those of before again.
ALTER TABLE client_hosts ADD COLUMN listed_at INTEGER;

CREATE INDEX client_hosts_listed ON client_hosts (host, listed_at, client_id) WHERE listed_at IS NOT NULL;

UPDATE clients SET hosts = 0 WHERE origin <> '';

-- The people of a client, and the clients that somebody has registered.
CREATE INDEX consents_by_client ON consents (client_id);

CREATE INDEX clients_registered ON clients (id) WHERE origin = '';

-- What is counted of cases is counted by kind, so that nothing is sorted for it.
DROP INDEX cases_by_start;

CREATE INDEX cases_by_kind ON cases (group_name, method, state, created_at, due_at, ended_at);

-- The name is in the index of who acts, so that a line of another name is not read.
DROP INDEX events_by_actor;

CREATE INDEX events_by_actor ON events (actor, id, name) WHERE actor <> '';

-- Initial access tokens (RFC 7591 section 3), with which programs register applications of an
-- organization. remaining counts the registrations that are left.
CREATE TABLE registration_tokens (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
	environment TEXT NOT NULL,
	name TEXT NOT NULL,
	hosts TEXT,
	remaining INTEGER NOT NULL CHECK (remaining >= 0),
	made_by TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX registration_tokens_by_organization ON registration_tokens (organization_id, expires_at);

CREATE INDEX registration_tokens_by_end ON registration_tokens (expires_at, digest);

-- The applications that have exchanged a token for this one (act of RFC 8693), the latest first.
-- NULL for a token that nobody has exchanged.
ALTER TABLE main.tokens ADD COLUMN actors TEXT;

-- Hosts whose clients are kept out that nobody has registered, with all hosts below them.
CREATE TABLE main.denied_hosts (
	host TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (host <> ''),
	reason TEXT NOT NULL,
	denied_by TEXT NOT NULL,
	denied_at BIGINT NOT NULL
);

-- When a client that nobody has registered was first stored, at the hosts under which it is
-- listed. NULL at other hosts. Run records the hosts of those of before again.
ALTER TABLE main.client_hosts ADD COLUMN listed_at BIGINT;

CREATE INDEX client_hosts_listed ON main.client_hosts (host, listed_at, client_id) WHERE listed_at IS NOT NULL;

UPDATE main.clients SET hosts = 0 WHERE origin <> '';

-- The people of a client, and the clients that somebody has registered.
CREATE INDEX consents_by_client ON main.consents (client_id);

CREATE INDEX clients_registered ON main.clients (id) WHERE origin = '';

-- What is counted of cases is counted by kind, so that nothing is sorted for it.
DROP INDEX main.cases_by_start;

CREATE INDEX cases_by_kind ON main.cases (group_name, method, state, created_at, due_at, ended_at);

-- The name is in the index of who acts, so that a line of another name is not read.
DROP INDEX main.events_by_actor;

CREATE INDEX events_by_actor ON main.events (actor, id, name) WHERE actor <> '';

-- Initial access tokens (RFC 7591 section 3), with which programs register applications of an
-- organization. remaining counts the registrations that are left.
CREATE TABLE main.registration_tokens (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	organization_id TEXT NOT NULL REFERENCES main.organizations (id) ON DELETE CASCADE,
	environment TEXT NOT NULL,
	name TEXT NOT NULL,
	hosts TEXT,
	remaining BIGINT NOT NULL CHECK (remaining >= 0),
	made_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);

CREATE INDEX registration_tokens_by_organization ON main.registration_tokens (organization_id, expires_at);

CREATE INDEX registration_tokens_by_end ON main.registration_tokens (expires_at, digest);

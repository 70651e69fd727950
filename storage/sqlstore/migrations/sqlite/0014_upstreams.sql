-- The identities of accounts at upstream providers. What is sealed is sealed by the provider.
CREATE TABLE links (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	upstream TEXT NOT NULL CHECK (upstream <> ''),
	issuer TEXT NOT NULL,
	sealed_subject TEXT NOT NULL,
	sealed_name TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_account ON links (account_id);

-- The algorithm of a signing key.
ALTER TABLE keys ADD COLUMN alg TEXT NOT NULL DEFAULT 'RS256';

-- The key to which a code or a token is bound: its SHA-256 thumbprint (RFC 9449). NULL for a
-- bearer.
ALTER TABLE tokens ADD COLUMN jkt BLOB CHECK (length(jkt) = 32);

-- Clients that nobody has registered: where they come from, and when they may be removed.
ALTER TABLE clients ADD COLUMN origin TEXT COLLATE BINARY NOT NULL DEFAULT '';

ALTER TABLE clients ADD COLUMN expires_at INTEGER;

CREATE INDEX clients_by_origin ON clients (origin, id) WHERE origin <> '';

CREATE INDEX clients_by_end ON clients (expires_at, id) WHERE expires_at IS NOT NULL;

-- People who have been deleted, and of whom more is left than one step removes: events that
-- are to get the pseudonym, and grants that have ended.
CREATE TABLE departed (
	subject TEXT NOT NULL PRIMARY KEY CHECK (subject <> ''),
	pseudonym TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests of devices (RFC 8628), pending, allowed or denied. An allowed one has a grant, whose
-- flow is its digest.
CREATE TABLE device_codes (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	user_code BLOB NOT NULL UNIQUE CHECK (length(user_code) = 32),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	scopes TEXT,
	resources TEXT,
	jkt BLOB CHECK (length(jkt) = 32),
	address TEXT NOT NULL,
	state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX device_codes_by_client ON device_codes (client_id);

CREATE INDEX device_codes_by_end ON device_codes (expires_at);

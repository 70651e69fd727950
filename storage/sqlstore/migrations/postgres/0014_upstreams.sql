-- The identities of accounts at upstream providers. What is sealed is sealed by the provider.
CREATE TABLE main.links (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES main.accounts (id) ON DELETE CASCADE,
	upstream TEXT NOT NULL CHECK (upstream <> ''),
	issuer TEXT NOT NULL,
	sealed_subject TEXT NOT NULL,
	sealed_name TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT
);

CREATE INDEX links_by_account ON main.links (account_id);

-- The algorithm of a signing key.
ALTER TABLE main.keys ADD COLUMN alg TEXT NOT NULL DEFAULT 'RS256';

-- The key to which a code or a token is bound: its SHA-256 thumbprint (RFC 9449). NULL for a
-- bearer.
ALTER TABLE main.tokens ADD COLUMN jkt BYTEA CHECK (length(jkt) = 32);

-- Clients that nobody has registered: where they come from, and when they may be removed.
ALTER TABLE main.clients ADD COLUMN origin TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE main.clients ADD COLUMN expires_at BIGINT;

CREATE INDEX clients_by_origin ON main.clients (origin, id) WHERE origin <> '';

CREATE INDEX clients_by_end ON main.clients (expires_at, id) WHERE expires_at IS NOT NULL;

-- People who have been deleted, and of whom more is left than one step removes: events that
-- are to get the pseudonym, and grants that have ended.
CREATE TABLE main.departed (
	subject TEXT NOT NULL PRIMARY KEY CHECK (subject <> ''),
	pseudonym TEXT NOT NULL
);

-- Requests of devices (RFC 8628), pending, allowed or denied. An allowed one has a grant, whose
-- flow is its digest.
CREATE TABLE main.device_codes (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	user_code BYTEA NOT NULL UNIQUE CHECK (length(user_code) = 32),
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	scopes TEXT,
	resources TEXT,
	jkt BYTEA CHECK (length(jkt) = 32),
	address TEXT NOT NULL,
	state BIGINT NOT NULL CHECK (state BETWEEN 1 AND 3),
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);

CREATE INDEX device_codes_by_client ON main.device_codes (client_id);

CREATE INDEX device_codes_by_end ON main.device_codes (expires_at);

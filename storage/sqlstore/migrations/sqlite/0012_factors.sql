-- A program from before this schema signs in by the password alone. No account has a second
-- step until a program of this schema has recorded one, and until then no column that it
-- reads means anything else.

-- What an account has beside its password is counted by factors_version: each change begins
-- the next. The user handle is what authenticators know the account by.
ALTER TABLE accounts ADD COLUMN factors_version INTEGER NOT NULL DEFAULT 0;

ALTER TABLE accounts ADD COLUMN second_step INTEGER NOT NULL DEFAULT 0 CHECK (second_step IN (0, 1));

ALTER TABLE accounts ADD COLUMN user_handle BLOB;

CREATE UNIQUE INDEX accounts_by_user_handle ON accounts (user_handle) WHERE user_handle IS NOT NULL;

-- The proofs that were given in a session, as the type factors of sqlstore writes them.
ALTER TABLE sessions ADD COLUMN factors TEXT;

ALTER TABLE grants ADD COLUMN assurance INTEGER NOT NULL DEFAULT 0;

-- What is sealed is sealed by the provider.
CREATE TABLE passkeys (
	id BLOB NOT NULL PRIMARY KEY CHECK (length(id) > 0),
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	rp_id TEXT NOT NULL,
	sealed_name TEXT NOT NULL,
	sealed_key BLOB NOT NULL,
	flags INTEGER NOT NULL,
	sign_count INTEGER NOT NULL,
	aaguid BLOB NOT NULL CHECK (length(aaguid) = 16),
	transports TEXT,
	discoverable INTEGER NOT NULL CHECK (discoverable IN (0, 1)),
	created_at INTEGER NOT NULL,
	last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- step is the time step of the last accepted code.
CREATE TABLE totp (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	sealed_secret BLOB NOT NULL,
	step INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_code_sets (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	sealed_salt BLOB NOT NULL,
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The codes of a set that are not spent.
CREATE TABLE recovery_codes (
	account_id TEXT NOT NULL REFERENCES recovery_code_sets (account_id) ON DELETE CASCADE,
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	PRIMARY KEY (account_id, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE trusted_devices (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX trusted_devices_by_account ON trusted_devices (account_id);

CREATE INDEX trusted_devices_by_end ON trusted_devices (expires_at);

-- A recovery is of the epoch in which it was begun, and over in the next one.
CREATE TABLE recoveries (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	epoch INTEGER NOT NULL,
	started_at INTEGER NOT NULL,
	ready_at INTEGER NOT NULL,
	ends_at INTEGER NOT NULL,
	approved_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX recoveries_by_end ON recoveries (ends_at);

-- When an address was changed: what the account has got since goes with the change. NULL for
-- one of before any account had such a thing.
ALTER TABLE email_returns ADD COLUMN changed_at INTEGER;

-- The relying party ID of the passkeys.
ALTER TABLE installation ADD COLUMN rp_id TEXT NOT NULL DEFAULT '';

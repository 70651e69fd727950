-- A program from before this schema signs in by the password alone. No account has a second
-- step until a program of this schema has recorded one, and until then no column that it
-- reads means anything else.

-- What an account has beside its password is counted by factors_version: each change begins
-- the next. The user handle is what authenticators know the account by.
ALTER TABLE main.accounts ADD COLUMN factors_version BIGINT NOT NULL DEFAULT 0;

ALTER TABLE main.accounts ADD COLUMN second_step BIGINT NOT NULL DEFAULT 0 CHECK (second_step IN (0, 1));

ALTER TABLE main.accounts ADD COLUMN user_handle BYTEA;

CREATE UNIQUE INDEX accounts_by_user_handle ON main.accounts (user_handle) WHERE user_handle IS NOT NULL;

-- The proofs that were given in a session, as the type factors of sqlstore writes them.
ALTER TABLE main.sessions ADD COLUMN factors TEXT;

ALTER TABLE main.grants ADD COLUMN assurance BIGINT NOT NULL DEFAULT 0;

-- What is sealed is sealed by the provider.
CREATE TABLE main.passkeys (
	id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) > 0),
	account_id TEXT NOT NULL REFERENCES main.accounts (id) ON DELETE CASCADE,
	rp_id TEXT NOT NULL,
	sealed_name TEXT NOT NULL,
	sealed_key BYTEA NOT NULL,
	flags BIGINT NOT NULL,
	sign_count BIGINT NOT NULL,
	aaguid BYTEA NOT NULL CHECK (length(aaguid) = 16),
	transports TEXT,
	discoverable BIGINT NOT NULL CHECK (discoverable IN (0, 1)),
	created_at BIGINT NOT NULL,
	last_used_at BIGINT
);

CREATE INDEX passkeys_by_account ON main.passkeys (account_id);

-- step is the time step of the last accepted code.
CREATE TABLE main.totp (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES main.accounts (id) ON DELETE CASCADE,
	sealed_secret BYTEA NOT NULL,
	step BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT
);

CREATE TABLE main.recovery_code_sets (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES main.accounts (id) ON DELETE CASCADE,
	sealed_salt BYTEA NOT NULL,
	created_at BIGINT NOT NULL
);

-- The codes of a set that are not spent.
CREATE TABLE main.recovery_codes (
	account_id TEXT NOT NULL REFERENCES main.recovery_code_sets (account_id) ON DELETE CASCADE,
	digest BYTEA NOT NULL CHECK (length(digest) = 32),
	PRIMARY KEY (account_id, digest)
);

CREATE TABLE main.trusted_devices (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES main.accounts (id) ON DELETE CASCADE,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);

CREATE INDEX trusted_devices_by_account ON main.trusted_devices (account_id);

CREATE INDEX trusted_devices_by_end ON main.trusted_devices (expires_at);

-- A recovery is of the epoch in which it was begun, and over in the next one.
CREATE TABLE main.recoveries (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES main.accounts (id) ON DELETE CASCADE,
	epoch BIGINT NOT NULL,
	started_at BIGINT NOT NULL,
	ready_at BIGINT NOT NULL,
	ends_at BIGINT NOT NULL,
	approved_at BIGINT
);

CREATE INDEX recoveries_by_end ON main.recoveries (ends_at);

-- When an address was changed: what the account has got since goes with the change. NULL for
-- one of before any account had such a thing.
ALTER TABLE main.email_returns ADD COLUMN changed_at BIGINT;

-- The relying party ID of the passkeys.
ALTER TABLE main.installation ADD COLUMN rp_id TEXT NOT NULL DEFAULT '';

-- An account that got another e-mail address can be taken back by the owner of the former
-- one until then. The epoch is the one that the change began.
CREATE TABLE main.email_returns (
	account_id TEXT NOT NULL REFERENCES main.accounts (id) ON DELETE CASCADE,
	epoch BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (account_id, epoch)
);

CREATE INDEX email_returns_by_end ON main.email_returns (expires_at);

-- Why a verification was refused, sealed by the provider; empty for none.
ALTER TABLE main.statuses ADD COLUMN sealed_reason TEXT NOT NULL DEFAULT '';

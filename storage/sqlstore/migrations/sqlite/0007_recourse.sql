-- An account that got another e-mail address can be taken back by the owner of the former
-- one until then. The epoch is the one that the change began.
CREATE TABLE email_returns (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	epoch INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	PRIMARY KEY (account_id, epoch)
) STRICT, WITHOUT ROWID;

CREATE INDEX email_returns_by_end ON email_returns (expires_at);

-- Why a verification was refused, sealed by the provider; empty for none.
ALTER TABLE statuses ADD COLUMN sealed_reason TEXT NOT NULL DEFAULT '';

-- What an application asked for and its user left out.
ALTER TABLE consents ADD COLUMN left_out TEXT;

-- What is being verified, and where a status came from.
ALTER TABLE statuses ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;

ALTER TABLE statuses ADD COLUMN source TEXT NOT NULL DEFAULT '';

ALTER TABLE statuses ADD COLUMN method TEXT NOT NULL DEFAULT '';

-- What the owner of an account has chosen, and when it is to be removed.
ALTER TABLE accounts ADD COLUMN language TEXT NOT NULL DEFAULT '';

ALTER TABLE accounts ADD COLUMN delete_at INTEGER;

CREATE INDEX accounts_by_deletion ON accounts (delete_at) WHERE delete_at IS NOT NULL;

-- What an application asked for and its user left out.
ALTER TABLE main.consents ADD COLUMN left_out TEXT;

-- What is being verified, and where a status came from.
ALTER TABLE main.statuses ADD COLUMN pending BIGINT NOT NULL DEFAULT 0;

ALTER TABLE main.statuses ADD COLUMN source TEXT NOT NULL DEFAULT '';

ALTER TABLE main.statuses ADD COLUMN method TEXT NOT NULL DEFAULT '';

-- What the owner of an account has chosen, and when it is to be removed.
ALTER TABLE main.accounts ADD COLUMN language TEXT NOT NULL DEFAULT '';

ALTER TABLE main.accounts ADD COLUMN delete_at BIGINT;

CREATE INDEX accounts_by_deletion ON main.accounts (delete_at) WHERE delete_at IS NOT NULL;

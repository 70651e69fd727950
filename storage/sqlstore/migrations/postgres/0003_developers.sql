-- The last use of each secret of a client, which is known by when it was made.
CREATE TABLE main.secret_uses (
	client_id TEXT NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	secret_created_at BIGINT NOT NULL,
	used_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, secret_created_at)
);

-- What follows belongs to the dashboard. A step that changes who or what belongs to an
-- organization, or counts it, locks the row of the organization first.
CREATE TABLE main.organizations (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	name TEXT NOT NULL,
	contact BYTEA,
	created_at BIGINT NOT NULL,
	version BIGINT NOT NULL
);

-- Who is a member of an organization, or was: the row that is locked while the
-- organizations of a user are counted.
CREATE TABLE main.developers (
	user_id TEXT NOT NULL PRIMARY KEY CHECK (user_id <> '')
);

CREATE TABLE main.members (
	organization_id TEXT NOT NULL REFERENCES main.organizations (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES main.developers (user_id),
	role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
	joined_at BIGINT NOT NULL,
	PRIMARY KEY (organization_id, user_id)
);

CREATE INDEX members_by_user ON main.members (user_id, organization_id);

CREATE TABLE main.invitations (
	token BYTEA NOT NULL PRIMARY KEY CHECK (length(token) = 32),
	organization_id TEXT NOT NULL REFERENCES main.organizations (id) ON DELETE CASCADE,
	role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
	email BYTEA,
	invited_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);

CREATE INDEX invitations_by_organization ON main.invitations (organization_id, expires_at);

CREATE INDEX invitations_by_end ON main.invitations (expires_at);

-- Changes stay when their organization goes.
CREATE TABLE main.changes (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	organization_id TEXT NOT NULL CHECK (organization_id <> ''),
	at BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	environment TEXT NOT NULL,
	client_id TEXT NOT NULL,
	what TEXT NOT NULL CHECK (what <> ''),
	fields TEXT
);

CREATE INDEX changes_by_organization ON main.changes (organization_id, id);

CREATE INDEX changes_by_client ON main.changes (organization_id, client_id, id);

-- The number stands for environment and client in the tables below, which may have
-- millions of rows. sort_name is the name in lower case, as the store has made it: no
-- two databases agree on that of other alphabets.
CREATE TABLE main.applications (
	number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('production', 'sandbox')),
	client_id TEXT COLLATE "C" NOT NULL CHECK (client_id <> ''),
	organization_id TEXT NOT NULL REFERENCES main.organizations (id),
	name TEXT NOT NULL,
	sort_name TEXT COLLATE "C" NOT NULL,
	kind TEXT NOT NULL,
	review TEXT NOT NULL CHECK (review IN ('', 'asked', 'approved', 'refused')),
	document TEXT,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT,
	version BIGINT NOT NULL,
	UNIQUE (environment, client_id)
);

-- Each has all that a list is searched by, so that only what is found is read.
CREATE INDEX applications_by_organization ON main.applications (organization_id, sort_name, client_id, environment);

CREATE INDEX applications_by_name ON main.applications (sort_name, client_id, environment);

CREATE INDEX applications_to_review ON main.applications (sort_name, client_id, environment) WHERE review = 'asked';

CREATE TABLE main.request_log (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	application BIGINT NOT NULL REFERENCES main.applications (number) ON DELETE CASCADE,
	at BIGINT NOT NULL,
	event TEXT NOT NULL CHECK (event <> ''),
	outcome TEXT NOT NULL CHECK (outcome <> ''),
	error TEXT NOT NULL,
	cause TEXT NOT NULL,
	details TEXT,
	request_id TEXT NOT NULL,
	pseudonym TEXT NOT NULL,
	address TEXT NOT NULL
);

CREATE INDEX request_log_by_application ON main.request_log (application, id);

CREATE INDEX request_log_by_event ON main.request_log (application, event, id);

-- What is looked for is what went wrong, which is not most of it. Behind the id is what
-- else is asked about it, so that only what is found is read.
CREATE INDEX request_log_by_outcome ON main.request_log (application, outcome, id, error, event) WHERE outcome <> 'ok';

CREATE INDEX request_log_by_error ON main.request_log (application, error, id, outcome, event) WHERE error <> '';

CREATE INDEX request_log_by_request ON main.request_log (application, request_id, id);

CREATE INDEX request_log_by_time ON main.request_log (at);

-- day is the first moment of the day.
CREATE TABLE main.log_days (
	application BIGINT NOT NULL REFERENCES main.applications (number) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	event TEXT NOT NULL,
	outcome TEXT NOT NULL,
	error TEXT NOT NULL,
	lines BIGINT NOT NULL CHECK (lines > 0),
	PRIMARY KEY (application, day, event, outcome, error)
);

CREATE INDEX log_days_by_day ON main.log_days (day);

CREATE TABLE main.faults (
	application BIGINT NOT NULL PRIMARY KEY REFERENCES main.applications (number) ON DELETE CASCADE,
	name TEXT NOT NULL CHECK (name <> ''),
	expires_at BIGINT NOT NULL
);

-- clock_offset is in nanoseconds.
CREATE TABLE main.sandbox_settings (
	organization_id TEXT NOT NULL PRIMARY KEY REFERENCES main.organizations (id) ON DELETE CASCADE,
	personas TEXT,
	clock_offset BIGINT NOT NULL,
	version BIGINT NOT NULL
);

CREATE TABLE main.sandbox_mails (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	organization_id TEXT NOT NULL REFERENCES main.organizations (id) ON DELETE CASCADE,
	at BIGINT NOT NULL,
	content BYTEA NOT NULL
);

CREATE INDEX sandbox_mails_by_organization ON main.sandbox_mails (organization_id, id);

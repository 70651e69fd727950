-- The last use of each secret of a client, which is known by when it was made.
CREATE TABLE secret_uses (
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	secret_created_at INTEGER NOT NULL,
	used_at INTEGER NOT NULL,
	PRIMARY KEY (client_id, secret_created_at)
) STRICT, WITHOUT ROWID;

-- What follows belongs to the dashboard. A step that changes who or what belongs to an
-- organization, or counts it, locks the row of the organization first.
CREATE TABLE organizations (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	name TEXT NOT NULL,
	contact BLOB,
	created_at INTEGER NOT NULL,
	version INTEGER NOT NULL
) STRICT;

-- Who is a member of an organization, or was: the row that is locked while the
-- organizations of a user are counted.
CREATE TABLE developers (
	user_id TEXT NOT NULL PRIMARY KEY CHECK (user_id <> '')
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
	organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES developers (user_id),
	role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
	joined_at INTEGER NOT NULL,
	PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_user ON members (user_id, organization_id);

CREATE TABLE invitations (
	token BLOB NOT NULL PRIMARY KEY CHECK (length(token) = 32),
	organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
	role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
	email BLOB,
	invited_by TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX invitations_by_organization ON invitations (organization_id, expires_at);

CREATE INDEX invitations_by_end ON invitations (expires_at);

-- Changes stay when their organization goes.
CREATE TABLE changes (
	id INTEGER PRIMARY KEY,
	organization_id TEXT NOT NULL CHECK (organization_id <> ''),
	at INTEGER NOT NULL,
	user_id TEXT NOT NULL,
	environment TEXT NOT NULL,
	client_id TEXT NOT NULL,
	what TEXT NOT NULL CHECK (what <> ''),
	fields TEXT
) STRICT;

CREATE INDEX changes_by_organization ON changes (organization_id, id);

CREATE INDEX changes_by_client ON changes (organization_id, client_id, id);

-- The number stands for environment and client in the tables below, which may have
-- millions of rows. sort_name is the name in lower case, as the store has made it: no
-- two databases agree on that of other alphabets.
CREATE TABLE applications (
	number INTEGER PRIMARY KEY,
	environment TEXT COLLATE BINARY NOT NULL CHECK (environment IN ('production', 'sandbox')),
	client_id TEXT COLLATE BINARY NOT NULL CHECK (client_id <> ''),
	organization_id TEXT NOT NULL REFERENCES organizations (id),
	name TEXT NOT NULL,
	sort_name TEXT COLLATE BINARY NOT NULL,
	kind TEXT NOT NULL,
	review TEXT NOT NULL CHECK (review IN ('', 'asked', 'approved', 'refused')),
	document TEXT,
	created_by TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER,
	version INTEGER NOT NULL,
	UNIQUE (environment, client_id)
) STRICT;

-- Each has all that a list is searched by, so that only what is found is read.
CREATE INDEX applications_by_organization ON applications (organization_id, sort_name, client_id, environment);

CREATE INDEX applications_by_name ON applications (sort_name, client_id, environment);

CREATE INDEX applications_to_review ON applications (sort_name, client_id, environment) WHERE review = 'asked';

CREATE TABLE request_log (
	id INTEGER PRIMARY KEY,
	application INTEGER NOT NULL REFERENCES applications (number) ON DELETE CASCADE,
	at INTEGER NOT NULL,
	event TEXT NOT NULL CHECK (event <> ''),
	outcome TEXT NOT NULL CHECK (outcome <> ''),
	error TEXT NOT NULL,
	cause TEXT NOT NULL,
	details TEXT,
	request_id TEXT NOT NULL,
	pseudonym TEXT NOT NULL,
	address TEXT NOT NULL
) STRICT;

CREATE INDEX request_log_by_application ON request_log (application, id);

CREATE INDEX request_log_by_event ON request_log (application, event, id);

-- What is looked for is what went wrong, which is not most of it. Behind the id is what
-- else is asked about it, so that only what is found is read.
CREATE INDEX request_log_by_outcome ON request_log (application, outcome, id, error, event) WHERE outcome <> 'ok';

CREATE INDEX request_log_by_error ON request_log (application, error, id, outcome, event) WHERE error <> '';

CREATE INDEX request_log_by_request ON request_log (application, request_id, id);

CREATE INDEX request_log_by_time ON request_log (at);

-- day is the first moment of the day.
CREATE TABLE log_days (
	application INTEGER NOT NULL REFERENCES applications (number) ON DELETE CASCADE,
	day INTEGER NOT NULL,
	event TEXT NOT NULL,
	outcome TEXT NOT NULL,
	error TEXT NOT NULL,
	lines INTEGER NOT NULL CHECK (lines > 0),
	PRIMARY KEY (application, day, event, outcome, error)
) STRICT, WITHOUT ROWID;

CREATE INDEX log_days_by_day ON log_days (day);

CREATE TABLE faults (
	application INTEGER NOT NULL PRIMARY KEY REFERENCES applications (number) ON DELETE CASCADE,
	name TEXT NOT NULL CHECK (name <> ''),
	expires_at INTEGER NOT NULL
) STRICT;

-- clock_offset is in nanoseconds.
CREATE TABLE sandbox_settings (
	organization_id TEXT NOT NULL PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
	personas TEXT,
	clock_offset INTEGER NOT NULL,
	version INTEGER NOT NULL
) STRICT;

CREATE TABLE sandbox_mails (
	id INTEGER PRIMARY KEY,
	organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
	at INTEGER NOT NULL,
	content BLOB NOT NULL
) STRICT;

CREATE INDEX sandbox_mails_by_organization ON sandbox_mails (organization_id, id);

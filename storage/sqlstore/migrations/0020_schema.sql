-- The tables of every database, in the SQL of SQLite. Nothing here may be there already (no IF NOT
-- EXISTS): somebody else would own it and its triggers.
--
-- Times are microseconds since 1970 in UTC. NULL is "never" or "not yet"; what can be presented
-- as a credential always has an end.
CREATE TABLE images (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	media_type TEXT NOT NULL,
	bytes BLOB NOT NULL,
	silhouette BLOB
) STRICT;

-- What is queried are columns; the rest is one JSON document.
CREATE TABLE clients (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	registration TEXT NOT NULL,
	version INTEGER NOT NULL DEFAULT 1,
	deleted INTEGER GENERATED ALWAYS AS (CASE WHEN registration ->> 'deleted' = 1 THEN 1 END) VIRTUAL,
	-- Of clients that nobody has registered.
	origin TEXT COLLATE BINARY NOT NULL DEFAULT '',
	expires_at INTEGER
) STRICT;
CREATE INDEX clients_deleted ON clients (id) WHERE deleted = 1;
CREATE INDEX clients_by_origin ON clients (origin, id) WHERE origin <> '';
CREATE INDEX clients_by_end ON clients (id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX clients_registered ON clients (id) WHERE origin = '';

CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
	email TEXT NOT NULL,
	email_digest TEXT UNIQUE CHECK (email_digest <> ''),
	email_verified INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
	password_hash TEXT NOT NULL,
	password_changed_at INTEGER,
	disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
	created_at INTEGER NOT NULL,
	epoch INTEGER NOT NULL DEFAULT 0,
	language TEXT NOT NULL DEFAULT '',
	delete_at INTEGER,
	person_revision INTEGER NOT NULL DEFAULT 1,
	factors_version INTEGER NOT NULL DEFAULT 0,
	second_step INTEGER NOT NULL DEFAULT 0 CHECK (second_step IN (0, 1)),
	user_handle BLOB UNIQUE
) STRICT;
CREATE INDEX accounts_by_deletion ON accounts (id) WHERE delete_at IS NOT NULL;

-- A subject need not have an account: the host may keep its users elsewhere.
CREATE TABLE attributes (
	subject TEXT NOT NULL CHECK (subject <> ''),
	handle TEXT NOT NULL CHECK (handle <> ''),
	sealed_value TEXT NOT NULL,
	-- NULL for an attribute that was recorded before the host declared it findable, too.
	find BLOB CHECK (length(find) = 32),
	PRIMARY KEY (subject, handle)
) STRICT, WITHOUT ROWID;
CREATE INDEX attributes_by_value ON attributes (handle, find, subject) WHERE find IS NOT NULL;

CREATE TABLE statuses (
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
	verified_by TEXT NOT NULL,
	verified_at INTEGER,
	expires_at INTEGER,
	revision INTEGER NOT NULL DEFAULT 1,
	pending INTEGER NOT NULL DEFAULT 0,
	source TEXT NOT NULL DEFAULT '',
	method TEXT NOT NULL DEFAULT '',
	sealed_reason TEXT NOT NULL DEFAULT '',
	origin TEXT NOT NULL DEFAULT '',
	ended_told INTEGER NOT NULL DEFAULT 0 CHECK (ended_told IN (0, 1)),
	PRIMARY KEY (subject, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX statuses_by_end ON statuses (expires_at) WHERE verified = 1 AND ended_told = 0;

CREATE TABLE sessions (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	auth_time INTEGER,
	amr TEXT,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	last_seen_at INTEGER,
	expires_at INTEGER NOT NULL,
	idle_until INTEGER NOT NULL CHECK (idle_until <= expires_at),
	factors TEXT
) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (idle_until);

-- Grants and tokens are written by every sign-in: each index here is paid for a
-- million times. The first serves the user's and the application's revocations,
-- the second the sweep. Ending all grants of a client reads the whole table.
CREATE TABLE grants (
	id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
	flow BLOB NOT NULL UNIQUE CHECK (length(flow) = 32),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	scopes TEXT,
	redirect_uri TEXT NOT NULL,
	redirect_sent INTEGER NOT NULL CHECK (redirect_sent IN (0, 1)),
	response_type TEXT NOT NULL,
	nonce TEXT NOT NULL,
	eid TEXT NOT NULL,
	code_challenge TEXT NOT NULL,
	auth_time INTEGER,
	amr TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	revoked_at INTEGER,
	attributes TEXT,
	group_names TEXT,
	claims TEXT NOT NULL DEFAULT '',
	resources TEXT,
	sid TEXT NOT NULL DEFAULT '',
	assurance INTEGER NOT NULL DEFAULT 0,
	enrolled_at INTEGER,
	-- Until when it stays for what rests on it, beyond its tokens.
	kept_until INTEGER
) STRICT;
CREATE INDEX grants_by_subject ON grants (subject, client_id);
CREATE INDEX grants_by_end ON grants (coalesce(kept_until, expires_at));

-- kind: 1 authorization code, 2 access token, 3 refresh token.
CREATE TABLE tokens (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 3),
	grant_id BLOB NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	scopes TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	spent_at INTEGER,
	-- siblings is 1 when other tokens were issued in place of the same one.
	parent BLOB,
	siblings INTEGER NOT NULL DEFAULT 0,
	resources TEXT,
	jkt BLOB CHECK (length(jkt) = 32),
	actors TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_grant ON tokens (grant_id);
-- Only access tokens are swept before their grant.
CREATE INDEX access_tokens_by_end ON tokens (expires_at) WHERE kind = 2;

CREATE TABLE tickets (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	purpose TEXT NOT NULL CHECK (purpose <> ''),
	subject TEXT NOT NULL,
	payload BLOB,
	expires_at INTEGER NOT NULL,
	UNIQUE (purpose, subject)
) STRICT;
CREATE INDEX tickets_by_end ON tickets (expires_at);

CREATE TABLE keys (
	generation INTEGER NOT NULL PRIMARY KEY CHECK (generation > 0),
	id TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sealed BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	use_from INTEGER NOT NULL,
	alg TEXT NOT NULL DEFAULT 'RS256'
) STRICT;

-- drained_at is when the bucket is empty again (the theoretical arrival time of
-- the generic cell rate algorithm); a bucket that is empty needs no row.
CREATE TABLE attempts (
	bucket BLOB NOT NULL PRIMARY KEY CHECK (length(bucket) = 32),
	drained_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_end ON attempts (drained_at);

CREATE TABLE events (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	name TEXT NOT NULL CHECK (name <> ''),
	subject TEXT NOT NULL,
	client_id TEXT NOT NULL,
	address TEXT NOT NULL,
	detail TEXT NOT NULL,
	actor TEXT NOT NULL DEFAULT '',
	matter TEXT NOT NULL DEFAULT '',
	-- Turn orders events by the beginning of their steps, where these run beside each other.
	turn INTEGER NOT NULL DEFAULT (0)
) STRICT;
CREATE INDEX events_by_subject ON events (subject, id);
CREATE INDEX events_by_client ON events (client_id, id);
CREATE INDEX events_by_matter ON events (matter, id) WHERE matter <> '';
-- All names but those of nearly every event. Where one of these is absent the counts of the
-- blocks say so.
CREATE INDEX events_by_name ON events (name, id) WHERE name NOT IN ('sign_in', 'sign_out', 'consent', 'sign_in_failed');
-- The name is here so that a line of another name is not read.
CREATE INDEX events_by_actor ON events (actor, id, name) WHERE actor <> '';

CREATE TABLE consents (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	scopes TEXT,
	attributes TEXT,
	group_names TEXT,
	client_name TEXT NOT NULL,
	redirect_hosts TEXT,
	decision BLOB CHECK (length(decision) = 32),
	created_at INTEGER NOT NULL,
	decided_at INTEGER,
	last_used_at INTEGER,
	resources TEXT,
	left_out TEXT,
	PRIMARY KEY (subject, client_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX consents_by_client ON consents (client_id);

-- The client may be gone.
CREATE TABLE former_recipients (
	subject TEXT NOT NULL CHECK (subject <> ''),
	client_id TEXT NOT NULL,
	client_name TEXT NOT NULL,
	redirect_hosts TEXT,
	attributes TEXT,
	group_names TEXT,
	since INTEGER NOT NULL,
	until INTEGER NOT NULL,
	PRIMARY KEY (subject, client_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE installation (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	issuer TEXT NOT NULL,
	data_keys BLOB NOT NULL,
	rp_id TEXT NOT NULL DEFAULT '',
	end_before INTEGER
) STRICT;

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
	sealed_contact BLOB,
	created_at INTEGER NOT NULL,
	version INTEGER NOT NULL,
	-- Stays when there is an owner again: this is where to look for organizations without one.
	abandoned INTEGER NOT NULL DEFAULT 0,
	stopped_at INTEGER,
	stop_reason TEXT NOT NULL DEFAULT '',
	stopped_by TEXT NOT NULL DEFAULT '',
	-- The settings of its sandbox, whose offset is in nanoseconds.
	personas TEXT,
	clock_offset INTEGER NOT NULL DEFAULT 0,
	sandbox_version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX organizations_abandoned ON organizations (id) WHERE abandoned = 1;
CREATE INDEX organizations_stopped ON organizations (id) WHERE stopped_at IS NOT NULL;

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
	expires_at INTEGER NOT NULL,
	appoints INTEGER NOT NULL DEFAULT 0
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
CREATE INDEX changes_by_user ON changes (user_id);
CREATE INDEX changes_by_time ON changes (at, id);

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
	picture_bytes INTEGER NOT NULL DEFAULT 0,
	halt TEXT NOT NULL DEFAULT '' CHECK (halt IN ('', 'asked', 'begun', 'done', 'idle', 'over', 'alone')),
	deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1)),
	fault TEXT NOT NULL DEFAULT '',
	fault_until INTEGER CHECK (fault_until IS NOT NULL OR fault = ''),
	UNIQUE (environment, client_id)
) STRICT;
-- Each has all that a list is searched by, so that only what is found is read.
CREATE INDEX applications_by_organization ON applications (organization_id, sort_name, client_id, environment);
CREATE INDEX applications_by_name ON applications (sort_name, client_id, environment);
CREATE INDEX applications_to_review ON applications (sort_name, client_id, environment) WHERE review = 'asked';
CREATE INDEX applications_by_maker ON applications (created_by);
CREATE INDEX applications_halting ON applications (sort_name, client_id, environment) WHERE halt IN ('asked', 'begun', 'over', 'alone');
CREATE INDEX applications_deleting ON applications (sort_name, client_id, environment) WHERE deleting = 1;

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
	address TEXT NOT NULL,
	requests INTEGER NOT NULL DEFAULT 0,
	flow TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX request_log_by_application ON request_log (application, id);
CREATE INDEX request_log_by_event ON request_log (application, event, id);
-- What is looked for is what went wrong, which is not most of it. Behind the id is what
-- else is asked about it, so that only what is found is read.
CREATE INDEX request_log_by_outcome ON request_log (application, outcome, id, error, event) WHERE outcome <> 'ok';
CREATE INDEX request_log_by_error ON request_log (application, error, id, outcome, event) WHERE error <> '';
CREATE INDEX request_log_by_request ON request_log (application, request_id, id);
CREATE INDEX request_log_by_time ON request_log (at);
CREATE INDEX request_log_by_flow ON request_log (application, flow, id) WHERE flow <> '';
CREATE INDEX request_log_by_user ON request_log (application, pseudonym, id) WHERE pseudonym <> '';
-- What went well is kept by number: this is where to count it.
CREATE INDEX request_log_of_successes ON request_log (application, id) WHERE outcome = 'ok';

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

CREATE TABLE sandbox_mails (
	id INTEGER PRIMARY KEY,
	organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
	at INTEGER NOT NULL,
	content BLOB NOT NULL
) STRICT;
CREATE INDEX sandbox_mails_by_organization ON sandbox_mails (organization_id, id);

-- Applications that are told when a session ends. Whichever way a session goes, what is
-- left of it here has none, and is due at next_at. A session that the host keeps has no
-- row of ours, and host_session where the host names it: next_at is NULL until the host
-- says that it has ended, and after expires_at it is given up.
CREATE TABLE client_sessions (
	id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 32),
	session BLOB REFERENCES sessions (digest) ON DELETE SET NULL,
	client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	sid TEXT NOT NULL,
	host_session BLOB,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	next_at INTEGER,
	attempts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX client_sessions_by_session ON client_sessions (session) WHERE session IS NOT NULL;
CREATE INDEX client_sessions_by_client ON client_sessions (client_id);
CREATE INDEX client_sessions_by_subject ON client_sessions (subject);
CREATE INDEX client_sessions_due ON client_sessions (next_at) WHERE session IS NULL;
CREATE INDEX client_sessions_by_end ON client_sessions (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE used_ids (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_ids_by_end ON used_ids (expires_at);

-- Without a client are the long requests that browsers have brought.
CREATE TABLE pushed_requests (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	client_id TEXT REFERENCES clients (id) ON DELETE CASCADE,
	payload BLOB NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pushed_requests_by_client ON pushed_requests (client_id);
CREATE INDEX pushed_requests_by_end ON pushed_requests (expires_at);

-- Who was removed from an organization does not come back by an invitation that waited then.
CREATE TABLE barred (
	token BLOB NOT NULL REFERENCES invitations (token) ON DELETE CASCADE,
	user_id TEXT NOT NULL,
	PRIMARY KEY (token, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE clock (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	earliest_at INTEGER,
	agreed_at INTEGER,
	claimed_at INTEGER,
	last_at INTEGER,
	beyond INTEGER NOT NULL
) STRICT;

-- Organizations that have been deleted, as long as there are changes of theirs, and the last
-- of these: nobody reads them from then on, also where another gets the ID.
CREATE TABLE former_organizations (
	id TEXT NOT NULL PRIMARY KEY,
	last_change INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The epoch is the one that the change of the address began.
CREATE TABLE email_returns (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	epoch INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	changed_at INTEGER,
	PRIMARY KEY (account_id, epoch)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_returns_by_end ON email_returns (expires_at);

-- What follows belongs to verification. A step that changes or counts what belongs to a case
-- locks the row of the case first, after that of the account. status_revision is 0 for none,
-- and queued_at is a due_at in review, so that nobody looks for the queue by the state.
CREATE TABLE cases (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	state TEXT NOT NULL CHECK (state IN ('open', 'pending', 'review', 'approved', 'declined', 'withdrawn', 'expired')),
	version INTEGER NOT NULL,
	status_revision INTEGER NOT NULL,
	renewal INTEGER NOT NULL CHECK (renewal IN (0, 1)),
	appeals TEXT COLLATE BINARY CHECK (appeals <> ''),
	method TEXT NOT NULL,
	round INTEGER NOT NULL,
	escalated INTEGER NOT NULL CHECK (escalated IN (0, 1)),
	taken_by TEXT CHECK (taken_by <> ''),
	taken_until INTEGER CHECK ((taken_by IS NULL) = (taken_until IS NULL)),
	created_at INTEGER NOT NULL,
	due_at INTEGER CHECK (state <> 'review' OR due_at IS NOT NULL),
	queued_at INTEGER GENERATED ALWAYS AS (CASE WHEN state = 'review' THEN due_at END) VIRTUAL,
	next_at INTEGER,
	ended_at INTEGER CHECK ((state IN ('open', 'pending', 'review')) = (ended_at IS NULL)),
	content BLOB
) STRICT;
CREATE UNIQUE INDEX cases_not_final ON cases (subject, group_name) WHERE state IN ('open', 'pending', 'review');
CREATE INDEX cases_by_subject ON cases (subject, id);
CREATE INDEX cases_by_appeal ON cases (appeals) WHERE appeals IS NOT NULL;
CREATE INDEX cases_by_group ON cases (group_name, id);
CREATE INDEX cases_by_state ON cases (state, id);
CREATE INDEX cases_by_group_and_state ON cases (group_name, state, id);
-- Behind the place in the queue is what most cases are passed over for, and what is counted.
CREATE INDEX cases_in_review ON cases (queued_at, id, group_name, escalated, method, state) WHERE queued_at IS NOT NULL;
CREATE UNIQUE INDEX cases_taken ON cases (taken_by) WHERE taken_by IS NOT NULL;
CREATE INDEX cases_by_timer ON cases (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX cases_by_end ON cases (ended_at, id) WHERE ended_at IS NOT NULL;
-- What is counted of cases is counted by kind, so that nothing is sorted for it.
CREATE INDEX cases_by_kind ON cases (group_name, method, state, created_at, due_at, ended_at);

-- Who has taken a case, or did: the row that is locked while another one is taken.
CREATE TABLE reviewers (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> '')
) STRICT, WITHOUT ROWID;

-- What another side calls a case, and the messages of it that have been applied.
CREATE TABLE case_references (
	method TEXT NOT NULL CHECK (method <> '' OR is_message = 1),
	is_message INTEGER NOT NULL CHECK (is_message IN (0, 1)),
	reference TEXT NOT NULL CHECK (reference <> ''),
	case_id TEXT COLLATE BINARY NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
	PRIMARY KEY (method, is_message, reference)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_references_by_case ON case_references (case_id);

-- What other sides still have to delete of cases that are gone, with the person.
CREATE TABLE left_references (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	method TEXT NOT NULL CHECK (method <> ''),
	sealed_reference BLOB NOT NULL,
	left_at INTEGER NOT NULL,
	next_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX left_references_by_time ON left_references (next_at, id);

CREATE TABLE case_decisions (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	case_id TEXT COLLATE BINARY NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind <> ''),
	reviewer TEXT NOT NULL CHECK (reviewer <> ''),
	subject TEXT CHECK (subject <> ''),
	round INTEGER NOT NULL,
	at INTEGER NOT NULL,
	undone INTEGER NOT NULL CHECK (undone IN (0, 1)),
	content BLOB
) STRICT;
CREATE INDEX case_decisions_by_case ON case_decisions (case_id, id);
CREATE INDEX case_decisions_by_reviewer ON case_decisions (reviewer);
CREATE INDEX case_decisions_by_subject ON case_decisions (subject) WHERE subject IS NOT NULL;

-- One proof, one person. A fingerprint may outlive its case. free_at is NULL as long as the
-- status of the case is in force.
CREATE TABLE fingerprints (
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	kind TEXT NOT NULL CHECK (kind <> ''),
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	subject TEXT NOT NULL CHECK (subject <> ''),
	case_id TEXT COLLATE BINARY NOT NULL,
	free_at INTEGER,
	PRIMARY KEY (group_name, kind, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprints_by_case ON fingerprints (case_id);
CREATE INDEX fingerprints_by_subject ON fingerprints (subject);
CREATE INDEX fingerprints_by_end ON fingerprints (free_at) WHERE free_at IS NOT NULL;

CREATE TABLE evidence (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	case_id TEXT COLLATE BINARY NOT NULL REFERENCES cases (id),
	kind TEXT NOT NULL,
	media_type TEXT NOT NULL,
	size INTEGER NOT NULL CHECK (size >= 0),
	digest BLOB CHECK (length(digest) = 32),
	likeness INTEGER,
	sealed_key BLOB,
	added_at INTEGER NOT NULL,
	shred_at INTEGER,
	shredded_at INTEGER CHECK ((sealed_key IS NULL) = (shredded_at IS NOT NULL)),
	held_until INTEGER
) STRICT;
CREATE INDEX evidence_by_case ON evidence (case_id, id);
CREATE INDEX evidence_by_digest ON evidence (digest, case_id) WHERE digest IS NOT NULL;
CREATE INDEX evidence_by_likeness ON evidence (likeness, case_id) WHERE likeness IS NOT NULL;
CREATE INDEX evidence_to_shred ON evidence (shred_at, id) WHERE sealed_key IS NOT NULL;
CREATE INDEX evidence_held ON evidence (case_id, held_until) WHERE held_until IS NOT NULL;

-- Shredded content that is still to be deleted where it is kept.
CREATE TABLE evidence_leftovers (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- generation is 0 for none, here and in previous.
CREATE TABLE rosters (
	name TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
	generation INTEGER NOT NULL,
	previous INTEGER NOT NULL,
	imported_at INTEGER,
	imported_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The number stands for name and generation in the rows, of which there may be millions.
-- used is 1 once a generation has been in force, and removed once its rows are being removed:
-- then it never is again.
CREATE TABLE roster_generations (
	number INTEGER PRIMARY KEY,
	name TEXT NOT NULL CHECK (name <> ''),
	generation INTEGER NOT NULL CHECK (generation > 0),
	row_count INTEGER NOT NULL,
	skipped INTEGER NOT NULL CHECK (skipped >= 0),
	staged_at INTEGER NOT NULL,
	used INTEGER NOT NULL CHECK (used IN (0, 1)),
	removed INTEGER NOT NULL CHECK (removed IN (0, 1)),
	UNIQUE (name, generation)
) STRICT;

CREATE TABLE roster_rows (
	generation INTEGER NOT NULL REFERENCES roster_generations (number),
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	content BLOB,
	PRIMARY KEY (generation, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE code_batches (
	batch TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (batch <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	issued_by TEXT NOT NULL,
	issued_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX code_batches_by_time ON code_batches (issued_at, batch);

CREATE TABLE verification_codes (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	batch TEXT COLLATE BINARY NOT NULL REFERENCES code_batches (batch),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	email BLOB CHECK (length(email) = 32),
	uses INTEGER NOT NULL CHECK (uses > 0),
	used INTEGER NOT NULL CHECK (used >= 0 AND used <= uses),
	issued_by TEXT NOT NULL,
	issued_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	holds_until INTEGER,
	made_by BLOB CHECK (length(made_by) = 32)
) STRICT;
CREATE INDEX verification_codes_by_batch ON verification_codes (batch, uses, used, expires_at);
CREATE INDEX verification_codes_by_end ON verification_codes (expires_at);

CREATE TABLE code_uses (
	digest BLOB NOT NULL REFERENCES verification_codes (digest) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	PRIMARY KEY (digest, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX code_uses_by_subject ON code_uses (subject);

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

CREATE TABLE totp (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	sealed_secret BLOB NOT NULL,
	step INTEGER NOT NULL,
	misses INTEGER NOT NULL DEFAULT 0,
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

CREATE TABLE recoveries (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	epoch INTEGER NOT NULL,
	started_at INTEGER NOT NULL,
	ready_at INTEGER NOT NULL,
	ends_at INTEGER NOT NULL,
	approved_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX recoveries_by_end ON recoveries (ends_at);

-- The closed parts of the audit log. What is recorded of a block stays when its events are
-- removed.
CREATE TABLE event_blocks (
	number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
	first INTEGER NOT NULL,
	last INTEGER NOT NULL UNIQUE CHECK (first <= last),
	lines INTEGER NOT NULL CHECK (lines > 0),
	from_at INTEGER NOT NULL,
	until_at INTEGER NOT NULL,
	sealed_at INTEGER NOT NULL,
	names TEXT NOT NULL,
	root BLOB NOT NULL CHECK (length(root) = 32),
	edge BLOB NOT NULL,
	checkpoint TEXT NOT NULL
) STRICT;
CREATE INDEX event_blocks_by_time ON event_blocks (until_at, from_at, number, first, last);

-- The last events that are in a block, and in one whose events are removed. The one row is
-- locked by who closes a block, and by who erases or removes in closed ones.
CREATE TABLE event_log (
	one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
	sealed INTEGER NOT NULL,
	swept INTEGER NOT NULL,
	-- Of the removed events the last one in the order of turns.
	swept_turn INTEGER NOT NULL DEFAULT 0,
	swept_id INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO event_log (one, sealed, swept) VALUES (1, 0, 0);

-- What events of closed blocks were before the person that they name was deleted.
CREATE TABLE event_erasures (
	event_id INTEGER NOT NULL PRIMARY KEY,
	subject_mac BLOB NOT NULL,
	address_mac BLOB NOT NULL
) STRICT;

CREATE TABLE matters (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	staff TEXT NOT NULL CHECK (staff <> ''),
	role TEXT NOT NULL,
	subject TEXT NOT NULL CHECK (subject <> ''),
	reason TEXT NOT NULL,
	ticket TEXT NOT NULL,
	sealed_note BLOB,
	opened_at INTEGER NOT NULL,
	ends_at INTEGER NOT NULL,
	closed_at INTEGER,
	proof INTEGER NOT NULL CHECK (proof IN (0, 1, 2)),
	proved_until INTEGER,
	withheld_until INTEGER
) STRICT;
CREATE INDEX matters_by_staff ON matters (staff, id);
CREATE INDEX matters_by_subject ON matters (subject, id);
CREATE INDEX matters_by_time ON matters (opened_at, id);
CREATE INDEX matters_open ON matters (ends_at) WHERE closed_at IS NULL;

CREATE TABLE caller_codes (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	proof INTEGER NOT NULL CHECK (proof IN (1, 2)),
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	expires_at INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	PRIMARY KEY (account_id, proof)
) STRICT;
CREATE INDEX caller_codes_by_end ON caller_codes (expires_at);

CREATE TABLE plans (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	action TEXT NOT NULL CHECK (action <> ''),
	kind TEXT NOT NULL,
	reason TEXT NOT NULL,
	content BLOB,
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	state TEXT NOT NULL CHECK (state IN ('proposed', 'running', 'stopped', 'refused', 'done')),
	proposed_by TEXT NOT NULL CHECK (proposed_by <> ''),
	decided_by TEXT CHECK (decided_by <> '' AND (state <> 'running' OR decided_by <> proposed_by)),
	proposed_as TEXT NOT NULL,
	decided_as TEXT,
	proposed_at INTEGER NOT NULL,
	decided_at INTEGER,
	expires_at INTEGER NOT NULL,
	not_before INTEGER,
	ended_at INTEGER,
	targets INTEGER NOT NULL,
	done INTEGER NOT NULL DEFAULT 0,
	skipped INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX plans_by_state ON plans (state, id);

CREATE TABLE plan_targets (
	plan_id TEXT COLLATE BINARY NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
	number INTEGER NOT NULL CHECK (number > 0),
	id TEXT NOT NULL CHECK (id <> ''),
	revision TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'skipped')),
	why TEXT NOT NULL,
	begun_at INTEGER,
	PRIMARY KEY (plan_id, number)
) STRICT;
CREATE INDEX plan_targets_waiting ON plan_targets (plan_id, number) WHERE state = 'waiting';
CREATE INDEX plan_targets_by_id ON plan_targets (id);

CREATE TABLE breaks (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	staff TEXT NOT NULL CHECK (staff <> ''),
	action TEXT NOT NULL,
	target TEXT NOT NULL,
	sealed_sentence BLOB NOT NULL,
	at INTEGER NOT NULL,
	done INTEGER NOT NULL CHECK (done IN (0, 1)),
	told INTEGER NOT NULL CHECK (told IN (0, 1)),
	signed_off_by TEXT CHECK (signed_off_by <> '' AND signed_off_by <> staff),
	signed_off_at INTEGER
) STRICT;
CREATE INDEX breaks_open ON breaks (id) WHERE signed_off_by IS NULL;
CREATE INDEX breaks_by_target ON breaks (target);

CREATE TABLE answers (
	client TEXT NOT NULL CHECK (client <> ''),
	key BLOB NOT NULL CHECK (length(key) = 32),
	body BLOB NOT NULL CHECK (length(body) = 32),
	status INTEGER NOT NULL,
	content BLOB,
	expires_at INTEGER NOT NULL,
	PRIMARY KEY (client, key)
) STRICT;
CREATE INDEX answers_by_end ON answers (expires_at);

CREATE TABLE client_hosts (
	host TEXT COLLATE BINARY NOT NULL CHECK (host <> ''),
	client_id TEXT COLLATE BINARY NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	-- When a client that nobody has registered was first stored, at the hosts under which it is
	-- listed. NULL at other hosts. Run records the hosts of those of before again.
	listed_at INTEGER,
	PRIMARY KEY (host, client_id)
) STRICT;
CREATE INDEX client_hosts_by_client ON client_hosts (client_id);
CREATE INDEX client_hosts_listed ON client_hosts (host, listed_at, client_id) WHERE listed_at IS NOT NULL;

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

-- People who have been deleted, and of whom more is left than one step removes: events that
-- are to get the pseudonym, and grants that have ended.
CREATE TABLE departed (
	subject TEXT NOT NULL PRIMARY KEY CHECK (subject <> ''),
	pseudonym TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A request that is allowed has a grant, whose flow is its digest.
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

CREATE TABLE denied_hosts (
	host TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (host <> ''),
	reason TEXT NOT NULL,
	denied_by TEXT NOT NULL,
	denied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE registration_tokens (
	digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
	environment TEXT NOT NULL,
	name TEXT NOT NULL,
	hosts TEXT,
	remaining INTEGER NOT NULL CHECK (remaining >= 0),
	made_by TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX registration_tokens_by_organization ON registration_tokens (organization_id, expires_at);
CREATE INDEX registration_tokens_by_end ON registration_tokens (expires_at, digest);

-- How far the readers of the events have got. Turn and ID are the last event that was read.
CREATE TABLE marks (
	reader TEXT NOT NULL PRIMARY KEY CHECK (reader <> ''),
	turn INTEGER NOT NULL,
	id INTEGER NOT NULL,
	holder TEXT NOT NULL,
	held_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who is told of them. A client that is NULL stands for the host. next_at is NULL where nothing waits.
CREATE TABLE receivers (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	client_id TEXT COLLATE BINARY REFERENCES clients (id) ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind IN ('webhook', 'push', 'poll', 'inbox')),
	state TEXT NOT NULL CHECK (state IN ('unverified', 'enabled', 'paused', 'disabled')),
	sealed_record BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	failing_since INTEGER,
	next_at INTEGER,
	taken INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX receivers_by_client ON receivers (client_id, id);
CREATE INDEX receivers_due ON receivers (next_at, id) WHERE next_at IS NOT NULL;

-- Number is that of the event, or negative.
CREATE TABLE deliveries (
	receiver_id TEXT COLLATE BINARY NOT NULL REFERENCES receivers (id) ON DELETE CASCADE,
	number INTEGER NOT NULL,
	message_id TEXT NOT NULL,
	name TEXT NOT NULL,
	lane INTEGER NOT NULL,
	sealed_body BLOB NOT NULL CHECK (length(sealed_body) <= 4096),
	state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'done' OR state = 'dead'),
	answer TEXT NOT NULL DEFAULT '',
	at INTEGER NOT NULL,
	ended_at INTEGER,
	expires_at INTEGER NOT NULL,
	PRIMARY KEY (receiver_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_open ON deliveries (receiver_id, state, number) WHERE state <> 'done';
CREATE INDEX deliveries_by_end ON deliveries (expires_at);

CREATE TABLE credential_lists (
	number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
	opened_at INTEGER NOT NULL
) STRICT;

-- What was put into wallets. Without a subject are those of deleted people, and places of nobody.
CREATE TABLE credentials (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	subject TEXT NOT NULL,
	client_id TEXT NOT NULL,
	grant_id BLOB CHECK (length(grant_id) = 16),
	group_name TEXT NOT NULL,
	list INTEGER NOT NULL REFERENCES credential_lists (number),
	place INTEGER NOT NULL CHECK (place >= 0),
	status_revision INTEGER NOT NULL,
	content BLOB CHECK (length(content) = 32),
	notification BLOB UNIQUE CHECK (length(notification) = 32),
	issued_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	checked_at INTEGER NOT NULL,
	accepted_at INTEGER,
	ended_at INTEGER,
	ended_by TEXT NOT NULL DEFAULT '',
	UNIQUE (list, place)
) STRICT;
CREATE INDEX credentials_by_subject ON credentials (subject, id);
CREATE INDEX credentials_by_end ON credentials (expires_at, id);
CREATE INDEX credentials_ended ON credentials (list, place) WHERE ended_at IS NOT NULL;
-- What may have to end is found from the side that has changed, and not among all in force.
CREATE INDEX credentials_to_check ON credentials (checked_at, id) WHERE ended_at IS NULL AND (status_revision = 0 OR checked_at <= 0);
CREATE INDEX credentials_by_grant ON credentials (grant_id) WHERE ended_at IS NULL;
CREATE INDEX grants_revoked ON grants (id) WHERE kept_until IS NOT NULL AND revoked_at IS NOT NULL;

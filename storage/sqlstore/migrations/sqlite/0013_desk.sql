-- Who acted, if not the subject, and for which reason. A program from before this schema
-- writes neither: it answers nothing once it has seen this one.
ALTER TABLE events ADD COLUMN actor TEXT NOT NULL DEFAULT '';

ALTER TABLE events ADD COLUMN matter TEXT NOT NULL DEFAULT '';

CREATE INDEX events_by_actor ON events (actor, id) WHERE actor <> '';

CREATE INDEX events_by_matter ON events (matter, id) WHERE matter <> '';

-- All names but those of nearly every event. Where one of these is absent the counts of the
-- blocks say so.
CREATE INDEX events_by_name ON events (name, id) WHERE name NOT IN ('sign_in', 'sign_out', 'consent', 'sign_in_failed');

-- The closed parts of the audit log. What is recorded of a block stays when its events are
-- removed.
CREATE TABLE event_blocks (
	number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
	first INTEGER NOT NULL,
	last INTEGER NOT NULL UNIQUE,
	lines INTEGER NOT NULL CHECK (lines > 0),
	from_at INTEGER NOT NULL,
	until_at INTEGER NOT NULL,
	sealed_at INTEGER NOT NULL,
	names TEXT NOT NULL,
	root BLOB NOT NULL CHECK (length(root) = 32),
	edge BLOB NOT NULL,
	checkpoint TEXT NOT NULL,
	CHECK (first <= last)
) STRICT;

CREATE INDEX event_blocks_by_time ON event_blocks (until_at, from_at, number, first, last);

-- The last events that are in a block, and in one whose events are removed. The one row is
-- locked by who closes a block, and by who erases or removes in closed ones.
CREATE TABLE event_log (
	one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
	sealed INTEGER NOT NULL,
	swept INTEGER NOT NULL
) STRICT;

INSERT INTO event_log (one, sealed, swept) VALUES (1, 0, 0);

-- What events of closed blocks were before the person that they name was deleted.
CREATE TABLE event_erasures (
	event_id INTEGER NOT NULL PRIMARY KEY,
	subject_mac BLOB NOT NULL,
	address_mac BLOB NOT NULL
) STRICT;

-- Why a member of the staff looks at a person. What is sealed is sealed by the provider.
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

-- What a caller reads out.
CREATE TABLE caller_codes (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	proof INTEGER NOT NULL CHECK (proof IN (1, 2)),
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	expires_at INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	PRIMARY KEY (account_id, proof)
) STRICT;

CREATE INDEX caller_codes_by_end ON caller_codes (expires_at);

-- What another member of the staff approves, and what it is done to.
CREATE TABLE plans (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	action TEXT NOT NULL CHECK (action <> ''),
	kind TEXT NOT NULL,
	reason TEXT NOT NULL,
	content BLOB,
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	state TEXT NOT NULL CHECK (state IN ('proposed', 'running', 'stopped', 'refused', 'done')),
	proposed_by TEXT NOT NULL CHECK (proposed_by <> ''),
	decided_by TEXT CHECK (decided_by <> ''),
	proposed_as TEXT NOT NULL,
	decided_as TEXT,
	proposed_at INTEGER NOT NULL,
	decided_at INTEGER,
	expires_at INTEGER NOT NULL,
	not_before INTEGER,
	ended_at INTEGER,
	targets INTEGER NOT NULL,
	done INTEGER NOT NULL DEFAULT 0,
	skipped INTEGER NOT NULL DEFAULT 0,
	CHECK (state <> 'running' OR decided_by <> proposed_by)
) STRICT;

CREATE INDEX plans_by_state ON plans (state, id);

CREATE INDEX plans_to_run ON plans (not_before, id) WHERE state = 'running';

CREATE TABLE plan_targets (
	plan_id TEXT COLLATE BINARY NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
	number INTEGER NOT NULL CHECK (number > 0),
	id TEXT NOT NULL CHECK (id <> ''),
	revision TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'skipped')),
	why TEXT NOT NULL,
	PRIMARY KEY (plan_id, number)
) STRICT;

CREATE INDEX plan_targets_waiting ON plan_targets (plan_id, number) WHERE state = 'waiting';

CREATE INDEX plan_targets_by_id ON plan_targets (id);

-- What somebody did alone.
CREATE TABLE breaks (
	id TEXT COLLATE BINARY NOT NULL PRIMARY KEY CHECK (id <> ''),
	staff TEXT NOT NULL CHECK (staff <> ''),
	action TEXT NOT NULL,
	target TEXT NOT NULL,
	sealed_sentence BLOB NOT NULL,
	at INTEGER NOT NULL,
	told INTEGER NOT NULL CHECK (told IN (0, 1)),
	signed_off_by TEXT CHECK (signed_off_by <> ''),
	signed_off_at INTEGER,
	CHECK (signed_off_by <> staff)
) STRICT;

CREATE INDEX breaks_open ON breaks (id) WHERE signed_off_by IS NULL;

CREATE INDEX breaks_by_target ON breaks (target);

-- The responses to requests with an idempotency key.
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

-- By which people are found: a keyed digest of the value, for attributes that the host has
-- declared findable. Empty for one that was recorded before, until it is recorded again.
ALTER TABLE attributes ADD COLUMN find BLOB CHECK (length(find) = 32);

CREATE INDEX attributes_by_value ON attributes (handle, find, subject) WHERE find IS NOT NULL;

-- The hosts of the redirect URIs of a client.
CREATE TABLE client_hosts (
	host TEXT COLLATE BINARY NOT NULL CHECK (host <> ''),
	client_id TEXT COLLATE BINARY NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	PRIMARY KEY (host, client_id)
) STRICT;

CREATE INDEX client_hosts_by_client ON client_hosts (client_id);

-- Whether the hosts of a client are recorded; a client of before is, once Run has read it.
ALTER TABLE clients ADD COLUMN hosts INTEGER NOT NULL DEFAULT 0 CHECK (hosts IN (0, 1));

CREATE INDEX clients_without_hosts ON clients (id) WHERE hosts = 0;

-- Who acted, if not the subject, and for which reason. A program from before this schema
-- writes neither: it answers nothing once it has seen this one.
ALTER TABLE main.events ADD COLUMN actor TEXT NOT NULL DEFAULT '';

ALTER TABLE main.events ADD COLUMN matter TEXT NOT NULL DEFAULT '';

CREATE INDEX events_by_actor ON main.events (actor, id) WHERE actor <> '';

CREATE INDEX events_by_matter ON main.events (matter, id) WHERE matter <> '';

-- All names but those of nearly every event. Where one of these is absent the counts of the
-- blocks say so.
CREATE INDEX events_by_name ON main.events (name, id) WHERE name NOT IN ('sign_in', 'sign_out', 'consent', 'sign_in_failed');

-- The closed parts of the audit log. What is recorded of a block stays when its events are
-- removed.
CREATE TABLE main.event_blocks (
	number BIGINT NOT NULL PRIMARY KEY CHECK (number > 0),
	first BIGINT NOT NULL,
	last BIGINT NOT NULL UNIQUE,
	lines BIGINT NOT NULL CHECK (lines > 0),
	from_at BIGINT NOT NULL,
	until_at BIGINT NOT NULL,
	sealed_at BIGINT NOT NULL,
	names TEXT NOT NULL,
	root BYTEA NOT NULL CHECK (length(root) = 32),
	edge BYTEA NOT NULL,
	checkpoint TEXT NOT NULL,
	CHECK (first <= last)
);

CREATE INDEX event_blocks_by_time ON main.event_blocks (until_at, from_at, number, first, last);

-- The last events that are in a block, and in one whose events are removed. The one row is
-- locked by who closes a block, and by who erases or removes in closed ones.
CREATE TABLE main.event_log (
	one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
	sealed BIGINT NOT NULL,
	swept BIGINT NOT NULL
);

INSERT INTO main.event_log (one, sealed, swept) VALUES (1, 0, 0);

-- What events of closed blocks were before the person that they name was deleted.
CREATE TABLE main.event_erasures (
	event_id BIGINT NOT NULL PRIMARY KEY,
	subject_mac BYTEA NOT NULL,
	address_mac BYTEA NOT NULL
);

-- Why a member of the staff looks at a person. What is sealed is sealed by the provider.
CREATE TABLE main.matters (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	staff TEXT NOT NULL CHECK (staff <> ''),
	role TEXT NOT NULL,
	subject TEXT NOT NULL CHECK (subject <> ''),
	reason TEXT NOT NULL,
	ticket TEXT NOT NULL,
	sealed_note BYTEA,
	opened_at BIGINT NOT NULL,
	ends_at BIGINT NOT NULL,
	closed_at BIGINT,
	proof BIGINT NOT NULL CHECK (proof IN (0, 1, 2)),
	proved_until BIGINT,
	withheld_until BIGINT
);

CREATE INDEX matters_by_staff ON main.matters (staff, id);

CREATE INDEX matters_by_subject ON main.matters (subject, id);

CREATE INDEX matters_by_time ON main.matters (opened_at, id);

CREATE INDEX matters_open ON main.matters (ends_at) WHERE closed_at IS NULL;

-- What a caller reads out.
CREATE TABLE main.caller_codes (
	account_id TEXT NOT NULL REFERENCES main.accounts (id) ON DELETE CASCADE,
	proof BIGINT NOT NULL CHECK (proof IN (1, 2)),
	digest BYTEA NOT NULL CHECK (length(digest) = 32),
	expires_at BIGINT NOT NULL,
	tries BIGINT NOT NULL,
	PRIMARY KEY (account_id, proof)
);

CREATE INDEX caller_codes_by_end ON main.caller_codes (expires_at);

-- What another member of the staff approves, and what it is done to.
CREATE TABLE main.plans (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	action TEXT NOT NULL CHECK (action <> ''),
	kind TEXT NOT NULL,
	reason TEXT NOT NULL,
	content BYTEA,
	digest BYTEA NOT NULL CHECK (length(digest) = 32),
	state TEXT NOT NULL CHECK (state IN ('proposed', 'running', 'stopped', 'refused', 'done')),
	proposed_by TEXT NOT NULL CHECK (proposed_by <> ''),
	decided_by TEXT CHECK (decided_by <> ''),
	proposed_as TEXT NOT NULL,
	decided_as TEXT,
	proposed_at BIGINT NOT NULL,
	decided_at BIGINT,
	expires_at BIGINT NOT NULL,
	not_before BIGINT,
	ended_at BIGINT,
	targets BIGINT NOT NULL,
	done BIGINT NOT NULL DEFAULT 0,
	skipped BIGINT NOT NULL DEFAULT 0,
	CHECK (state <> 'running' OR decided_by <> proposed_by)
);

CREATE INDEX plans_by_state ON main.plans (state, id);

CREATE INDEX plans_to_run ON main.plans (not_before, id) WHERE state = 'running';

CREATE TABLE main.plan_targets (
	plan_id TEXT COLLATE "C" NOT NULL REFERENCES main.plans (id) ON DELETE CASCADE,
	number BIGINT NOT NULL CHECK (number > 0),
	id TEXT NOT NULL CHECK (id <> ''),
	revision TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'skipped')),
	why TEXT NOT NULL,
	PRIMARY KEY (plan_id, number)
);

CREATE INDEX plan_targets_waiting ON main.plan_targets (plan_id, number) WHERE state = 'waiting';

CREATE INDEX plan_targets_by_id ON main.plan_targets (id);

-- What somebody did alone.
CREATE TABLE main.breaks (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	staff TEXT NOT NULL CHECK (staff <> ''),
	action TEXT NOT NULL,
	target TEXT NOT NULL,
	sealed_sentence BYTEA NOT NULL,
	at BIGINT NOT NULL,
	told BIGINT NOT NULL CHECK (told IN (0, 1)),
	signed_off_by TEXT CHECK (signed_off_by <> ''),
	signed_off_at BIGINT,
	CHECK (signed_off_by <> staff)
);

CREATE INDEX breaks_open ON main.breaks (id) WHERE signed_off_by IS NULL;

CREATE INDEX breaks_by_target ON main.breaks (target);

-- The responses to requests with an idempotency key.
CREATE TABLE main.answers (
	client TEXT NOT NULL CHECK (client <> ''),
	key BYTEA NOT NULL CHECK (length(key) = 32),
	body BYTEA NOT NULL CHECK (length(body) = 32),
	status BIGINT NOT NULL,
	content BYTEA,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (client, key)
);

CREATE INDEX answers_by_end ON main.answers (expires_at);

-- By which people are found: a keyed digest of the value, for attributes that the host has
-- declared findable. Empty for one that was recorded before, until it is recorded again.
ALTER TABLE main.attributes ADD COLUMN find BYTEA CHECK (length(find) = 32);

CREATE INDEX attributes_by_value ON main.attributes (handle, find, subject) WHERE find IS NOT NULL;

-- The hosts of the redirect URIs of a client.
CREATE TABLE main.client_hosts (
	host TEXT COLLATE "C" NOT NULL CHECK (host <> ''),
	client_id TEXT COLLATE "C" NOT NULL REFERENCES main.clients (id) ON DELETE CASCADE,
	PRIMARY KEY (host, client_id)
);

CREATE INDEX client_hosts_by_client ON main.client_hosts (client_id);

-- Whether the hosts of a client are recorded; a client of before is, once Run has read it.
ALTER TABLE main.clients ADD COLUMN hosts BIGINT NOT NULL DEFAULT 0 CHECK (hosts IN (0, 1));

CREATE INDEX clients_without_hosts ON main.clients (id) WHERE hosts = 0;

-- The case that has recorded a status; empty for the host.
ALTER TABLE statuses ADD COLUMN origin TEXT NOT NULL DEFAULT '';

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
	appeals TEXT COLLATE BINARY UNIQUE CHECK (appeals <> ''),
	method TEXT NOT NULL,
	round INTEGER NOT NULL,
	escalated INTEGER NOT NULL CHECK (escalated IN (0, 1)),
	taken_by TEXT CHECK (taken_by <> ''),
	taken_until INTEGER,
	created_at INTEGER NOT NULL,
	due_at INTEGER,
	queued_at INTEGER GENERATED ALWAYS AS (CASE WHEN state = 'review' THEN due_at END) VIRTUAL,
	next_at INTEGER,
	ended_at INTEGER,
	content BLOB,
	CHECK (state <> 'review' OR due_at IS NOT NULL),
	CHECK ((state IN ('open', 'pending', 'review')) = (ended_at IS NULL)),
	CHECK ((taken_by IS NULL) = (taken_until IS NULL))
) STRICT;

CREATE UNIQUE INDEX cases_not_final ON cases (subject, group_name) WHERE state IN ('open', 'pending', 'review');

CREATE INDEX cases_by_subject ON cases (subject, id);

CREATE INDEX cases_by_group ON cases (group_name, id);

CREATE INDEX cases_by_state ON cases (state, id);

CREATE INDEX cases_by_group_and_state ON cases (group_name, state, id);

-- Behind the place in the queue is what most cases are passed over for, and what is counted.
CREATE INDEX cases_in_review ON cases (queued_at, id, group_name, escalated, method, state) WHERE queued_at IS NOT NULL;

CREATE UNIQUE INDEX cases_taken ON cases (taken_by) WHERE taken_by IS NOT NULL;

CREATE INDEX cases_by_timer ON cases (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX cases_by_end ON cases (ended_at, id) WHERE ended_at IS NOT NULL;

-- All that is counted.
CREATE INDEX cases_by_start ON cases (created_at, group_name, method, state, due_at, ended_at);

-- Who has taken a case, or did: the row that is locked while another one is taken.
CREATE TABLE reviewers (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> '')
) STRICT, WITHOUT ROWID;

CREATE TABLE case_references (
	method TEXT NOT NULL CHECK (method <> ''),
	reference TEXT NOT NULL CHECK (reference <> ''),
	case_id TEXT COLLATE BINARY NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
	PRIMARY KEY (method, reference)
) STRICT, WITHOUT ROWID;

CREATE INDEX case_references_by_case ON case_references (case_id);

-- The messages that have been applied.
CREATE TABLE case_messages (
	method TEXT NOT NULL,
	message TEXT NOT NULL CHECK (message <> ''),
	case_id TEXT COLLATE BINARY NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
	PRIMARY KEY (method, message)
) STRICT, WITHOUT ROWID;

CREATE INDEX case_messages_by_case ON case_messages (case_id);

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

-- sealed_key is NULL once the content is shredded.
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
	shredded_at INTEGER,
	held_until INTEGER,
	CHECK ((sealed_key IS NULL) = (shredded_at IS NOT NULL))
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
	holds_until INTEGER
) STRICT;

CREATE INDEX verification_codes_by_batch ON verification_codes (batch, uses, used, expires_at);

CREATE INDEX verification_codes_by_end ON verification_codes (expires_at);

-- Who has redeemed a code.
CREATE TABLE code_uses (
	digest BLOB NOT NULL REFERENCES verification_codes (digest) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	PRIMARY KEY (digest, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX code_uses_by_subject ON code_uses (subject);

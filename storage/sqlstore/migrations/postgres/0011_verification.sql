-- The case that has recorded a status; empty for the host.
ALTER TABLE main.statuses ADD COLUMN origin TEXT NOT NULL DEFAULT '';

-- What follows belongs to verification. A step that changes or counts what belongs to a case
-- locks the row of the case first, after that of the account. status_revision is 0 for none,
-- and queued_at is a due_at in review, so that nobody looks for the queue by the state.
CREATE TABLE main.cases (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	subject TEXT NOT NULL CHECK (subject <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	state TEXT NOT NULL CHECK (state IN ('open', 'pending', 'review', 'approved', 'declined', 'withdrawn', 'expired')),
	version BIGINT NOT NULL,
	status_revision BIGINT NOT NULL,
	renewal BIGINT NOT NULL CHECK (renewal IN (0, 1)),
	appeals TEXT COLLATE "C" UNIQUE CHECK (appeals <> ''),
	method TEXT NOT NULL,
	round BIGINT NOT NULL,
	escalated BIGINT NOT NULL CHECK (escalated IN (0, 1)),
	taken_by TEXT CHECK (taken_by <> ''),
	taken_until BIGINT,
	created_at BIGINT NOT NULL,
	due_at BIGINT,
	queued_at BIGINT GENERATED ALWAYS AS (CASE WHEN state = 'review' THEN due_at END) STORED,
	next_at BIGINT,
	ended_at BIGINT,
	content BYTEA,
	CHECK (state <> 'review' OR due_at IS NOT NULL),
	CHECK ((state IN ('open', 'pending', 'review')) = (ended_at IS NULL)),
	CHECK ((taken_by IS NULL) = (taken_until IS NULL))
);

CREATE UNIQUE INDEX cases_not_final ON main.cases (subject, group_name) WHERE state IN ('open', 'pending', 'review');

CREATE INDEX cases_by_subject ON main.cases (subject, id);

CREATE INDEX cases_by_group ON main.cases (group_name, id);

CREATE INDEX cases_by_state ON main.cases (state, id);

CREATE INDEX cases_by_group_and_state ON main.cases (group_name, state, id);

-- Behind the place in the queue is what most cases are passed over for, and what is counted.
CREATE INDEX cases_in_review ON main.cases (queued_at, id, group_name, escalated, method, state) WHERE queued_at IS NOT NULL;

CREATE UNIQUE INDEX cases_taken ON main.cases (taken_by) WHERE taken_by IS NOT NULL;

CREATE INDEX cases_by_timer ON main.cases (next_at, id) WHERE next_at IS NOT NULL;

CREATE INDEX cases_by_end ON main.cases (ended_at, id) WHERE ended_at IS NOT NULL;

-- All that is counted.
CREATE INDEX cases_by_start ON main.cases (created_at, group_name, method, state, due_at, ended_at);

-- Who has taken a case, or did: the row that is locked while another one is taken.
CREATE TABLE main.reviewers (
	id TEXT NOT NULL PRIMARY KEY CHECK (id <> '')
);

CREATE TABLE main.case_references (
	method TEXT NOT NULL CHECK (method <> ''),
	reference TEXT NOT NULL CHECK (reference <> ''),
	case_id TEXT COLLATE "C" NOT NULL REFERENCES main.cases (id) ON DELETE CASCADE,
	PRIMARY KEY (method, reference)
);

CREATE INDEX case_references_by_case ON main.case_references (case_id);

-- The messages that have been applied.
CREATE TABLE main.case_messages (
	method TEXT NOT NULL,
	message TEXT NOT NULL CHECK (message <> ''),
	case_id TEXT COLLATE "C" NOT NULL REFERENCES main.cases (id) ON DELETE CASCADE,
	PRIMARY KEY (method, message)
);

CREATE INDEX case_messages_by_case ON main.case_messages (case_id);

CREATE TABLE main.case_decisions (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	case_id TEXT COLLATE "C" NOT NULL REFERENCES main.cases (id) ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind <> ''),
	reviewer TEXT NOT NULL CHECK (reviewer <> ''),
	subject TEXT CHECK (subject <> ''),
	round BIGINT NOT NULL,
	at BIGINT NOT NULL,
	undone BIGINT NOT NULL CHECK (undone IN (0, 1)),
	content BYTEA
);

CREATE INDEX case_decisions_by_case ON main.case_decisions (case_id, id);

CREATE INDEX case_decisions_by_reviewer ON main.case_decisions (reviewer);

CREATE INDEX case_decisions_by_subject ON main.case_decisions (subject) WHERE subject IS NOT NULL;

-- One proof, one person. A fingerprint may outlive its case. free_at is NULL as long as the
-- status of the case is in force.
CREATE TABLE main.fingerprints (
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	kind TEXT NOT NULL CHECK (kind <> ''),
	digest BYTEA NOT NULL CHECK (length(digest) = 32),
	subject TEXT NOT NULL CHECK (subject <> ''),
	case_id TEXT COLLATE "C" NOT NULL,
	free_at BIGINT,
	PRIMARY KEY (group_name, kind, digest)
);

CREATE INDEX fingerprints_by_case ON main.fingerprints (case_id);

CREATE INDEX fingerprints_by_subject ON main.fingerprints (subject);

CREATE INDEX fingerprints_by_end ON main.fingerprints (free_at) WHERE free_at IS NOT NULL;

-- sealed_key is NULL once the content is shredded.
CREATE TABLE main.evidence (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
	case_id TEXT COLLATE "C" NOT NULL REFERENCES main.cases (id),
	kind TEXT NOT NULL,
	media_type TEXT NOT NULL,
	size BIGINT NOT NULL CHECK (size >= 0),
	digest BYTEA CHECK (length(digest) = 32),
	likeness BIGINT,
	sealed_key BYTEA,
	added_at BIGINT NOT NULL,
	shred_at BIGINT,
	shredded_at BIGINT,
	held_until BIGINT,
	CHECK ((sealed_key IS NULL) = (shredded_at IS NOT NULL))
);

CREATE INDEX evidence_by_case ON main.evidence (case_id, id);

CREATE INDEX evidence_by_digest ON main.evidence (digest, case_id) WHERE digest IS NOT NULL;

CREATE INDEX evidence_by_likeness ON main.evidence (likeness, case_id) WHERE likeness IS NOT NULL;

CREATE INDEX evidence_to_shred ON main.evidence (shred_at, id) WHERE sealed_key IS NOT NULL;

CREATE INDEX evidence_held ON main.evidence (case_id, held_until) WHERE held_until IS NOT NULL;

-- Shredded content that is still to be deleted where it is kept.
CREATE TABLE main.evidence_leftovers (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY
);

-- generation is 0 for none, here and in previous.
CREATE TABLE main.rosters (
	name TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
	generation BIGINT NOT NULL,
	previous BIGINT NOT NULL,
	imported_at BIGINT,
	imported_by TEXT NOT NULL
);

-- The number stands for name and generation in the rows, of which there may be millions.
-- used is 1 once a generation has been in force, and removed once its rows are being removed:
-- then it never is again.
CREATE TABLE main.roster_generations (
	number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name TEXT NOT NULL CHECK (name <> ''),
	generation BIGINT NOT NULL CHECK (generation > 0),
	row_count BIGINT NOT NULL,
	staged_at BIGINT NOT NULL,
	used BIGINT NOT NULL CHECK (used IN (0, 1)),
	removed BIGINT NOT NULL CHECK (removed IN (0, 1)),
	UNIQUE (name, generation)
);

CREATE TABLE main.roster_rows (
	generation BIGINT NOT NULL REFERENCES main.roster_generations (number),
	digest BYTEA NOT NULL CHECK (length(digest) = 32),
	content BYTEA,
	PRIMARY KEY (generation, digest)
);

CREATE TABLE main.code_batches (
	batch TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (batch <> ''),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	issued_by TEXT NOT NULL,
	issued_at BIGINT NOT NULL
);

CREATE INDEX code_batches_by_time ON main.code_batches (issued_at, batch);

CREATE TABLE main.verification_codes (
	digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
	batch TEXT COLLATE "C" NOT NULL REFERENCES main.code_batches (batch),
	group_name TEXT NOT NULL CHECK (group_name <> ''),
	subgroups TEXT,
	email BYTEA CHECK (length(email) = 32),
	uses BIGINT NOT NULL CHECK (uses > 0),
	used BIGINT NOT NULL CHECK (used >= 0 AND used <= uses),
	issued_by TEXT NOT NULL,
	issued_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	holds_until BIGINT
);

CREATE INDEX verification_codes_by_batch ON main.verification_codes (batch, uses, used, expires_at);

CREATE INDEX verification_codes_by_end ON main.verification_codes (expires_at);

-- Who has redeemed a code.
CREATE TABLE main.code_uses (
	digest BYTEA NOT NULL REFERENCES main.verification_codes (digest) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject <> ''),
	PRIMARY KEY (digest, subject)
);

CREATE INDEX code_uses_by_subject ON main.code_uses (subject);

-- An operator has stopped an organization: when, why, and who; NULL and empty while none has.
ALTER TABLE organizations ADD COLUMN stopped_at INTEGER;

ALTER TABLE organizations ADD COLUMN stop_reason TEXT NOT NULL DEFAULT '';

ALTER TABLE organizations ADD COLUMN stopped_by TEXT NOT NULL DEFAULT '';

CREATE INDEX organizations_stopped ON organizations (id) WHERE stopped_at IS NOT NULL;

-- What the stop of its organization has done to an application, so that its end takes back
-- that alone.
ALTER TABLE applications ADD COLUMN halt TEXT NOT NULL DEFAULT ''
	CHECK (halt IN ('', 'asked', 'begun', 'done', 'idle', 'over'));

-- What is still to be taken out of use, or back.
CREATE INDEX applications_halting ON applications (sort_name, client_id, environment)
	WHERE halt IN ('asked', 'begun', 'over');

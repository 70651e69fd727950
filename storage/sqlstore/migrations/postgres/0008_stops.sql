-- An operator has stopped an organization: when, why, and who; NULL and empty while none has.
ALTER TABLE main.organizations ADD COLUMN stopped_at BIGINT;

ALTER TABLE main.organizations ADD COLUMN stop_reason TEXT NOT NULL DEFAULT '';

ALTER TABLE main.organizations ADD COLUMN stopped_by TEXT NOT NULL DEFAULT '';

CREATE INDEX organizations_stopped ON main.organizations (id) WHERE stopped_at IS NOT NULL;

-- What the stop of its organization has done to an application, so that its end takes back
-- that alone.
ALTER TABLE main.applications ADD COLUMN halt TEXT NOT NULL DEFAULT ''
	CHECK (halt IN ('', 'asked', 'begun', 'done', 'idle', 'over'));

-- What is still to be taken out of use, or back.
CREATE INDEX applications_halting ON main.applications (sort_name, client_id, environment)
	WHERE halt IN ('asked', 'begun', 'over');

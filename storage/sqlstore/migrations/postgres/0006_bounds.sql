-- What is known about how a picture looks; NULL until it has been measured.
ALTER TABLE main.images ADD COLUMN silhouette BYTEA;

CREATE INDEX images_without_silhouette ON main.images (digest) WHERE silhouette IS NULL;

-- A program from before this schema takes what it does not know of for what is not there:
-- it signs in who wants to be deleted, and finds no address that is sealed and makes another
-- account. It looks at no version once it runs. So a column has another name wherever it
-- would read what a decision rests on, and each of its steps fails.
ALTER TABLE main.accounts RENAME COLUMN email_key TO email_digest;

ALTER TABLE main.attributes RENAME COLUMN value TO sealed_value;

ALTER TABLE main.clients RENAME COLUMN document TO registration;

ALTER TABLE main.grants RENAME COLUMN challenge TO code_challenge;

ALTER TABLE main.organizations RENAME COLUMN contact TO sealed_contact;

-- How much the pictures of an application take: drafts, former and published ones. What is
-- there is counted by its document until the next one is saved.
ALTER TABLE main.applications ADD COLUMN picture_bytes BIGINT NOT NULL DEFAULT 0;

UPDATE main.applications SET picture_bytes = length(document) WHERE document IS NOT NULL;

-- Who was removed from an organization does not come back by an invitation that waited then.
CREATE TABLE main.barred (
	token BYTEA NOT NULL REFERENCES main.invitations (token) ON DELETE CASCADE,
	user_id TEXT NOT NULL,
	PRIMARY KEY (token, user_id)
);

-- An operator has made an invitation, for an organization without an owner.
ALTER TABLE main.invitations ADD COLUMN appoints BIGINT NOT NULL DEFAULT 0;

-- What the processes have said about the time.
CREATE TABLE main.clock (
	singleton BIGINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
	agreed_at BIGINT,
	claimed_at BIGINT
);

-- Which state of a person somebody has checked: another one with each attribute that is
-- written.
ALTER TABLE main.accounts ADD COLUMN person_revision BIGINT NOT NULL DEFAULT 1;

-- How many requests a line stands for that only counts those for which there was none.
ALTER TABLE main.request_log ADD COLUMN requests BIGINT NOT NULL DEFAULT 0;

-- A user who is gone is found in what has been changed and registered.
CREATE INDEX changes_by_user ON main.changes (user_id);

CREATE INDEX applications_by_maker ON main.applications (created_by);

-- The last owner of an organization is gone. It stays so when there is one again: who is an
-- owner is known by members alone, and this is where to look for who has none.
ALTER TABLE main.organizations ADD COLUMN abandoned BIGINT NOT NULL DEFAULT 0;

CREATE INDEX organizations_abandoned ON main.organizations (id) WHERE abandoned = 1;

-- Changes are removed when they are old.
CREATE INDEX changes_by_time ON main.changes (at, id);

-- Organizations that have been deleted, as long as there are changes of theirs, and the last
-- of these: nobody reads them from then on, also where another gets the ID.
CREATE TABLE main.former_organizations (
	id TEXT NOT NULL PRIMARY KEY,
	last_change BIGINT NOT NULL
);

INSERT INTO main.former_organizations (id, last_change)
SELECT organization_id, max(id) FROM main.changes c
WHERE NOT EXISTS (SELECT 1 FROM main.organizations o WHERE o.id = c.organization_id)
GROUP BY organization_id;

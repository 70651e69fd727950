-- What is known about how a picture looks; NULL until it has been measured.
ALTER TABLE images ADD COLUMN silhouette BLOB;

CREATE INDEX images_without_silhouette ON images (digest) WHERE silhouette IS NULL;

-- A program from before this schema takes what it does not know of for what is not there:
-- it signs in who wants to be deleted, and finds no address that is sealed and makes another
-- account. It looks at no version once it runs. So a column has another name wherever it
-- would read what a decision rests on, and each of its steps fails.
ALTER TABLE accounts RENAME COLUMN email_key TO email_digest;

ALTER TABLE attributes RENAME COLUMN value TO sealed_value;

ALTER TABLE clients RENAME COLUMN document TO registration;

ALTER TABLE grants RENAME COLUMN challenge TO code_challenge;

ALTER TABLE organizations RENAME COLUMN contact TO sealed_contact;

-- How much the pictures of an application take: drafts, former and published ones. What is
-- there is counted by its document until the next one is saved.
ALTER TABLE applications ADD COLUMN picture_bytes INTEGER NOT NULL DEFAULT 0;

UPDATE applications SET picture_bytes = length(document) WHERE document IS NOT NULL;

-- Who was removed from an organization does not come back by an invitation that waited then.
CREATE TABLE barred (
	token BLOB NOT NULL REFERENCES invitations (token) ON DELETE CASCADE,
	user_id TEXT NOT NULL,
	PRIMARY KEY (token, user_id)
) STRICT, WITHOUT ROWID;

-- An operator has made an invitation, for an organization without an owner.
ALTER TABLE invitations ADD COLUMN appoints INTEGER NOT NULL DEFAULT 0;

-- What the processes have said about the time.
CREATE TABLE clock (
	singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
	agreed_at INTEGER,
	claimed_at INTEGER
) STRICT;

-- Which state of a person somebody has checked: another one with each attribute that is
-- written.
ALTER TABLE main.accounts ADD COLUMN person_revision INTEGER NOT NULL DEFAULT 1;

-- How many requests a line stands for that only counts those for which there was none.
ALTER TABLE request_log ADD COLUMN requests INTEGER NOT NULL DEFAULT 0;

-- A user who is gone is found in what has been changed and registered.
CREATE INDEX changes_by_user ON changes (user_id);

CREATE INDEX applications_by_maker ON applications (created_by);

-- The last owner of an organization is gone. It stays so when there is one again: who is an
-- owner is known by members alone, and this is where to look for who has none.
ALTER TABLE organizations ADD COLUMN abandoned INTEGER NOT NULL DEFAULT 0;

CREATE INDEX organizations_abandoned ON organizations (id) WHERE abandoned = 1;

-- Changes are removed when they are old.
CREATE INDEX changes_by_time ON changes (at, id);

-- Organizations that have been deleted, as long as there are changes of theirs, and the last
-- of these: nobody reads them from then on, also where another gets the ID.
CREATE TABLE former_organizations (
	id TEXT NOT NULL PRIMARY KEY,
	last_change INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO former_organizations (id, last_change)
SELECT organization_id, max(id) FROM changes c
WHERE NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = c.organization_id)
GROUP BY organization_id;

-- The registrations of which the removal has begun, as they say themselves: whoever has marked
-- one, others find it and go on.
ALTER TABLE clients ADD COLUMN deleted INTEGER
	GENERATED ALWAYS AS (CASE WHEN registration ->> 'deleted' = 1 THEN 1 END) VIRTUAL;

CREATE INDEX clients_deleted ON clients (id) WHERE deleted = 1;

-- An application that is being deleted is one until its registration is gone.
ALTER TABLE applications ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1));

CREATE INDEX applications_deleting ON applications (sort_name, client_id, environment) WHERE deleting = 1;

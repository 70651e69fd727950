-- The registrations of which the removal has begun, as they say themselves: whoever has marked
-- one, others find it and go on.
ALTER TABLE main.clients ADD COLUMN deleted INTEGER
	GENERATED ALWAYS AS (CASE WHEN registration::json ->> 'deleted' = 'true' THEN 1 END) STORED;

CREATE INDEX clients_deleted ON main.clients (id) WHERE deleted = 1;

-- An application that is being deleted is one until its registration is gone.
ALTER TABLE main.applications ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1));

CREATE INDEX applications_deleting ON main.applications (sort_name, client_id, environment) WHERE deleting = 1;

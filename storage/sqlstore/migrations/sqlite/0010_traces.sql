-- The sign-in that a request belongs to; empty for none.
ALTER TABLE request_log ADD COLUMN flow TEXT NOT NULL DEFAULT '';

CREATE INDEX request_log_by_flow ON request_log (application, flow, id) WHERE flow <> '';

CREATE INDEX request_log_by_user ON request_log (application, pseudonym, id) WHERE pseudonym <> '';

-- What went well is kept by number: this is where to count it.
CREATE INDEX request_log_of_successes ON request_log (application, id) WHERE outcome = 'ok';

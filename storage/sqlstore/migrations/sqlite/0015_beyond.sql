-- The applications that have exchanged a token for this one (act of RFC 8693), the latest first.
-- NULL for a token that nobody has exchanged.
ALTER TABLE tokens ADD COLUMN actors TEXT;

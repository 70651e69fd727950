package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SaveOneTimeCode implements storage.OneTimeCodes.
func (s *Store) SaveOneTimeCode(ctx context.Context, t storage.OneTimeCode) error {
	return s.change(ctx, "save one-time code", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.tickets (digest, purpose, subject, payload, expires_at)
			VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (purpose, subject) DO UPDATE SET
				digest = excluded.digest, payload = excluded.payload, expires_at = excluded.expires_at`,
			t.Digest[:], t.Purpose, t.Subject, t.Payload, micros(t.ExpiresAt))
		return err
	})
}

const oneTimeCodeColumns = `digest, purpose, subject, payload, expires_at`

// OneTimeCode implements storage.OneTimeCodes.
func (s *Store) OneTimeCode(ctx context.Context, purpose string, digest storage.Digest, now time.Time) (storage.OneTimeCode, error) {
	return read(ctx, s, "read one-time code", func(tx *tx) (storage.OneTimeCode, error) {
		return one(tx, scanOneTimeCode, `SELECT `+oneTimeCodeColumns+` FROM main.tickets
			WHERE digest = ?1 AND purpose = ?2 AND expires_at > ?3`, digest[:], purpose, micros(now))
	})
}

// UseOneTimeCode implements storage.OneTimeCodes.
func (s *Store) UseOneTimeCode(ctx context.Context, purpose string, digest storage.Digest, now time.Time) (storage.OneTimeCode, error) {
	return write(ctx, s, "use one-time code", func(tx *tx) (storage.OneTimeCode, error) {
		return one(tx, scanOneTimeCode, `DELETE FROM main.tickets
			WHERE digest = ?1 AND purpose = ?2 AND expires_at > ?3
			RETURNING `+oneTimeCodeColumns, digest[:], purpose, micros(now))
	})
}

// trimOneTimeCodes removes them.
func (s *Store) trimOneTimeCodes(ctx context.Context, _ storage.Trim, limit int) (int, error) {
	return write(ctx, s, "remove one-time codes", func(tx *tx) (int, error) {
		return tx.exec(`DELETE FROM main.tickets WHERE digest IN (
			SELECT digest FROM main.tickets ORDER BY expires_at, digest LIMIT ?1)`, max(limit, 0))
	})
}

func scanOneTimeCode(row scanner) (t storage.OneTimeCode, err error) {
	err = row.Scan((*digest)(&t.Digest), &t.Purpose, &t.Subject, &t.Payload, (*instant)(&t.ExpiresAt))
	return t, err
}

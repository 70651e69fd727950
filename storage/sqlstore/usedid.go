package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// UseID implements storage.UsedIDs.
func (s *Store) UseID(ctx context.Context, digest storage.Digest, expiresAt, now time.Time) error {
	return s.change(ctx, "use identifier", func(tx *tx) error {
		used, err := useID(tx, digest, expiresAt, now)
		if err == nil && used == 0 {
			return storage.ErrConflict
		}
		return err
	})
}

// useID uses an identifier as part of a larger step, and returns zero if it is used. The
// insertion is the test: of two at once, the second finds the row of the first.
func useID(tx *tx, digest storage.Digest, expiresAt, now time.Time) (int, error) {
	return tx.exec(`INSERT INTO main.used_ids (digest, expires_at) VALUES (?1, ?2)
		ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at WHERE used_ids.expires_at <= ?3`,
		digest[:], micros(expiresAt), micros(now))
}

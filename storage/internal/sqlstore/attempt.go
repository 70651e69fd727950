package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Take implements storage.Attempts.
func (s *Store) Take(ctx context.Context, bucket storage.Digest, now time.Time, interval time.Duration, burst int) (time.Duration, error) {
	step := interval.Microseconds()
	if step < 1 || burst < 1 {
		return 0, fmt.Errorf("take: a bucket of %d attempts, one more each %v, holds none", burst, interval)
	}
	at := now.UnixMicro()
	// An attempt is allowed while the bucket drains by latest: then there is
	// room for one more.
	latest := at + int64(burst-1)*step
	return write(ctx, s, "take", func(tx *tx) (time.Duration, error) {
		taken, err := tx.exec(`INSERT INTO attempts (bucket, drained_at) VALUES (?1, ?3)
			ON CONFLICT (bucket) DO UPDATE SET
				drained_at = CASE WHEN attempts.drained_at > ?2 THEN attempts.drained_at + ?4 ELSE ?3 END
			WHERE attempts.drained_at <= ?5`, bucket[:], at, at+step, step, latest)
		if err != nil || taken == 1 {
			return 0, err
		}
		drained, err := one(tx, scanTime, `SELECT drained_at FROM attempts WHERE bucket = ?1`, bucket[:])
		if err != nil {
			return 0, err
		}
		return time.Duration(drained.UnixMicro()-latest) * time.Microsecond, nil
	})
}

// Forget implements storage.Attempts.
func (s *Store) Forget(ctx context.Context, bucket storage.Digest) error {
	return s.change(ctx, "forget attempts", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM attempts WHERE bucket = ?1`, bucket[:])
		return err
	})
}

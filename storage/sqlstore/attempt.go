package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// AllowAttempt implements storage.Attempts.
func (s *Store) AllowAttempt(ctx context.Context, bucket storage.Digest, now time.Time, interval time.Duration, burst int) (time.Duration, error) {
	step := interval.Microseconds()
	if step < 1 || burst < 1 {
		return 0, fmt.Errorf("take: a bucket of %d attempts, one more each %v, holds none", burst, interval)
	}
	at := now.UnixMicro()
	// An attempt is allowed while the bucket drains by latest: then there is
	// room for one more.
	latest := at + int64(burst-1)*step
	return write(ctx, s, "take", func(tx *tx) (time.Duration, error) {
		taken, err := tx.exec(`INSERT INTO main.attempts (bucket, drained_at) VALUES (?1, ?3)
			ON CONFLICT (bucket) DO UPDATE SET
				drained_at = CASE WHEN attempts.drained_at > ?2 THEN attempts.drained_at + ?4 ELSE ?3 END
			WHERE attempts.drained_at <= ?5`, bucket[:], at, at+step, step, latest)
		if err != nil || taken == 1 {
			return 0, err
		}
		// No bucket drains later than one that has just been filled. One that does was
		// filled by a clock that was ahead, or under larger limits: it counts as full, or
		// else it would block everybody for as long as that clock was wrong.
		full := at + int64(burst)*step
		cut, err := tx.exec(`UPDATE main.attempts SET drained_at = ?2 WHERE bucket = ?1 AND drained_at > ?3`,
			bucket[:], full, full+skew.Microseconds())
		if err != nil || cut == 1 {
			return interval, err
		}
		drained, err := one(tx, scanTime, `SELECT drained_at FROM main.attempts WHERE bucket = ?1`, bucket[:])
		if err != nil {
			return 0, err
		}
		return time.Duration(drained.UnixMicro()-latest) * time.Microsecond, nil
	})
}

// GiveBackAttempt implements storage.Attempts.
func (s *Store) GiveBackAttempt(ctx context.Context, bucket storage.Digest, sooner time.Duration) error {
	if sooner <= 0 {
		return fmt.Errorf("give back: %v is nothing to give", sooner)
	}
	return s.change(ctx, "give back", func(tx *tx) error {
		_, err := tx.exec(`UPDATE main.attempts SET drained_at = drained_at - ?2 WHERE bucket = ?1`, bucket[:], sooner.Microseconds())
		return err
	})
}

// ResetAttempts implements storage.Attempts.
func (s *Store) ResetAttempts(ctx context.Context, bucket storage.Digest) error {
	return s.change(ctx, "forget attempts", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM main.attempts WHERE bucket = ?1`, bucket[:])
		return err
	})
}

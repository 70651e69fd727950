package sqlstore

import (
	"context"
	"time"
)

// sweeps remove up to ?2 rows each of what had ended at ?1, the longest ended
// first, which is also the order that two sweeps at once agree on. The condition
// stands twice because a row may have been given a new end after it was selected.
var sweeps = []string{
	`DELETE FROM tokens WHERE digest IN (
		SELECT digest FROM tokens WHERE kind = 2 AND expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM tokens WHERE digest IN (
		SELECT t.digest FROM grants g JOIN tokens t ON t.grant_id = g.id
		WHERE g.expires_at <= ?1 ORDER BY g.expires_at, t.digest LIMIT ?2)`,

	// Only grants whose tokens are gone, so that a grant with a million of them
	// is not removed in one go. They are looked for among the first alone: behind
	// those there may be millions that still have tokens.
	`DELETE FROM grants WHERE id IN (
		SELECT id FROM grants WHERE expires_at <= ?1 ORDER BY expires_at, id LIMIT ?2)
		AND NOT EXISTS (SELECT 1 FROM tokens t WHERE t.grant_id = grants.id)`,

	`DELETE FROM sessions WHERE idle_until <= ?1 AND digest IN (
		SELECT digest FROM sessions WHERE idle_until <= ?1 ORDER BY idle_until, digest LIMIT ?2)`,

	`DELETE FROM tickets WHERE expires_at <= ?1 AND digest IN (
		SELECT digest FROM tickets WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM attempts WHERE drained_at <= ?1 AND bucket IN (
		SELECT bucket FROM attempts WHERE drained_at <= ?1 ORDER BY drained_at, bucket LIMIT ?2)`,
}

// Sweep implements storage.Store.
func (s *Store) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	return write(ctx, s, "sweep", func(tx *tx) (int, error) {
		removed := 0
		for _, sweep := range sweeps {
			n, err := tx.exec(sweep, micros(now), max(limit, 0))
			if err != nil {
				return 0, err
			}
			removed += n
		}
		return removed, nil
	})
}

package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A sweep removes up to limit rows that had ended by now.
type sweep func(tx *tx, now time.Time, limit int) (int, error)

// rowSweeps remove up to ?2 rows each that had ended at ?1, in order of their end, so that
// concurrent sweeps do not wait for each other. The condition stands twice because a row may
// get a new end after it was selected.
var rowSweeps = []string{
	`DELETE FROM main.tokens WHERE digest IN (
		SELECT digest FROM main.tokens WHERE kind = 2 AND expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM main.tokens WHERE digest IN (
		SELECT t.digest FROM main.grants g JOIN main.tokens t ON t.grant_id = g.id
		WHERE coalesce(g.kept_until, g.expires_at) <= ?1 ORDER BY coalesce(g.kept_until, g.expires_at), t.digest LIMIT ?2)`,

	// Only grants without tokens, so that no step removes a million tokens with their
	// grant. Only the first grants are searched: behind them may be millions with tokens.
	`DELETE FROM main.grants WHERE id IN (
		SELECT id FROM main.grants WHERE coalesce(kept_until, expires_at) <= ?1 ORDER BY coalesce(kept_until, expires_at), id LIMIT ?2)
		AND NOT EXISTS (SELECT 1 FROM main.tokens t WHERE t.grant_id = grants.id)`,

	`DELETE FROM main.client_sessions WHERE expires_at <= ?1 AND id IN (
		SELECT id FROM main.client_sessions WHERE expires_at <= ?1 ORDER BY expires_at, id LIMIT ?2)`,

	`DELETE FROM main.tickets WHERE expires_at <= ?1 AND digest IN (
		SELECT digest FROM main.tickets WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM main.email_returns WHERE expires_at <= ?1 AND (account_id, epoch) IN (
		SELECT account_id, epoch FROM main.email_returns WHERE expires_at <= ?1 ORDER BY expires_at, account_id, epoch LIMIT ?2)`,

	`DELETE FROM main.trusted_devices WHERE expires_at <= ?1 AND digest IN (
		SELECT digest FROM main.trusted_devices WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM main.recoveries WHERE ends_at <= ?1 AND account_id IN (
		SELECT account_id FROM main.recoveries WHERE ends_at <= ?1 ORDER BY ends_at, account_id LIMIT ?2)`,

	`DELETE FROM main.used_ids WHERE expires_at <= ?1 AND digest IN (
		SELECT digest FROM main.used_ids WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM main.pushed_requests WHERE expires_at <= ?1 AND digest IN (
		SELECT digest FROM main.pushed_requests WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM main.device_codes WHERE expires_at <= ?1 AND digest IN (
		SELECT digest FROM main.device_codes WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	`DELETE FROM main.attempts WHERE drained_at <= ?1 AND bucket IN (
		SELECT bucket FROM main.attempts WHERE drained_at <= ?1 ORDER BY drained_at, bucket LIMIT ?2)`,

	`DELETE FROM main.caller_codes WHERE expires_at <= ?1 AND (account_id, proof) IN (
		SELECT account_id, proof FROM main.caller_codes WHERE expires_at <= ?1 ORDER BY expires_at, account_id, proof LIMIT ?2)`,

	`DELETE FROM main.answers WHERE expires_at <= ?1 AND (client, key) IN (
		SELECT client, key FROM main.answers WHERE expires_at <= ?1 ORDER BY expires_at, client, key LIMIT ?2)`,

	`DELETE FROM main.deliveries WHERE expires_at <= ?1 AND (receiver_id, number) IN (
		SELECT receiver_id, number FROM main.deliveries WHERE expires_at <= ?1 ORDER BY expires_at, receiver_id, number LIMIT ?2)`,

	`DELETE FROM main.registration_tokens WHERE digest IN (
		SELECT digest FROM main.registration_tokens WHERE expires_at <= ?1 ORDER BY expires_at, digest LIMIT ?2)`,

	// A day later, in microseconds, so that no clock misses them on their list.
	`DELETE FROM main.credentials WHERE id IN (
		SELECT id FROM main.credentials WHERE expires_at <= ?1 - 86400000000 ORDER BY expires_at, id LIMIT ?2)`,

	// A month later, in microseconds, so that until then the link says that it has expired.
	`DELETE FROM main.invitations WHERE token IN (
		SELECT token FROM main.invitations WHERE expires_at <= ?1 - 2592000000000 ORDER BY expires_at, token LIMIT ?2)`,
}

var sweeps = append(sweepsOfRows(), sweepSessions)

func sweepsOfRows() (all []sweep) {
	for _, query := range rowSweeps {
		all = append(all, func(tx *tx, now time.Time, limit int) (int, error) { return tx.exec(query, micros(now), limit) })
	}
	return all
}

// sweepSessions removes sessions, after the client sessions that would tell applications of
// their end. A lock makes both the same sessions.
func sweepSessions(tx *tx, now time.Time, limit int) (int, error) {
	over, err := all(tx, scanDigest, `SELECT digest FROM main.sessions WHERE idle_until <= ?1
		ORDER BY idle_until, digest LIMIT ?2 `+tx.store.dialect.ForUpdate, micros(now), limit)
	if err != nil {
		return 0, err
	}
	for _, session := range over {
		for _, query := range []string{
			`DELETE FROM main.client_sessions WHERE session = ?1`, `DELETE FROM main.sessions WHERE digest = ?1`,
		} {
			if _, err := tx.exec(query, session[:]); err != nil {
				return 0, err
			}
		}
	}
	return len(over), nil
}

func scanDigest(row scanner) (d storage.Digest, err error) {
	err = row.Scan((*digest)(&d))
	return d, err
}

// A sweep of SQLite holds the only writer. The time to remove a row differs by a factor of a
// hundred, with the size of the tables and their part in memory. So the time is bounded: after
// sweepTime no further sweepChunk rows begin, which makes some 5 ms with the commit. Shorter steps do not keep up with what is issued.
const (
	sweepTime  = 3 * time.Millisecond
	sweepChunk = 16
)

// sweepChunk is how many rows go before the next look at the time: more where others write beside
// the sweep, so that nobody waits for it, and where each look is a round trip.
func (d Dialect) sweepChunk() int {
	if d.ForUpdate != "" {
		return 16 * sweepChunk
	}
	return sweepChunk
}

// Sweep implements storage.Store. It goes on with the kind at which the last one ended: one with
// millions of rows must not delay the others.
func (s *Store) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	return write(ctx, s, "sweep", func(tx *tx) (int, error) {
		begin, removed := time.Now(), 0
		left := make([]int, len(sweeps))
		for i := range left {
			left[i] = max(limit, 0)
		}
		for i, unended := int(s.sweepAt.Load()), len(sweeps); unended > 0; i++ {
			i %= len(sweeps)
			chunk := min(left[i], s.dialect.sweepChunk())
			if chunk == 0 {
				unended--
				continue
			}
			unended = len(sweeps)
			n, err := sweeps[i](tx, now, chunk)
			if err != nil {
				return 0, err
			}
			removed += n
			// Zero says that there is nothing left, so something must go first.
			if removed > 0 && time.Since(begin) >= sweepTime {
				s.sweepAt.Store(uint32(i+1) % uint32(len(sweeps)))
				return removed, nil
			}
			left[i] -= chunk
			if n == 0 {
				left[i] = 0
			}
		}
		return removed, nil
	})
}

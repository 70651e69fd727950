package sqlstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// atOnce is the next_at of client sessions that are due at the end of their session. It is not
// a time of this clock, since another machine's may be ahead.
const atOnce = 0

// insertClientSession begins a client session, as part of a grant. An existing one waits
// for the end of the session again: a session of the host that has ended evidently
// continues.
func insertClientSession(tx *tx, g storage.Grant, on storage.Basis) error {
	if on.Notice.ID.IsZero() {
		return nil
	}
	due, expires := any(atOnce), any(nil)
	switch {
	case !on.Session.IsZero(): // which the grant has locked
	case on.Notice.ExpiresAt.IsZero():
		return errors.New("a client session of the host's has no end")
	default:
		due, expires = nil, micros(on.Notice.ExpiresAt)
	}
	_, err := tx.expect(`INSERT INTO main.client_sessions (id, session, client_id, subject, sid, host_session, created_at, expires_at, next_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
		ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, next_at = excluded.next_at, attempts = 0`,
		on.Notice.ID[:], digestOrNull(on.Session), g.ClientID, g.Subject, g.SID, digestOrNull(on.Notice.HostSession),
		micros(g.CreatedAt), expires, due)
	return err
}

// replaceSession ends the session that another one of this account replaces in a browser. The
// lock orders a concurrent grant in it before this step, or has it fail: its client session
// must not stay behind.
func replaceSession(tx *tx, replaced storage.Digest, by storage.Session) error {
	if replaced.IsZero() {
		return nil
	}
	owner, err := one(tx, scanString, `SELECT account_id FROM main.sessions WHERE digest = ?1 `+tx.store.dialect.ForUpdate, replaced[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil && owner == by.AccountID {
		_, err = tx.exec(`UPDATE main.client_sessions SET session = ?2 WHERE session = ?1`, replaced[:], by.Digest[:])
	}
	if err == nil {
		_, err = tx.exec(`DELETE FROM main.sessions WHERE digest = ?1`, replaced[:])
	}
	return err
}

// EndClientSessions implements storage.ClientSessions.
func (s *Store) EndClientSessions(ctx context.Context, subject string, hostSession storage.Digest) (int, error) {
	return write(ctx, s, "end client sessions", func(tx *tx) (int, error) {
		return endClientSessions(tx, subject, hostSession)
	})
}

// endClientSessions makes the client sessions of a host's user due, as part of a larger step.
func endClientSessions(tx *tx, subject string, hostSession storage.Digest) (int, error) {
	var filter where
	due := filter.param(atOnce)
	filter.and("subject = ?", subject)
	filter.conditions = append(filter.conditions, "session IS NULL", "next_at IS NULL")
	if !hostSession.IsZero() {
		filter.and("host_session = ?", hostSession[:])
	}
	return tx.exec(`UPDATE main.client_sessions SET expires_at = NULL, next_at = `+due+filter.String(), filter.args...)
}

// maxDue is the number of due client sessions that are examined: one client may have a million.
const maxDue = 256

// TakeClientSessions implements storage.ClientSessions. It is called every second, and
// mostly finds nothing, which takes no writer.
func (s *Store) TakeClientSessions(ctx context.Context, turn storage.Turn) ([]storage.ClientSession, error) {
	var filter where
	now := filter.param(micros(turn.Now))
	due := ` FROM main.client_sessions WHERE session IS NULL AND next_at <= ` + now
	if len(turn.Except) > 0 {
		params := make([]string, len(turn.Except))
		for i, id := range turn.Except {
			params[i] = filter.param(id)
		}
		due += ` AND client_id NOT IN (` + strings.Join(params, ", ") + `)`
	}
	waiting := filter.args
	found, err := read(ctx, s, "look for client sessions", func(tx *tx) ([]int, error) {
		return all(tx, scanInt, `SELECT 1`+due+` LIMIT 1`, waiting...)
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	until, most := filter.param(micros(turn.Until)), filter.param(maxDue)
	perClient, limit := filter.param(max(turn.PerClient, 0)), filter.param(max(turn.Limit, 0))
	return write(ctx, s, "take client sessions", func(tx *tx) ([]storage.ClientSession, error) {
		query := `UPDATE main.client_sessions SET next_at = ` + until + `, attempts = attempts + 1
			WHERE session IS NULL AND next_at <= ` + now + ` AND id IN (
				SELECT id FROM (
					SELECT id, next_at, row_number() OVER (PARTITION BY client_id ORDER BY next_at, id) AS place FROM (
						SELECT id, client_id, next_at` + due + ` ORDER BY next_at, id LIMIT ` + most + skipLocked(tx) + `) AS due
				) AS placed WHERE place <= ` + perClient + ` ORDER BY next_at, id LIMIT ` + limit + `)
			RETURNING id, client_id, subject, sid, created_at, attempts`
		return all(tx, scanClientSession, query, filter.args...)
	})
}

// WaitingClientSessions implements storage.ClientSessions.
func (s *Store) WaitingClientSessions(ctx context.Context, limit int) (int, error) {
	return read(ctx, s, "count client sessions", func(tx *tx) (int, error) {
		return one(tx, scanInt, `SELECT count(*) FROM (
			SELECT 1 FROM main.client_sessions WHERE session IS NULL AND next_at IS NOT NULL LIMIT ?1) AS waiting`, limit)
	})
}

// SettleClientSession implements storage.ClientSessions.
func (s *Store) SettleClientSession(ctx context.Context, taken storage.ClientSession, due time.Time) error {
	return s.change(ctx, "settle client session", func(tx *tx) error {
		if due.IsZero() {
			_, err := tx.exec(`DELETE FROM main.client_sessions WHERE id = ?1 AND attempts = ?2`, taken.ID[:], taken.Attempts)
			return err
		}
		_, err := tx.exec(`UPDATE main.client_sessions SET next_at = ?3 WHERE id = ?1 AND attempts = ?2`,
			taken.ID[:], taken.Attempts, micros(due))
		return err
	})
}

// RemoveClientSessions implements storage.ClientSessions.
func (s *Store) RemoveClientSessions(ctx context.Context, clientID string) (int, error) {
	return write(ctx, s, "remove client sessions", func(tx *tx) (removed int, err error) {
		for begin := time.Now(); removed == 0 || time.Since(begin) < stepTime; {
			n, err := tx.exec(`DELETE FROM main.client_sessions WHERE id IN (
				SELECT id FROM main.client_sessions WHERE client_id = ?1 LIMIT ?2)`, clientID, sweepChunk)
			if err != nil {
				return 0, err
			}
			if removed += n; n < sweepChunk {
				break
			}
		}
		return removed, nil
	})
}

func scanClientSession(row scanner) (c storage.ClientSession, err error) {
	err = row.Scan((*digest)(&c.ID), &c.ClientID, &c.Subject, &c.SID, (*instant)(&c.CreatedAt), &c.Attempts)
	return c, err
}

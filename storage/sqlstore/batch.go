package sqlstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A change of up to a million rows has two kinds of steps: some only read and find the rows,
// a number at a time in the order of the key, others change them in a few milliseconds. This
// needs no index, for which every sign-in would pay, and never blocks the only writer of
// SQLite for long.

// stepTime is the time after which a step begins no further row. It is longer than that of a
// sweep, because callers wait for the end of the removal.
const stepTime = 10 * time.Millisecond

// seen is an examined row.
type seen[K any] struct {
	id      K
	matches bool
}

// pick returns the matching rows, and the last examined unless there are no more.
func pick[K any](rows []seen[K], limit int) (found []K, last K) {
	for _, row := range rows {
		if row.matches {
			found = append(found, row.id)
		}
	}
	if len(rows) > 0 && len(rows) == limit {
		last = rows[len(rows)-1].id
	}
	return found, last
}

// matching is an SQL expression that reports whether a row meets the conditions.
func (w *where) matching() string {
	if len(w.conditions) == 0 {
		return "0"
	}
	return "CASE WHEN " + strings.Join(w.conditions, " AND ") + " THEN 1 ELSE 0 END"
}

// some changes rows one after the other, at least one, until stepTime is over.
func some[T any](all []T, change func(T) error) (done int, err error) {
	for begin := time.Now(); done < len(all) && (done == 0 || time.Since(begin) < stepTime); done++ {
		if err := change(all[done]); err != nil {
			return 0, err
		}
	}
	return done, nil
}

// endSome ends some rows, and records events of the subjects that end returns.
func endSome[T any](ctx context.Context, s *Store, what string, rows []T, end func(*tx, T) ([]string, error), events []storage.EventsOf) (int, error) {
	return write(ctx, s, what, func(tx *tx) (int, error) {
		var subjects []string
		done, err := some(rows, func(row T) error {
			of, err := end(tx, row)
			subjects = append(subjects, of...)
			return err
		})
		slices.Sort(subjects)
		subjects = slices.Compact(subjects)
		for _, of := range events {
			if err == nil {
				err = appendEvents(tx, of(subjects))
			}
		}
		return done, err
	})
}

// FindGrants implements storage.Grants.
func (s *Store) FindGrants(ctx context.Context, match storage.GrantFilter, after storage.GrantID, limit int) (found []storage.GrantID, last storage.GrantID, err error) {
	var filter where
	start, most := filter.param(after[:]), filter.param(max(limit, 0))
	filter.andGrants(match)
	query := `SELECT id, ` + filter.matching() + ` FROM main.grants WHERE id > ` + start + ` ORDER BY id LIMIT ` + most
	rows, err := read(ctx, s, "find grants", func(tx *tx) ([]seen[storage.GrantID], error) {
		return all(tx, func(row scanner) (r seen[storage.GrantID], err error) {
			err = row.Scan((*grantID)(&r.id), &r.matches)
			return r, err
		}, query, filter.args...)
	})
	found, last = pick(rows, limit)
	return found, last, err
}

// EndGrants implements storage.Grants.
func (s *Store) EndGrants(ctx context.Context, ids []storage.GrantID, at time.Time, events ...storage.EventsOf) (int, error) {
	return endSome(ctx, s, "end grants", ids, func(tx *tx, id storage.GrantID) ([]string, error) {
		return all(tx, scanString, `UPDATE main.grants SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL RETURNING subject`, id[:], micros(at))
	}, events)
}

// RemoveGrants implements storage.Grants. A grant may have thousands of tokens, which do
// not go in one step.
func (s *Store) RemoveGrants(ctx context.Context, ids []storage.GrantID) (int, error) {
	return write(ctx, s, "remove grants", func(tx *tx) (done int, err error) {
		for begin := time.Now(); done < len(ids); {
			gone, err := removeGrant(tx, ids[done])
			if err != nil {
				return 0, err
			}
			if gone {
				done++
			}
			if time.Since(begin) >= stepTime {
				break
			}
		}
		return done, nil
	})
}

// removeGrant removes some tokens of a grant, and the grant with the last of them.
func removeGrant(tx *tx, id storage.GrantID) (gone bool, err error) {
	removed, err := tx.exec(`DELETE FROM main.tokens WHERE digest IN (
		SELECT digest FROM main.tokens WHERE grant_id = ?1 LIMIT ?2)`, id[:], sweepChunk)
	if err != nil || removed == sweepChunk {
		return false, err
	}
	if _, err = tx.exec(`DELETE FROM main.grants WHERE id = ?1`, id[:]); err != nil {
		return false, err
	}
	return true, haveChecked(tx, `grant_id = ?1`, id[:])
}

// FindConsents implements storage.Consents.
func (s *Store) FindConsents(ctx context.Context, clientID string, after storage.ConsentID, limit int) (found []storage.ConsentID, last storage.ConsentID, err error) {
	rows, err := read(ctx, s, "find consents", func(tx *tx) ([]seen[storage.ConsentID], error) {
		return all(tx, func(row scanner) (r seen[storage.ConsentID], err error) {
			err = row.Scan(&r.id.Subject, &r.id.ClientID)
			r.matches = r.id.ClientID == clientID
			return r, err
		}, `SELECT subject, client_id FROM main.consents
			WHERE (subject, client_id) > (?1, ?2) ORDER BY subject, client_id LIMIT ?3`,
			after.Subject, after.ClientID, max(limit, 0))
	})
	found, last = pick(rows, limit)
	return found, last, err
}

// RemoveConsents implements storage.Consents.
func (s *Store) RemoveConsents(ctx context.Context, ids []storage.ConsentID, at time.Time) (int, error) {
	return write(ctx, s, "remove consents", func(tx *tx) (int, error) {
		return some(ids, func(id storage.ConsentID) error { return endConsent(tx, id, at) })
	})
}

// FindSessions implements storage.Sessions.
func (s *Store) FindSessions(ctx context.Context, createdBefore time.Time, after storage.Digest, limit int) (found []storage.Digest, last storage.Digest, err error) {
	rows, err := read(ctx, s, "find sessions", func(tx *tx) ([]seen[storage.Digest], error) {
		return all(tx, func(row scanner) (r seen[storage.Digest], err error) {
			err = row.Scan((*digest)(&r.id), &r.matches)
			return r, err
		}, `SELECT digest, CASE WHEN created_at < ?3 THEN 1 ELSE 0 END FROM main.sessions
			WHERE digest > ?1 ORDER BY digest LIMIT ?2`, after[:], max(limit, 0), micros(createdBefore))
	})
	found, last = pick(rows, limit)
	return found, last, err
}

// RemoveSessions implements storage.Sessions.
func (s *Store) RemoveSessions(ctx context.Context, digests []storage.Digest, events ...storage.EventsOf) (int, error) {
	return endSome(ctx, s, "remove sessions", digests, func(tx *tx, session storage.Digest) ([]string, error) {
		return all(tx, scanString, `DELETE FROM main.sessions WHERE digest = ?1 RETURNING account_id`, session[:])
	}, events)
}

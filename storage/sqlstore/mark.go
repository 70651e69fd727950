package sqlstore

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// afterMark returns the condition of events behind a turn and an ID (?1 and ?2), and their order.
// Where steps run beside each other the order of IDs is not that of commits: a mark would pass an
// event that is committed later.
func (d Dialect) afterMark() (condition, order string) {
	if d.OldestTurn == "" {
		return `turn >= ?1 AND id > ?2`, ` ORDER BY id LIMIT ?3`
	}
	return `(turn, id) > (?1, ?2)`, ` ORDER BY turn, id LIMIT ?3`
}

// placed is an event with its turn.
type placed struct {
	storage.Event
	turn int64
}

// EventsAfter implements storage.Signals. Events are read before the state of the log: what is removed
// between the two must not be missed.
func (s *Store) EventsAfter(ctx context.Context, m storage.Mark, limit int) ([]storage.Event, storage.Mark, error) {
	condition, order := s.dialect.afterMark()
	if s.dialect.OldestTurn != "" {
		condition += ` AND turn < ` + s.dialect.OldestTurn
	}
	found, err := read(ctx, s, "read events behind a mark", func(tx *tx) ([]placed, error) {
		return all(tx, func(row scanner) (p placed, err error) {
			err = row.Scan(append(eventFields(&p.Event), &p.turn)...)
			return p, err
		}, `SELECT `+eventColumns+`, turn FROM main.events WHERE `+condition+order, m.Turn, m.ID, max(limit, 0))
	})
	if err != nil {
		return nil, m, err
	}
	removed, err := read(ctx, s, "read the state of the log", func(tx *tx) (storage.Mark, error) {
		return one(tx, scanPlace, `SELECT swept_turn, swept_id FROM main.event_log WHERE one = 1`)
	})
	next := m
	switch {
	case err != nil:
		return nil, m, err
	case isBehind(removed, m):
		end, err := read(ctx, s, "find the end of the events", func(tx *tx) (storage.Mark, error) { return tx.end() })
		if err == nil {
			next.Turn, next.ID, err = end.Turn, end.ID, storage.ErrEnded
		}
		return nil, next, err
	case len(found) > 0:
		next.Turn, next.ID = found[len(found)-1].turn, found[len(found)-1].ID
	}
	events := make([]storage.Event, len(found))
	for i, p := range found {
		events[i] = p.Event
	}
	return events, next, nil
}

// isBehind reports whether a place comes after a mark.
func isBehind(place, m storage.Mark) bool {
	return place.Turn > m.Turn || place.Turn == m.Turn && place.ID > m.ID
}

// end returns the place behind all events that there are: those of steps that are not over yet come
// after it.
func (t *tx) end() (storage.Mark, error) {
	if oldest := t.store.dialect.OldestTurn; oldest != "" {
		turn, err := one(t, scanInt64, `SELECT `+oldest+` - 1`)
		return storage.Mark{Turn: turn, ID: math.MaxInt64}, err
	}
	return one(t, scanPlace, `SELECT 0, coalesce(max(id), 0) FROM main.events`)
}

func scanPlace(row scanner) (m storage.Mark, err error) {
	err = row.Scan(&m.Turn, &m.ID)
	return m, err
}

func scanMark(row scanner) (m storage.Mark, err error) {
	err = row.Scan(&m.Reader, &m.Turn, &m.ID, &m.Holder, (*instant)(&m.Until))
	return m, err
}

const markColumns = `reader, turn, id, holder, held_until`

// TakeMark implements storage.Signals. Who waits for another's looks first, which takes no writer.
func (s *Store) TakeMark(ctx context.Context, reader, holder string, now, until time.Time) (storage.Mark, error) {
	known, err := read(ctx, s, "look at a mark", func(tx *tx) (storage.Mark, error) { return readMark(tx, reader, "") })
	if err == nil && isHeld(known, holder, now) {
		return known, storage.ErrConflict
	}
	if err == nil || errors.Is(err, storage.ErrNotFound) {
		err = s.forgetTurns(ctx)
	}
	if err != nil {
		return storage.Mark{}, err
	}
	return write(ctx, s, "take mark", func(tx *tx) (storage.Mark, error) {
		m, err := readMark(tx, reader, tx.store.dialect.ForUpdate)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			if m, err = tx.end(); err != nil {
				return m, err
			}
		case err != nil:
			return m, err
		case isHeld(m, holder, now):
			return m, storage.ErrConflict
		}
		m.Reader, m.Holder, m.Until = reader, holder, until.UTC().Truncate(time.Microsecond)
		taken, err := tx.exec(`INSERT INTO main.marks (`+markColumns+`) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (reader) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
			WHERE marks.holder = excluded.holder OR marks.held_until <= ?6`,
			reader, m.Turn, m.ID, holder, micros(until), micros(now))
		if err == nil && taken == 0 { // another has made it meanwhile
			err = storage.ErrConflict
		}
		return m, err
	})
}

func readMark(tx *tx, reader, lock string) (storage.Mark, error) {
	return one(tx, scanMark, `SELECT `+markColumns+` FROM main.marks WHERE reader = ?1 `+lock, reader)
}

func isHeld(m storage.Mark, holder string, now time.Time) bool {
	return m.Holder != holder && m.Until.After(now)
}

// turnsAtOnce is how many events forgetTurns changes in one step.
const turnsAtOnce = 10_000

// forgetTurns removes the turns of another server, from which the database was restored: they may be
// ahead of those of this one for years, and what is recorded now would come before what is read.
func (s *Store) forgetTurns(ctx context.Context) error {
	next := s.dialect.NextTurn
	if next == "" {
		return nil
	}
	foreign := ` WHERE turn >= ` + next
	for {
		found, err := read(ctx, s, "look for foreign turns", func(tx *tx) ([]int, error) {
			// The last of an index is found whatever the database believes of the others.
			return all(tx, scanInt, `SELECT 1 WHERE (SELECT max(turn) FROM main.events) >= `+next+` OR (SELECT max(turn) FROM main.marks) >= `+next)
		})
		if err != nil || len(found) == 0 {
			return err
		}
		err = s.change(ctx, "forget turns", func(tx *tx) error {
			for _, statement := range []string{
				`UPDATE main.event_log SET swept_turn = 0 WHERE swept_turn >= ` + next,
				`UPDATE main.marks SET turn = 0` + foreign,
			} {
				if _, err := tx.exec(statement); err != nil {
					return err
				}
			}
			_, err := tx.exec(`UPDATE main.events SET turn = 0 WHERE id IN (SELECT id FROM main.events`+foreign+` LIMIT ?1)`, turnsAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// MoveMark implements storage.Signals.
func (s *Store) MoveMark(ctx context.Context, from, to storage.Mark, deliveries []storage.Delivery) error {
	return s.change(ctx, "move mark", func(tx *tx) error {
		moved, err := tx.exec(`UPDATE main.marks SET turn = ?5, id = ?6, held_until = ?7
			WHERE reader = ?1 AND holder = ?2 AND turn = ?3 AND id = ?4`,
			from.Reader, from.Holder, from.Turn, from.ID, to.Turn, to.ID, micros(to.Until))
		if err == nil && moved == 0 {
			err = storage.ErrChanged
		}
		if err != nil {
			return err
		}
		return addDeliveries(tx, deliveries)
	})
}

// Marks implements storage.Signals.
func (s *Store) Marks(ctx context.Context) ([]storage.Mark, error) {
	marks, err := read(ctx, s, "read marks", func(tx *tx) ([]storage.Mark, error) {
		return all(tx, scanMark, `SELECT `+markColumns+` FROM main.marks WHERE reader > '' ORDER BY reader LIMIT ?1`, defaultPage)
	})
	condition, order := s.dialect.afterMark()
	for i, m := range marks {
		if err != nil {
			break
		}
		marks[i].Unread, err = read(ctx, s, "look behind a mark", func(tx *tx) (time.Time, error) {
			at, err := one(tx, scanTime, `SELECT at FROM main.events WHERE `+condition+order, m.Turn, m.ID, 1)
			if errors.Is(err, storage.ErrNotFound) {
				return time.Time{}, nil
			}
			return at, err
		})
	}
	return marks, err
}

// Listeners implements storage.Signals. A subject has a grant for each sign-in, of which most are alike.
func (s *Store) Listeners(ctx context.Context, subjects []string, since time.Time) ([]storage.Listener, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	var filter where
	andAnyOf(&filter, "subject", subjects)
	from := filter.param(micros(since))
	filter.conditions = append(filter.conditions, `expires_at > `+from, `(revoked_at IS NULL OR revoked_at >= `+from+`)`)
	query := `SELECT subject, client_id, group_names, CASE WHEN count(*) > count(revoked_at) THEN NULL ELSE max(revoked_at) END
		FROM main.grants` + filter.String() + ` GROUP BY subject, client_id, group_names`
	return read(ctx, s, "find who has grants", func(tx *tx) ([]storage.Listener, error) {
		return all(tx, func(row scanner) (l storage.Listener, err error) {
			err = row.Scan(&l.Subject, &l.ClientID, (*list)(&l.Groups), (*instant)(&l.EndedAt))
			return l, err
		}, query, filter.args...)
	})
}

package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A step rewrites eventChunk events of a person before it looks whether eventTime is over, and maxChunks
// times as many at most. What it changes lies all over the file, so that the commit takes SQLite longer
// than the rest.
const (
	eventChunk = 16
	eventTime  = time.Millisecond
	maxChunks  = 16
)

// Departed implements storage.Deletions.
func (s *Store) Departed(ctx context.Context, after string, limit int, subject ...string) ([]storage.Departed, error) {
	var filter where
	filter.and("subject > ?", after)
	for _, one := range subject {
		filter.and("subject = ?", one)
	}
	query := `SELECT subject, pseudonym FROM main.departed` + filter.String() + ` ORDER BY subject LIMIT ` + filter.param(max(limit, 0))
	return read(ctx, s, "list deleted people", func(tx *tx) ([]storage.Departed, error) { return all(tx, scanDeparted, query, filter.args...) })
}

func scanDeparted(row scanner) (d storage.Departed, err error) {
	err = row.Scan(&d.Subject, &d.Pseudonym)
	return d, err
}

// RemoveDeparted implements storage.Deletions.
func (s *Store) RemoveDeparted(ctx context.Context, d storage.Departed, erase storage.Erase) (bool, error) {
	left, err := write(ctx, s, "remove deleted person", func(tx *tx) (bool, error) {
		known, err := lockDeparted(tx, d.Subject)
		if err != nil || known.Subject == "" {
			return false, err
		}
		// A case that was decided in between has recorded what it found, and was forgotten.
		_, err = tx.exec(`DELETE FROM main.statuses WHERE subject = ?1 AND origin <> ''
			AND NOT EXISTS (SELECT 1 FROM main.cases c WHERE c.id = statuses.origin)`, d.Subject)
		if err != nil {
			return false, err
		}
		_, left, err := removeLeft(tx, known, erase)
		return left, err
	})
	if err != nil || left {
		return left, err
	}
	return s.forgetDeparted(ctx, d.Subject)
}

// forgetDeparted removes the record of a deleted person of whom nothing is left, and reports
// whether something is. Where steps run beside each other, an event may have been written that
// nobody sees before its commit: nobody is in the middle of such a step. The record is locked
// before the events, as everywhere.
func (s *Store) forgetDeparted(ctx context.Context, subject string) (bool, error) {
	return write(ctx, s, "forget deleted person", func(tx *tx) (bool, error) {
		known, err := lockDeparted(tx, subject)
		if err != nil || known.Subject == "" {
			return false, err
		}
		for _, statement := range s.dialect.PauseEvents {
			if _, err := tx.exec(statement); err != nil {
				return false, err
			}
		}
		forgotten, err := tx.exec(`DELETE FROM main.departed WHERE subject = ?1 AND NOT EXISTS (SELECT 1 FROM main.events e WHERE e.subject = ?1)`, subject)
		return forgotten == 0, err
	})
}

// lockDeparted returns and locks the record of a deleted person; the zero value if there is none.
func lockDeparted(tx *tx, subject string) (storage.Departed, error) {
	d, err := one(tx, scanDeparted, `SELECT subject, pseudonym FROM main.departed WHERE subject = ?1 `+tx.store.dialect.ForUpdate, subject)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Departed{}, nil
	}
	return d, err
}

// removeLeft removes what may be much of a deleted person until the time of a step is over, for
// which nobody waits, and some of each kind in any case.
func removeLeft(tx *tx, d storage.Departed, erase storage.Erase) (removed int, left bool, err error) {
	begin := time.Now()
	grants := func() (int, bool, error) { return removeEnded(tx, d.Subject) }
	events := func() (int, bool, error) { return renameEvents(tx, d, erase) }
	credentials := func() (int, bool, error) { return disownCredentials(tx, d.Subject) }
	for _, some := range [...]func() (int, bool, error){grants, events, credentials} {
		for chunks, more := 0, true; more; chunks++ {
			if chunks == maxChunks || chunks > 0 && time.Since(begin) >= eventTime {
				left = true
				break
			}
			var n int
			if n, more, err = some(); err != nil {
				return 0, false, err
			}
			removed += n
		}
	}
	return removed, left, nil
}

// removeEnded removes some ended grants of a subject, and reports whether there may be more.
func removeEnded(tx *tx, subject string) (removed int, more bool, err error) {
	ended, err := all(tx, scanGrantID, `SELECT id FROM main.grants WHERE subject = ?1 AND revoked_at IS NOT NULL LIMIT ?2`, subject, sweepChunk)
	if err != nil {
		return 0, false, err
	}
	for _, id := range ended {
		gone, err := removeGrant(tx, id)
		if err != nil || !gone {
			return removed, true, err
		}
		removed++
	}
	return removed, len(ended) == sweepChunk, nil
}

func scanGrantID(row scanner) (id storage.GrantID, err error) {
	err = row.Scan((*grantID)(&id))
	return id, err
}

// renameEvents puts the pseudonym into some events of a subject, and reports whether there may
// be more. What those in closed blocks were is kept before: under the lock of the log no block
// is closed meanwhile, and what is seen later than the first of them is in none.
func renameEvents(tx *tx, d storage.Departed, erase storage.Erase) (renamed int, more bool, err error) {
	var state logState
	if erase != nil {
		if state, err = lockLog(tx, tx.store.dialect.ForShare); err != nil {
			return 0, false, err
		}
	}
	events, err := all(tx, scanEvent, `SELECT `+rawEventColumns+` FROM main.events WHERE subject = ?1 ORDER BY id LIMIT ?2`, d.Subject, eventChunk)
	if err != nil || len(events) == 0 {
		return 0, false, err
	}
	for _, e := range events {
		if erase == nil || e.ID <= state.swept || e.ID > state.sealed {
			continue
		}
		if err := keepErased(tx, e.ID, erase(e)); err != nil {
			return 0, false, err
		}
	}
	renamed, err = tx.exec(`UPDATE main.events SET subject = ?2, address = '' WHERE subject = ?1 AND id <= ?3`,
		d.Subject, d.Pseudonym, events[len(events)-1].ID)
	return renamed, len(events) == eventChunk, err
}

// keepErased keeps what an event of a closed block was. What was kept first is what was hashed.
func keepErased(tx *tx, id int64, erased storage.Erasure) error {
	_, err := tx.exec(`INSERT INTO main.event_erasures (event_id, subject_mac, address_mac) VALUES (?1, ?2, ?3)
		ON CONFLICT (event_id) DO NOTHING`, id, nonNil(erased.Subject), nonNil(erased.Address))
	return err
}

package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// AppendEvent implements storage.Events.
func (s *Store) AppendEvent(ctx context.Context, e storage.Event) error {
	return s.change(ctx, "append event", func(tx *tx) error { return appendEvent(tx, e) })
}

func appendEvent(tx *tx, e storage.Event) error {
	_, err := tx.exec(`INSERT INTO main.events (at, name, subject, client_id, address, detail, actor, matter)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`, micros(e.At), e.Name, e.Subject, e.ClientID, e.Address, e.Detail, e.Actor, e.Matter)
	return err
}

const eventColumns = `id, at, name, subject, client_id, address, detail, actor, matter`

// Events implements storage.Events.
func (s *Store) Events(ctx context.Context, match storage.EventFilter) ([]storage.Event, error) {
	var filter where
	if match.Name != "" {
		filter.and("name = ?", match.Name)
	}
	if match.Subject != "" {
		filter.and("subject = ?", match.Subject)
	}
	if match.ClientID != "" {
		filter.and("client_id = ?", match.ClientID)
	}
	if !match.From.IsZero() {
		filter.and("at >= ?", micros(match.From))
	}
	if !match.Until.IsZero() {
		filter.and("at < ?", micros(match.Until))
	}
	if match.BeforeID != 0 {
		filter.and("id < ?", match.BeforeID)
	}
	query := `SELECT ` + eventColumns + ` FROM main.events` + filter.String() +
		` ORDER BY id DESC LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "read events", func(tx *tx) ([]storage.Event, error) {
		return all(tx, scanEvent, query, filter.args...)
	})
}

// RemoveEvents implements storage.Events. The order of IDs is that of times, except for the
// difference between clocks, so that no index by time is needed, which every event would have
// to update. An event in the future is as old as the first later one that is not: it neither
// stops the removal of others nor stays until its time.
func (s *Store) RemoveEvents(ctx context.Context, before, now time.Time, limit int) (int, error) {
	return write(ctx, s, "remove events", func(tx *tx) (int, error) {
		begin, removed := time.Now(), 0
		for removed < limit && time.Since(begin) < sweepTime {
			n, err := removeEvents(tx, before, now, min(limit-removed, 4*sweepChunk))
			if err != nil {
				return 0, err
			}
			if n == 0 {
				break
			}
			removed += n
		}
		return removed, nil
	})
}

func removeEvents(tx *tx, before, now time.Time, limit int) (int, error) {
	first, err := one(tx, scanEvent, `SELECT `+eventColumns+` FROM main.events
		WHERE at <= ?1 ORDER BY id LIMIT 1`, micros(now.Add(skew)))
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if first.At.Before(before) {
		n, err := tx.exec(`DELETE FROM main.events WHERE id IN (SELECT id FROM main.events WHERE id < ?1 ORDER BY id LIMIT ?2)`, first.ID, limit)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return tx.exec(`DELETE FROM main.events WHERE id IN (
		SELECT id FROM (SELECT id, at FROM main.events WHERE id >= ?3 ORDER BY id LIMIT ?2) AS earliest WHERE at < ?1)`,
		micros(before), limit, first.ID)
}

func scanEvent(row scanner) (e storage.Event, err error) {
	err = row.Scan(&e.ID, (*instant)(&e.At), &e.Name, &e.Subject, &e.ClientID, &e.Address, &e.Detail, &e.Actor, &e.Matter)
	return e, err
}

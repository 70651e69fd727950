package sqlstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const receiverColumns = `id, client_id, kind, state, sealed_record, created_at, revision, attempts, failing_since, next_at, taken`

// isSent is the condition of a receiver to which messages are sent.
const isSent = `state IN ('enabled', 'unverified') AND kind IN ('webhook', 'push')`

// waits is the condition of a receiver for which something waits that it may be sent.
const (
	waits   = `CASE receivers.state WHEN 'unverified' THEN EXISTS (` + waiting + ` AND d.name = '` + storage.Ping + `') ELSE EXISTS (` + waiting + `) END`
	waiting = `SELECT 1 FROM main.deliveries d WHERE d.receiver_id = receivers.id AND d.state = 'waiting' AND d.state <> 'done'`
)

func receiverFields(r *storage.Receiver) []any {
	return []any{
		&r.ID, (*text)(&r.ClientID), &r.Kind, &r.State, &r.Record, (*instant)(&r.CreatedAt), &r.Revision, &r.Attempts,
		(*instant)(&r.FailingSince), (*instant)(&r.NextAt), &r.Taken,
	}
}

func scanReceiver(row scanner) (r storage.Receiver, err error) {
	err = row.Scan(receiverFields(&r)...)
	return r, err
}

// Receivers implements storage.Signals.
func (s *Store) Receivers(ctx context.Context, match storage.ReceiverFilter) ([]storage.Receiver, error) {
	var filter where
	filter.and("id > ?", match.AfterID)
	if match.ID != "" {
		filter.and("id = ?", match.ID)
	}
	if match.ClientID != "" {
		filter.and("client_id = ?", match.ClientID)
	}
	filter.andOneOf("client_id", match.ClientIDs)
	if match.OfHost {
		filter.conditions = append(filter.conditions, "client_id IS NULL")
	}
	limit, counts := filter.param(page(match.Limit)), ""
	if match.Counted {
		most := filter.param(storage.MaxCounted)
		of := func(what, state, rest string) string {
			return `, (SELECT ` + what + ` FROM (SELECT at FROM main.deliveries d
				WHERE d.receiver_id = receivers.id AND d.state = '` + state + `' AND d.state <> 'done'` + rest + `) AS open)`
		}
		counts = of("count(*)", "waiting", " LIMIT "+most) + of("count(*)", "dead", " LIMIT "+most) + of("min(at)", "waiting", " ORDER BY d.number LIMIT 1")
	}
	return read(ctx, s, "read receivers", func(tx *tx) ([]storage.Receiver, error) {
		return all(tx, func(row scanner) (r storage.Receiver, err error) {
			fields := receiverFields(&r)
			if match.Counted {
				fields = append(fields, &r.Waiting, &r.Dead, (*instant)(&r.Oldest))
			}
			err = row.Scan(fields...)
			return r, err
		}, `SELECT `+receiverColumns+counts+` FROM main.receivers`+filter.String()+` ORDER BY id LIMIT `+limit, filter.args...)
	})
}

// SaveReceiver implements storage.Signals. The turn of who sends to the one before ends with it.
func (s *Store) SaveReceiver(ctx context.Context, r storage.Receiver, most int) error {
	return s.change(ctx, "save receiver", func(tx *tx) error {
		if r.Revision == 0 {
			return createReceiver(tx, r, most)
		}
		saved, err := tx.exec(`UPDATE main.receivers SET state = ?3, sealed_record = ?4, revision = ?5, kind = ?6, taken = taken + 1,
			attempts = CASE WHEN ?3 = 'enabled' THEN 0 ELSE attempts END, failing_since = CASE WHEN ?3 = 'enabled' THEN NULL ELSE failing_since END,
			next_at = NULL WHERE id = ?1 AND revision = ?2`, r.ID, r.Revision, string(r.State), nonNil(r.Record), newVersion(), string(r.Kind))
		if err == nil && saved == 0 {
			err = storage.ErrChanged
		}
		if err != nil {
			return err
		}
		return makeDue(tx, r.ID, atOnce)
	})
}

// createReceiver locks the client, so that concurrent calls count each other's.
func createReceiver(tx *tx, r storage.Receiver, most int) error {
	if r.ClientID != "" {
		if _, err := one(tx, scanInt, `SELECT 1 FROM main.clients WHERE id = ?1 AND deleted IS NULL `+tx.store.dialect.ForUpdate, r.ClientID); err != nil {
			return err
		}
		others, err := one(tx, scanInt, `SELECT count(*) FROM main.receivers WHERE client_id = ?1 AND kind = ?2`, r.ClientID, string(r.Kind))
		if err != nil {
			return err
		}
		if others >= most {
			return storage.ErrLimit
		}
	}
	_, err := tx.exec(`INSERT INTO main.receivers (id, client_id, kind, state, sealed_record, created_at, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
		r.ID, optional(r.ClientID), string(r.Kind), string(r.State), nonNil(r.Record), micros(r.CreatedAt), newVersion())
	return err
}

// makeDue makes a receiver due at a time if something waits for it and is sent.
func makeDue(tx *tx, id string, at any) error {
	_, err := tx.exec(`UPDATE main.receivers SET next_at = ?2 WHERE id = ?1 AND `+isSent+` AND `+waits, id, at)
	return err
}

// RemoveReceiver implements storage.Signals. The lock comes first, as where deliveries are added.
func (s *Store) RemoveReceiver(ctx context.Context, id string, revision int64, limit int) (int, error) {
	return write(ctx, s, "remove receiver", func(tx *tx) (int, error) {
		found, err := all(tx, scanInt64, `UPDATE main.receivers SET state = 'disabled', next_at = NULL, taken = taken + 1 WHERE id = ?1 RETURNING revision`, id)
		switch {
		case err != nil || len(found) == 0:
			return 0, err
		case revision != 0 && found[0] != revision:
			return 0, storage.ErrChanged
		}
		removed, err := tx.exec(`DELETE FROM main.deliveries WHERE receiver_id = ?1 AND number IN (
			SELECT number FROM main.deliveries WHERE receiver_id = ?1 ORDER BY number LIMIT ?2)`, id, max(limit, 0))
		if err != nil || removed >= limit {
			return removed, err
		}
		_, err = tx.exec(`DELETE FROM main.receivers WHERE id = ?1`, id)
		return removed + 1, err
	})
}

// TakeReceivers implements storage.Signals. It is called every second, and mostly finds nothing, which
// takes no writer.
func (s *Store) TakeReceivers(ctx context.Context, now, until time.Time, limit int) ([]storage.Receiver, error) {
	const due = ` FROM main.receivers WHERE next_at IS NOT NULL AND next_at <= ?1`
	found, err := read(ctx, s, "look for receivers", func(tx *tx) ([]int, error) { return all(tx, scanInt, `SELECT 1`+due+` LIMIT 1`, micros(now)) })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	taken, err := write(ctx, s, "take receivers", func(tx *tx) ([]storage.Receiver, error) {
		ids, err := all(tx, scanString, `SELECT id`+due+` ORDER BY next_at, id LIMIT ?2`+skipLocked(tx), micros(now), max(limit, 0))
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		var filter where
		set := ` SET next_at = ` + filter.param(micros(until)) + `, taken = taken + 1`
		andAnyOf(&filter, "id", ids)
		return all(tx, scanReceiver, `UPDATE main.receivers`+set+filter.String()+` RETURNING `+receiverColumns, filter.args...)
	})
	slices.SortFunc(taken, func(a, b storage.Receiver) int { return strings.Compare(a.ID, b.ID) })
	return taken, err
}

// Settle implements storage.Signals. Most deliveries of a turn end alike, and are one statement.
func (s *Store) Settle(ctx context.Context, r storage.Receiver, ended []storage.Delivery) error {
	type end struct {
		state  storage.DeliveryState
		answer string
		at     time.Time
	}
	var ends []end
	numbers := map[end][]int64{}
	for _, d := range ended {
		e := end{d.State, d.Answer, d.EndedAt}
		if numbers[e] == nil {
			ends = append(ends, e)
		}
		numbers[e] = append(numbers[e], d.Number)
	}
	return s.change(ctx, "settle receiver", func(tx *tx) error {
		settled, err := tx.exec(`UPDATE main.receivers SET attempts = ?3, failing_since = ?4, next_at = NULL, taken = taken + 1,
			state = CASE WHEN state IN ('enabled', 'unverified') THEN ?5 ELSE state END WHERE id = ?1 AND taken = ?2`,
			r.ID, r.Taken, r.Attempts, micros(r.FailingSince), string(r.State))
		if err == nil && settled == 0 {
			err = storage.ErrChanged
		}
		for _, e := range ends {
			if err == nil {
				_, err = endDeliveries(tx, r.ID, numbers[e], e.state, e.answer, e.at)
			}
		}
		if err != nil {
			return err
		}
		next := any(atOnce)
		if !r.NextAt.IsZero() {
			next = micros(r.NextAt)
		}
		return makeDue(tx, r.ID, next)
	})
}

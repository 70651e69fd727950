package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A delivery that waits is kept for a month, one that has ended for a week.
const (
	waitLife = 30 * 24 * time.Hour
	endLife  = 7 * 24 * time.Hour
)

const deliveryColumns = `receiver_id, number, message_id, name, lane, sealed_body, state, answer, at, ended_at`

func scanDelivery(row scanner) (d storage.Delivery, err error) {
	err = row.Scan(&d.ReceiverID, &d.Number, &d.MessageID, &d.Name, &d.Lane, &d.Body, &d.State, &d.Answer, (*instant)(&d.At), (*instant)(&d.EndedAt))
	return d, err
}

// standing is what decides whether a receiver gets a delivery.
type standing struct {
	id     string
	state  storage.ReceiverState
	isSent bool
}

// addDeliveries adds deliveries, as a part of a larger step. Their receivers are locked first and in
// order: who settles one then either sees what waits, or is seen.
func addDeliveries(tx *tx, deliveries []storage.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	ids := map[string]bool{}
	for _, d := range deliveries {
		ids[d.ReceiverID] = true
	}
	receivers, err := lockReceivers(tx, slices.Sorted(maps.Keys(ids)))
	if err != nil {
		return err
	}
	var wanted []storage.Delivery
	due := map[string]bool{}
	for _, d := range deliveries {
		r := receivers[d.ReceiverID]
		if r.id == "" || r.state == storage.ReceiverDisabled || r.state == storage.ReceiverUnverified && d.Name != storage.Ping {
			continue
		}
		wanted = append(wanted, d)
		if r.isSent && d.State == storage.DeliveryWaiting {
			due[r.id] = true
		}
	}
	for chunk := range slices.Chunk(wanted, deliveryChunk) {
		if err := insertDeliveries(tx, chunk); err != nil {
			return err
		}
	}
	if len(due) == 0 {
		return nil
	}
	var filter where
	set := ` SET next_at = ` + filter.param(atOnce)
	filter.conditions = append(filter.conditions, `next_at IS NULL`)
	andAnyOf(&filter, "id", slices.Sorted(maps.Keys(due)))
	_, err = tx.exec(`UPDATE main.receivers`+set+filter.String(), filter.args...)
	return err
}

// lockReceivers returns those of the receivers that there are.
func lockReceivers(tx *tx, ids []string) (map[string]standing, error) {
	var filter where
	andAnyOf(&filter, "id", ids)
	found, err := all(tx, func(row scanner) (r standing, err error) {
		err = row.Scan(&r.id, &r.state, &r.isSent)
		return r, err
	}, `SELECT id, state, CASE WHEN `+isSent+` THEN 1 ELSE 0 END FROM main.receivers`+filter.String()+` ORDER BY id `+tx.store.dialect.ForUpdate, filter.args...)
	receivers := map[string]standing{}
	for _, r := range found {
		receivers[r.id] = r
	}
	return receivers, err
}

// repeated returns how many values a statement has for so many: the last is there as often as a power of
// two takes, since a database keeps each statement, of which there would be one for each number of values.
func repeated(values int) int { return 1 << bits.Len(uint(values-1)) }

// andAnyOf adds the condition that a column has one of these values, of which there are some.
func andAnyOf[T any](w *where, column string, values []T) {
	params := make([]string, repeated(len(values)))
	for i := range params {
		params[i] = w.param(values[min(i, len(values)-1)])
	}
	w.conditions = append(w.conditions, column+" IN ("+strings.Join(params, ", ")+")")
}

// deliveryChunk is how many deliveries one statement adds at most.
const deliveryChunk = 64

// insertDeliveries adds deliveries, unless they are there.
func insertDeliveries(tx *tx, deliveries []storage.Delivery) error {
	var filter where
	values := filter.values(repeated(len(deliveries)), func(i int) []any {
		d := deliveries[min(i, len(deliveries)-1)]
		expires := d.At.Add(waitLife)
		if !d.EndedAt.IsZero() {
			expires = d.EndedAt.Add(endLife)
		}
		return []any{d.ReceiverID, d.Number, d.MessageID, d.Name, d.Lane, nonNil(d.Body), string(d.State), d.Answer, micros(d.At), micros(d.EndedAt), micros(expires)}
	})
	_, err := tx.exec(`INSERT INTO main.deliveries (`+deliveryColumns+`, expires_at) VALUES `+values+` ON CONFLICT DO NOTHING`, filter.args...)
	return err
}

// endDeliveries ends waiting deliveries of a receiver, or notes an answer to those that still wait.
func endDeliveries(tx *tx, receiver string, numbers []int64, state storage.DeliveryState, answer string, at time.Time) (int, error) {
	if len(numbers) == 0 {
		return 0, nil
	}
	var filter where
	set := ` SET answer = ` + filter.param(answer)
	if state != storage.DeliveryWaiting {
		set += `, state = ` + filter.param(string(state)) + `, ended_at = ` + filter.param(micros(at)) + `, expires_at = ` + filter.param(micros(at.Add(endLife)))
	}
	filter.and("receiver_id = ?", receiver)
	filter.conditions = append(filter.conditions, `state = 'waiting'`)
	andAnyOf(&filter, "number", numbers)
	return tx.exec(`UPDATE main.deliveries`+set+filter.String(), filter.args...)
}

// Deliveries implements storage.Signals.
func (s *Store) Deliveries(ctx context.Context, match storage.DeliveryFilter) ([]storage.Delivery, error) {
	filter, order := ofDeliveries(match)
	query := `SELECT ` + deliveryColumns + ` FROM main.deliveries` + filter.String() + order + ` LIMIT ` + filter.param(cmp.Or(max(match.Limit, 0), 50))
	return read(ctx, s, "read deliveries", func(tx *tx) ([]storage.Delivery, error) {
		return all(tx, scanDelivery, query, filter.args...)
	})
}

// ofDeliveries returns the conditions and the order of a filter. The states of few have an index.
func ofDeliveries(match storage.DeliveryFilter) (filter where, order string) {
	filter.and("receiver_id = ?", match.ReceiverID)
	if match.State != "" {
		filter.and("state = ?", string(match.State))
	}
	if match.State == storage.DeliveryWaiting || match.State == storage.DeliveryDead {
		filter.conditions = append(filter.conditions, `state <> 'done'`)
	}
	if match.Name != "" {
		filter.and("name = ?", match.Name)
	}
	if len(match.Numbers) > 0 {
		andAnyOf(&filter, "number", match.Numbers)
	}
	if !match.Since.IsZero() {
		filter.and("at >= ?", micros(match.Since))
	}
	behind, order := "number < ?", ` ORDER BY number DESC`
	if match.State == storage.DeliveryWaiting {
		behind, order = "number > ?", ` ORDER BY number`
	}
	if match.After != nil {
		filter.and(behind, *match.After)
	}
	return filter, order
}

// mostFetched is among how many of the first that wait Acknowledge finds messages: more than a
// receiver gets at once.
const mostFetched = 1000

// Acknowledge implements storage.Signals.
func (s *Store) Acknowledge(ctx context.Context, receiver string, messageIDs []string, answer string, at time.Time) (int, error) {
	state := storage.DeliveryDone
	if answer != "" {
		state = storage.DeliveryDead
	}
	type fetched struct {
		number int64
		id     string
	}
	waiting, err := read(ctx, s, "look for what is acknowledged", func(tx *tx) ([]fetched, error) {
		return all(tx, func(row scanner) (f fetched, err error) {
			err = row.Scan(&f.number, &f.id)
			return f, err
		}, `SELECT number, message_id FROM main.deliveries WHERE receiver_id = ?1 AND state = 'waiting' AND state <> 'done' ORDER BY number LIMIT ?2`, receiver, mostFetched)
	})
	if err != nil {
		return 0, err
	}
	var numbers []int64
	for _, f := range waiting {
		if slices.Contains(messageIDs, f.id) {
			numbers = append(numbers, f.number)
		}
	}
	return write(ctx, s, "acknowledge", func(tx *tx) (int, error) { return endDeliveries(tx, receiver, numbers, state, answer, at) })
}

// Replay implements storage.Signals.
func (s *Store) Replay(ctx context.Context, match storage.DeliveryFilter) (int, error) {
	found, err := s.Deliveries(ctx, match)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	numbers := make([]int64, len(found))
	for i, d := range found {
		numbers[i] = d.Number
	}
	return write(ctx, s, "replay", func(tx *tx) (int, error) {
		if locked, err := all(tx, scanInt, `SELECT 1 FROM main.receivers WHERE id = ?1 `+tx.store.dialect.ForUpdate, match.ReceiverID); err != nil || len(locked) == 0 {
			return 0, err
		}
		var filter where
		set := ` SET state = 'waiting', ended_at = NULL, expires_at = expires_at + ` + filter.param(waitLife.Microseconds())
		filter.and("receiver_id = ?", match.ReceiverID)
		filter.conditions = append(filter.conditions, `ended_at IS NOT NULL`)
		andAnyOf(&filter, "number", numbers)
		again, err := tx.exec(`UPDATE main.deliveries`+set+filter.String(), filter.args...)
		if err != nil {
			return 0, err
		}
		_, err = tx.exec(`UPDATE main.receivers SET next_at = ?2 WHERE id = ?1 AND next_at IS NULL AND `+isSent+` AND `+waits, match.ReceiverID, atOnce)
		return again, err
	})
}

package sqlstore

import (
	"context"
	"math/bits"

	"github.com/bonafide-id/bonafide/storage"
)

// AppendEvent implements storage.Events.
func (s *Store) AppendEvent(ctx context.Context, e storage.Event) error {
	return s.change(ctx, "append event", func(tx *tx) error { return appendEvent(tx, e) })
}

func appendEvent(tx *tx, e storage.Event) error {
	_, err := tx.expect(`INSERT INTO main.events (at, name, subject, client_id, address, detail, actor, matter)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`, micros(e.At), e.Name, e.Subject, e.ClientID, e.Address, e.Detail, e.Actor, e.Matter)
	return err
}

// appendEvents appends many, a power of two in a statement: a database keeps each statement.
func appendEvents(tx *tx, events []storage.Event) error {
	for len(events) > 0 {
		var filter where
		n := 1 << (bits.Len(uint(len(events))) - 1)
		values := filter.values(n, func(i int) []any {
			e := events[i]
			return []any{micros(e.At), e.Name, e.Subject, e.ClientID, e.Address, e.Detail, e.Actor, e.Matter}
		})
		if _, err := tx.exec(`INSERT INTO main.events (at, name, subject, client_id, address, detail, actor, matter) VALUES `+values, filter.args...); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// rawEventColumns are those of an event as it is stored, which is what blocks are made of.
const rawEventColumns = `id, at, name, subject, client_id, address, detail, actor, matter`

// eventColumns are those of an event as it is read: a deleted person is not in it.
const eventColumns = `id, at, name, coalesce((SELECT d.pseudonym FROM main.departed d WHERE d.subject = events.subject), subject), client_id, ` +
	`CASE WHEN EXISTS (SELECT 1 FROM main.departed d WHERE d.subject = events.subject) THEN '' ELSE address END, detail, actor, matter`

func scanEvent(row scanner) (e storage.Event, err error) {
	err = row.Scan(eventFields(&e)...)
	return e, err
}

// eventFields is where the columns of an event go.
func eventFields(e *storage.Event) []any {
	return []any{&e.ID, (*instant)(&e.At), &e.Name, &e.Subject, &e.ClientID, &e.Address, &e.Detail, &e.Actor, &e.Matter}
}

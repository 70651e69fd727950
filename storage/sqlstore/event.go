package sqlstore

import (
	"context"

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

func scanEvent(row scanner) (e storage.Event, err error) {
	err = row.Scan(eventFields(&e)...)
	return e, err
}

// eventFields is where the eventColumns go.
func eventFields(e *storage.Event) []any {
	return []any{&e.ID, (*instant)(&e.At), &e.Name, &e.Subject, &e.ClientID, &e.Address, &e.Detail, &e.Actor, &e.Matter}
}

package postgres

import (
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestNoLineOutlivesItsPerson tests that a deleted person is not forgotten while somebody is in
// the middle of a step that has written a line, which nobody sees yet.
func TestNoLineOutlivesItsPerson(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).Schema(t)
	store := openTest(t, url)
	const query = `INSERT INTO events (at, name, subject, client_id, address, detail, actor, matter) VALUES (1, 'sign_in', 'ann', '', '192.0.2.1', '', '', '')`
	exec(t, url, query)
	exec(t, url, `INSERT INTO departed (subject, pseudonym) VALUES ('ann', 'someone')`)
	db, err := sql.Open("pgx", url)
	ok(t, err)
	defer func() { ok(t, db.Close()) }()
	tx, err := db.BeginTx(t.Context(), nil)
	ok(t, err)
	_, err = tx.ExecContext(t.Context(), query)
	ok(t, err)

	ann := storage.Departed{Subject: "ann", Pseudonym: "someone"}
	if left, err := store.RemoveDeparted(t.Context(), ann, nil); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("beside a step: left %v, %v; want %v", left, err, storage.ErrUnavailable)
	}
	ok(t, tx.Commit())
	left, err := store.RemoveDeparted(t.Context(), ann, nil)
	ok(t, err)
	if left {
		t.Error("something is left after the last line")
	}
	events, err := store.Events(t.Context(), storage.EventFilter{Name: "sign_in"})
	ok(t, err)
	for i := range events {
		events[i].ID, events[i].At = 0, time.Time{}
	}
	want := storage.Event{Name: "sign_in", Subject: "someone"}
	if !slices.Equal(events, []storage.Event{want, want}) {
		t.Errorf("events %+v", events)
	}
}

package postgres

import (
	"database/sql"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

const lateEvent = `INSERT INTO events (at, name, subject, client_id, address, detail) VALUES (1, 'late', '', '', '', 'late')`

// turnsOf opens a store and its database, with the mark of a reader.
func turnsOf(t *testing.T) (*Store, *sql.DB, storage.Mark) {
	t.Helper()
	url := pgtest.Shared(t).Schema(t)
	store := must(Open(t.Context(), url))(t)
	t.Cleanup(func() { store.Close() })
	db := must(sql.Open("pgx", url))(t)
	t.Cleanup(func() { db.Close() })
	return store, db, must(store.TakeMark(t.Context(), "reader", "one", time.Unix(1, 0), time.Unix(9, 0)))(t)
}

func readEvents(t *testing.T, store *Store, m storage.Mark, want int) (names []string, next storage.Mark) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; { // other tests have transactions on this server, too
		events, next, err := store.EventsAfter(t.Context(), m, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			names = append(names, e.Name)
		}
		if m = next; len(names) >= want || time.Now().After(end) {
			return names, next
		}
	}
}

// An event that is committed later with a lower ID is waited for, and only as long as it takes.
func TestEventsOfALongTransaction(t *testing.T) {
	t.Parallel()
	store, db, m := turnsOf(t)
	long := must(db.BeginTx(t.Context(), nil))(t)
	defer long.Rollback()
	_ = must(long.ExecContext(t.Context(), lateEvent))(t)
	if err := store.AppendEvent(t.Context(), storage.Event{At: time.Unix(2, 0), Name: "early"}); err != nil {
		t.Fatal(err)
	}
	if names, next := readEvents(t, store, m, 0); len(names) > 0 || next != m {
		t.Fatalf("%v are read before what comes in front of them; mark %v", names, next)
	}
	if unread := must(store.Marks(t.Context()))(t)[0].Unread; !unread.Equal(time.Unix(2, 0)) {
		t.Errorf("unread since %v", unread)
	}
	if err := long.Commit(); err != nil {
		t.Fatal(err)
	}
	names, next := readEvents(t, store, m, 2)
	if len(names) != 2 || names[0] != "late" || names[1] != "early" {
		t.Errorf("read %v", names)
	}
	if names, _ = readEvents(t, store, next, 0); len(names) > 0 {
		t.Errorf("read again: %v", names)
	}
}

// A restored database has the turns of another server, which may be ahead of those of this one.
func TestEventsOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	store, db, m := turnsOf(t)
	record := func(name string) {
		t.Helper()
		if err := store.AppendEvent(t.Context(), storage.Event{At: time.Unix(2, 0), Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	record("read")
	_, next := readEvents(t, store, m, 1)
	record("unread")
	next.Until = m.Until
	if err := store.MoveMark(t.Context(), m, next, nil); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`UPDATE events SET turn = turn + 1000000000`, `UPDATE marks SET turn = turn + 1000000000`} {
		_ = must(db.ExecContext(t.Context(), statement))(t)
	}
	record("new")
	m = must(store.TakeMark(t.Context(), "reader", "one", time.Unix(3, 0), time.Unix(9, 0)))(t)
	names, next := readEvents(t, store, m, 2)
	if len(names) != 2 || names[0] != "unread" || names[1] != "new" {
		t.Errorf("read %v, want what was not read before, and what is new", names)
	}
	if names, _ = readEvents(t, store, next, 0); len(names) > 0 {
		t.Errorf("read again: %v", names)
	}
}

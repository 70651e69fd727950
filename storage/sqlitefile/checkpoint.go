package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
)

// What is in the -wal file moves into the database while others write, on a connection of its own:
// the disk takes some 50 ms for it. SQLite begins the file anew when all has moved and nobody reads
// from it, which is never while everybody writes. So the passes go on until little is left; that is
// moved by the leader, between two batches.

const (
	// manyPages is from how many pages in the -wal file on, 4 MB, they move. With less, more pages
	// are written twice; with more, a small disk is filled by it.
	manyPages = 1000

	// fewPages is how many the leader moves, which takes some ms.
	fewPages = 64

	// maxPasses ends passes that do not catch up: the leader moves what is left.
	maxPasses = 8

	// mostPages is from how many on, where others keep the file from beginning anew, writers wait
	// for the passes, and longer for readers.
	mostPages = 3 * manyPages
)

// lookEvery is after how many steps the -wal file is looked at.
const lookEvery = 16

// moving is what a writer knows of its -wal file. But for passed it is the leader's alone.
type moving struct {
	unlooked int           // the steps since it looked
	due      int           // from how many pages on they move
	passes   chan struct{} // closed after the last; nil if there are none
	passed   atomic.Bool   // after the last, until the leader has seen it
}

// walState is how many pages are in the -wal file, and how many of them are in the database, too.
type walState struct{ pages, moved int }

// checkpoint is a checkpoint of a mode. Others may keep it from its end, which is no error.
func checkpoint(ctx context.Context, on interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, mode string) (s walState, busy bool, err error) {
	err = on.QueryRowContext(ctx, `PRAGMA main.wal_checkpoint(`+mode+`)`).Scan(&busy, &s.pages, &s.moved)
	return s, busy, err
}

// tidy is called after each batch, by its leader. What fails here is tried again later, and fails a
// write then.
func (w *writer) tidy(steps int) {
	if w.unlooked += steps; w.unlooked < lookEvery && !w.passed.Load() {
		return
	}
	w.unlooked = 0
	state, _, err := checkpoint(context.Background(), w.conn, "NOOP")
	if err != nil {
		return
	}
	if state.pages < manyPages { // whoever has begun it anew
		w.due = manyPages
	}
	if w.passes == nil {
		if state.pages < w.due {
			return
		}
		w.passes = make(chan struct{})
		go w.pass(w.passes)
	}
	if state.pages < mostPages && !w.passed.Load() {
		return
	}
	<-w.passes
	w.passes = nil
	w.passed.Store(false)
	if state.pages >= w.due {
		w.beginAnew(state.pages)
	}
}

// pass moves pages beside the writers until few come in between.
func (w *writer) pass(ended chan struct{}) {
	defer close(ended)
	defer w.passed.Store(true)
	before := 0
	for range maxPasses {
		state, _, err := checkpoint(context.Background(), w.db, "PASSIVE")
		if err != nil || state.pages-before <= fewPages {
			return
		}
		before = state.pages
	}
}

// beginAnew moves what is left, and has the next writer begin the -wal file anew. It keeps new readers
// out of the file and waits for the others. One that takes longer, as a backup does, is waited for
// now and then, not at every batch.
func (w *writer) beginAnew(pages int) {
	mode, patience, again := "RESTART", 10, pages+manyPages
	if pages >= mostPages {
		// The disk gets back what a reader has cost.
		mode, patience, again = "TRUNCATE", 200, 2*pages
	}
	_ = w.exec(fmt.Sprintf(`PRAGMA busy_timeout = %d`, patience))
	_, busy, err := checkpoint(context.Background(), w.conn, mode)
	_ = w.exec(`PRAGMA busy_timeout = 0`)
	if busy || err != nil {
		w.due = again
	}
}

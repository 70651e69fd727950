package sqlitefile

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// TestWALUnderConstantReads tests that readers who take turns, so that there is
// always one in the -wal file, do not keep it from being begun anew.
func TestWALUnderConstantReads(t *testing.T) {
	store, e := openTest(t)
	const records, writers, readers, writes = 4, 2, 3, 120
	save := func(id, filling string, size int) error {
		return overwrite(t, store, storage.Client{ID: id, Name: strings.Repeat(filling, size), CreatedAt: time.Unix(1, 0)})
	}
	id := func(n int) string { return string(rune('a' + n%records)) }
	for n := range records {
		ok(t, save(id(n), "x", 1))
	}
	ok(t, save("read", "x", 1<<15))
	done := make(chan struct{})
	var reading, writing sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := store.Client(t.Context(), "read"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var mu sync.Mutex
	largest := int64(0)
	for w := range writers {
		writing.Go(func() {
			for n := range writes / writers {
				if err := save(id(n*writers+w), string(rune('a'+n%26)), 1<<18); err != nil {
					t.Error(err)
					return
				}
				info, err := os.Stat(e.writer.wal)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				largest = max(largest, info.Size())
				mu.Unlock()
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	if limit := int64(24 << 20); largest > limit { // of 30 MB that were written
		t.Errorf("the -wal file grew to %d bytes, want %d at most", largest, limit)
	}
}

// walTest is a store whose -wal file grows by some pages with each write, a hundred at first.
type walTest struct {
	*testing.T
	store   storage.Store
	e       *engine
	n, size int
}

func newWALTest(t *testing.T) *walTest {
	store, e := openTest(t)
	return &walTest{T: t, store: store, e: e, size: 400_000}
}

func (t *walTest) write() {
	t.Helper()
	t.n++
	ok(t, overwrite(t.T, t.store, storage.Client{ID: "large", Name: strings.Repeat(string(rune('a'+t.n%26)), t.size), CreatedAt: time.Unix(1, 0)}))
}

// state is what another connection sees.
func (t *walTest) state() walState {
	t.Helper()
	s, _, err := checkpoint(t.Context(), t.e.readers, "NOOP")
	ok(t, err)
	return s
}

// passes writes until pages begin to move beside, and waits for that.
func (t *walTest) passes() {
	t.Helper()
	for range 10 * lookEvery {
		if t.e.writer.passes != nil {
			<-t.e.writer.passes
			return
		}
		t.write()
	}
	t.Fatal("no pages move")
}

// TestPagesMoveBesideWriters tests that writers move no page of the -wal file themselves, but those that
// have come since others did.
func TestPagesMoveBesideWriters(t *testing.T) {
	w := newWALTest(t)
	for w.e.writer.passes == nil && w.n < 10*lookEvery {
		if s := w.state(); s.moved > 0 {
			t.Fatalf("a writer has moved %d of %d pages", s.moved, s.pages)
		}
		w.write()
	}
	w.passes()
	if s := w.state(); s.pages < manyPages || s.moved != s.pages {
		t.Errorf("of %d pages %d have moved beside, want all", s.pages, s.moved)
	}
	w.write()
	if s := w.state(); s.pages > 200 {
		t.Errorf("the file has %d pages and does not begin anew", s.pages)
	}
}

// TestWALAfterALongRead tests that the file is emptied after somebody has read from it for long, as a
// backup does, for whom no writer waits again and again.
func TestWALAfterALongRead(t *testing.T) {
	w := newWALTest(t)
	w.size = 40_000
	w.write()
	reader := must(w.e.readers.Conn(t.Context()))(t)
	defer reader.Close()
	must(reader.ExecContext(t.Context(), `BEGIN; SELECT count(*) FROM clients`))(t)
	waits, due := 0, w.e.writer.due
	for range 100 * lookEvery {
		if w.write(); w.e.writer.due != due {
			due, waits = w.e.writer.due, waits+1
		}
		if due > mostPages {
			break
		}
	}
	if pages := w.state().pages; due < pages || waits > pages/manyPages {
		t.Errorf("writers have waited %d times for a reader while %d pages came, and will at %d", waits, pages, due)
	}
	must(reader.ExecContext(t.Context(), `COMMIT`))(t)
	for range 100 * lookEvery {
		w.write()
		if info := must(os.Stat(w.e.writer.wal))(t); info.Size() == 0 {
			return
		}
	}
	t.Error("the file is never emptied")
}

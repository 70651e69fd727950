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
	if limit := int64(6 * walSize); largest > limit { // of 30 MB that were written
		t.Errorf("the -wal file grew to %d bytes, want %d at most", largest, limit)
	}
}

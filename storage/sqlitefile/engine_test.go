package sqlitefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// openTest opens a store and returns the engine under it as well.
func openTest(t *testing.T) (storage.Store, *engine) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	ok(t, mattn.create(t.Context(), path))
	e := must(mattn.openEngine(t.Context(), path))(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return sqlstore.New(e, sqlstore.SQLite()), e
}

func TestDiskFull(t *testing.T) {
	store, e := openTest(t)
	// What SQLite answers beyond this limit is what it answers when the disk is
	// full.
	limit := func(pages int) {
		t.Helper()
		if _, err := e.writer.conn.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)); err != nil {
			t.Fatal(err)
		}
	}
	save := func(id string) error {
		return store.SaveClient(t.Context(), storage.Client{
			ID: id, Name: strings.Repeat("x", 100_000), CreatedAt: time.Unix(1, 0),
		})
	}
	ok(t, save("before"))
	limit(1) // which means the present size
	if err := save("meanwhile"); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("write: err = %v, want %v", err, storage.ErrUnavailable)
	}
	if _, err := store.Client(t.Context(), "before"); err != nil {
		t.Errorf("read: %v", err)
	}
	if _, err := store.Client(t.Context(), "meanwhile"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("half a write: err = %v, want %v", err, storage.ErrNotFound)
	}
	limit(1 << 20)
	if err := save("meanwhile"); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

// TestReadOnlyWhileRunning tests a file that can no longer be written, as on a disk
// that the system has made read-only after an error.
func TestReadOnlyWhileRunning(t *testing.T) {
	store, e := openTest(t)
	save := func(id string) error {
		return store.SaveClient(t.Context(), storage.Client{ID: id, CreatedAt: time.Unix(1, 0)})
	}
	ok(t, save("before"))
	readOnly := func(is bool) {
		t.Helper()
		if _, err := e.writer.conn.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA query_only = %t`, is)); err != nil {
			t.Fatal(err)
		}
	}
	readOnly(true)
	if err := save("meanwhile"); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("write: err = %v, want %v", err, storage.ErrUnavailable)
	}
	if _, err := store.Client(t.Context(), "before"); err != nil {
		t.Errorf("read: %v", err)
	}
	readOnly(false)
	if err := save("meanwhile"); err != nil {
		t.Errorf("when it can be written again: %v", err)
	}
}

func TestClose(t *testing.T) {
	t.Run("LeavesNothing", func(t *testing.T) {
		files := func() int {
			entries, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Skip("the system does not list open files in /proc")
			}
			return len(entries)
		}
		path := filepath.Join(t.TempDir(), "test.db")
		cycle := func() {
			t.Helper()
			store := must(Open(t.Context(), path, mattn))(t)
			if err := overwrite(t, store, storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}); err != nil {
				t.Error(err)
			}
			if _, err := store.Client(t.Context(), "client"); err != nil {
				t.Error(err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
			if err := store.Close(); err != nil {
				t.Errorf("again: %v", err)
			}
		}
		cycle()
		beforeFiles, beforeGoroutines := files(), runtime.NumGoroutine()
		for range 5 {
			cycle()
		}
		if got := files(); got != beforeFiles {
			t.Errorf("%d open files, were %d", got, beforeFiles)
		}
		// A goroutine that was told to end needs a moment.
		for deadline := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > beforeGoroutines && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if got := runtime.NumGoroutine(); got > beforeGoroutines {
			t.Errorf("%d goroutines, were %d", got, beforeGoroutines)
		}
	})
	t.Run("MovesAllIntoTheFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		store := must(Open(t.Context(), path, mattn))(t)
		ok(t, store.SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}))
		ok(t, store.Close())
		moved := filepath.Join(t.TempDir(), "moved.db")
		ok(t, os.Rename(path, moved))
		store = must(Open(t.Context(), moved, mattn))(t)
		defer store.Close()
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Error(err)
		}
	})
}

// overwrite saves a client in place of the one that there is.
func overwrite(t *testing.T, store storage.Store, c storage.Client) error {
	old, err := store.Client(t.Context(), c.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	c.Version = old.Version
	return store.SaveClient(t.Context(), c)
}

// ok ends a test when a step on which it relies has failed.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns what a call has returned, in a test that ends when it has failed.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

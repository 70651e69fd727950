package sqlitego_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlitego"
)

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "test.db")
	if _, err := sqlitego.OpenExisting(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v, want %v", err, fs.ErrNotExist)
	}
	store := open(t, path)
	defer store.Close()
	ok(t, store.SaveClient(t.Context(), storage.Client{ID: "client"}))
	if runtime.GOOS == "windows" {
		t.Skip("modes are POSIX's")
	}
	for name, want := range map[string]fs.FileMode{
		"": fs.ModeDir | 0o700, "test.db": 0o600, "test.db-wal": 0o600, "test.db-shm": 0o600,
	} {
		info := must(os.Stat(filepath.Join(filepath.Dir(path), name)))(t)
		if info.Mode() != want {
			t.Errorf("%q has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

// TestRefusedFile tests that the codes of this driver are understood: a file that is no
// database of ours is not one to try again later.
func TestRefusedFile(t *testing.T) {
	for want, make := range map[string]func(t *testing.T, path string){
		"empty":                      func(t *testing.T, path string) { write(t, path, "") },
		"not a database of Bonafide": func(t *testing.T, path string) { write(t, path, strings.Repeat("no database ", 1000)) },
		"damaged": func(t *testing.T, path string) {
			open(t, path).Close()
			ok(t, os.Truncate(path, 5*4096))
		},
	} {
		t.Run(want, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			make(t, path)
			_, err := sqlitego.Open(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("err = %v, want one that says %q", err, want)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	ok(t, os.WriteFile(path, []byte(content), 0o600))
}

// TestBusy tests that a store waits for another writer, and for no longer than its caller.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	store := open(t, path)
	defer store.Close()
	other := must(sql.Open("sqlite", path))(t)
	defer other.Close()
	conn := must(other.Conn(t.Context()))(t)
	if _, err := conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	saved := make(chan error)
	save := func(ctx context.Context) {
		t.Helper()
		waits := make(chan struct{}, 1)
		go func() { saved <- store.SaveClient(waiting{ctx, waits}, storage.Client{ID: "client"}) }()
		select {
		case <-waits:
		case err := <-saved:
			t.Fatalf("beside another writer: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	save(ctx)
	cancel()
	if err := <-saved; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want %v", err, context.Canceled)
	}
	save(t.Context())
	if _, err := conn.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := <-saved; err != nil {
		t.Errorf("after the other writer: %v", err)
	}
}

// waiting is a context that tells when somebody waits for its end.
type waiting struct {
	context.Context
	waits chan struct{}
}

// Done implements context.Context.
func (w waiting) Done() <-chan struct{} {
	select {
	case w.waits <- struct{}{}:
	default:
	}
	return w.Context.Done()
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

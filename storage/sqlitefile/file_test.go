package sqlitefile_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// contents returns a digest of each file in a folder by name.
func contents(t *testing.T, folder string) map[string][32]byte {
	t.Helper()
	entries := must(os.ReadDir(folder))(t)
	digests := make(map[string][32]byte)
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		content := must(os.ReadFile(filepath.Join(folder, entry.Name())))(t)
		digests[entry.Name()] = sha256.Sum256(content)
	}
	return digests
}

// database makes a closed database with a client in it and returns its path.
func database(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	store := open(t, path)
	for _, id := range []string{"a", "b", "c"} {
		c := storage.Client{ID: id, Name: strings.Repeat(id, 3000), CreatedAt: time.Unix(1, 0)}
		ok(t, store.SaveClient(t.Context(), c))
	}
	ok(t, store.Close())
	return path
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store := must(sqlite.Open(t.Context(), path))(t)
	return store
}

// query runs SQL on a file as another program would.
func query(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := must(sql.Open("sqlite3", path))(t)
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Run("CreatesFileAndFolder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "data", "bonafide.db")
		store := open(t, path)
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if got := contents(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("%d files are left, want the database alone", len(got))
		}
	})
	t.Run("CreatesNoFolderAboveThat", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "not", "mounted", "bonafide.db")
		_, err := sqlite.Open(t.Context(), path)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v, want %v", err, fs.ErrNotExist)
		}
	})
	t.Run("TakesPathsLiterally", func(t *testing.T) {
		for _, name := range []string{"a b.db", "a?mode=memory", "a#b", "a%41.db", ":memory:", "file:a.db", "ä'\".db"} {
			path := filepath.Join(t.TempDir(), name)
			if err := open(t, path).Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("SurvivesChangeOfFolder", func(t *testing.T) {
		t.Chdir(t.TempDir())
		store := open(t, "relative.db")
		defer store.Close()
		t.Chdir(t.TempDir())
		if err := store.Ping(t.Context()); err != nil { // connects
			t.Error(err)
		}
	})
	t.Run("AtOnceUsesOneDatabase", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "race.db")
		stores := make([]*sqlite.Store, 8)
		errs := make([]error, len(stores))
		var opened sync.WaitGroup
		for i := range stores {
			opened.Go(func() { stores[i], errs[i] = sqlite.Open(t.Context(), path) })
		}
		opened.Wait()
		ok(t, errors.Join(errs...))
		ok(t, stores[0].SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}))
		for _, store := range stores {
			if _, err := store.Client(t.Context(), "client"); err != nil {
				t.Error(err)
			}
		}
		for _, store := range stores {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
		if got := contents(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("%d files are left, want the database alone", len(got))
		}
	})
}

// TestRefusedFile tests what Open must not touch.
func TestRefusedFile(t *testing.T) {
	overwrite := func(offset int64, content string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			t.Helper()
			f := must(os.OpenFile(path, os.O_WRONLY, 0))(t)
			defer f.Close()
			if _, err := f.WriteAt([]byte(content), offset); err != nil {
				t.Fatal(err)
			}
		}
	}
	truncate := func(size int64) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			t.Helper()
			ok(t, os.Truncate(path, size))
		}
	}
	const page = 4096
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, path string)
		want   string
	}{
		{"Empty", truncate(0), "empty"},
		{"TruncatedInTheHeader", truncate(50), "damaged"},
		{"TruncatedInThePages", truncate(3 * page), "damaged"},
		{"TruncatedInAPage", truncate(3*page + 100), "damaged"},
		{"NoHeader", overwrite(0, strings.Repeat("x", 100)), "not a database of Bonafide"},
		{"DamagedSchema", overwrite(100, strings.Repeat("\xff", page-100)), "damaged"},
		{"DamagedPage", overwrite(2*page, strings.Repeat("\xff", page)), "damaged"},
		{"ZeroedPage", overwrite(2*page, strings.Repeat("\x00", page)), "damaged"},
		{"Text", func(t *testing.T, path string) {
			t.Helper()
			ok(t, os.WriteFile(path, []byte(strings.Repeat("a letter to a friend\n", 1000)), 0o600))
		}, "not a database of Bonafide"},
		{"DatabaseOfAnotherProgram", func(t *testing.T, path string) {
			t.Helper()
			ok(t, os.Remove(path))
			query(t, path, `CREATE TABLE clients (id TEXT)`)
		}, "not a database of Bonafide"},
		{"NewerSchema", func(t *testing.T, path string) {
			t.Helper()
			query(t, path, `UPDATE schema_version SET version = version + 1`)
		}, "newer version"},
		{"WALWithoutDatabase", func(t *testing.T, path string) {
			t.Helper()
			ok(t, os.Rename(path, path+"-wal"))
		}, "-wal"},
		{"Folder", func(t *testing.T, path string) {
			t.Helper()
			ok(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o700)))
		}, "not a database of Bonafide"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := database(t)
			tc.damage(t, path)
			before := contents(t, filepath.Dir(path))
			store, err := sqlite.Open(t.Context(), path)
			if err == nil {
				store.Close()
				t.Fatal("the file was opened")
			}
			if !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("err = %v, want one of the path that says %q", err, tc.want)
			}
			if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
				t.Errorf("files were changed:\n%s", diff)
			}
		})
	}
}

func TestBackup(t *testing.T) {
	t.Run("HoldsWhatTheStoreHeld", func(t *testing.T) {
		path := database(t)
		store := open(t, path)
		defer store.Close()
		backup := filepath.Join(filepath.Dir(path), "backup.db")
		ok(t, store.Backup(t.Context(), backup))
		a := must(store.Client(t.Context(), "a"))(t)
		ok(t, store.DeleteClient(t.Context(), "a", a.Version))
		restored := open(t, backup)
		defer restored.Close()
		clients := must(restored.Clients(t.Context(), storage.ClientFilter{}, "", 10))(t)
		if len(clients) != 3 {
			t.Errorf("the backup has %d clients, want 3", len(clients))
		}
	})
	t.Run("TakesARelativePath", func(t *testing.T) {
		store := open(t, database(t))
		defer store.Close()
		t.Chdir(t.TempDir())
		ok(t, store.Backup(t.Context(), "backup.db"))
		if _, err := os.Stat("backup.db"); err != nil {
			t.Error(err)
		}
	})
	t.Run("IsLeftAsItIsByOpening", func(t *testing.T) {
		store := open(t, database(t))
		defer store.Close()
		backup := filepath.Join(t.TempDir(), "backup.db")
		ok(t, store.Backup(t.Context(), backup))
		before := contents(t, filepath.Dir(backup))
		if err := open(t, backup).Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, contents(t, filepath.Dir(backup))); diff != "" {
			t.Errorf("files were changed:\n%s", diff)
		}
	})
	t.Run("NeverOverwrites", func(t *testing.T) {
		path := database(t)
		store := open(t, path)
		defer store.Close()
		backup := filepath.Join(t.TempDir(), "backup.db")
		ok(t, os.WriteFile(backup, nil, 0o600))
		before := contents(t, filepath.Dir(backup))
		if err := store.Backup(t.Context(), backup); !errors.Is(err, fs.ErrExist) {
			t.Errorf("err = %v, want %v", err, fs.ErrExist)
		}
		if diff := cmp.Diff(before, contents(t, filepath.Dir(backup))); diff != "" {
			t.Errorf("files were changed:\n%s", diff)
		}
	})
	t.Run("IsNotMadeBesideTheWALOfAnother", func(t *testing.T) {
		store := open(t, database(t))
		defer store.Close()
		backup := filepath.Join(t.TempDir(), "backup.db")
		ok(t, os.WriteFile(backup+"-wal", []byte("pages of another"), 0o600))
		if err := store.Backup(t.Context(), backup); err == nil {
			t.Error("SQLite would replay the file into the backup")
		}
	})
	t.Run("LeavesNothingWhenItFails", func(t *testing.T) {
		store := open(t, database(t))
		defer store.Close()
		folder := t.TempDir()
		if err := store.Backup(t.Context(), filepath.Join(folder, "missing", "backup.db")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v, want %v", err, fs.ErrNotExist)
		}
		if got := contents(t, folder); len(got) != 0 {
			t.Errorf("files were left: %v", got)
		}
	})
	t.Run("NeedsNoQuietMoment", func(t *testing.T) {
		path := database(t)
		store := open(t, path)
		defer store.Close()
		stop := make(chan struct{})
		var writing sync.WaitGroup
		writing.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if err := store.SetStatus(t.Context(), "busy", storage.Status{Group: "group"}, storage.AnyRevision); err != nil {
						t.Error(err)
					}
				}
			}
		})
		backup := filepath.Join(t.TempDir(), "backup.db")
		if err := store.Backup(t.Context(), backup); err != nil {
			t.Error(err)
		}
		close(stop)
		writing.Wait()
		if err := open(t, backup).Close(); err != nil {
			t.Error(err)
		}
	})
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

package sqlitefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// linked makes a folder for a database, and returns the path of the database in it
// and two more that lead there: one by a link to the file, one by a link to the
// folder.
func linked(t *testing.T) (file, byFile, byFolder string) {
	t.Helper()
	disk, names := t.TempDir(), t.TempDir()
	disk, err := filepath.EvalSymlinks(disk) // where the temporary folder is one itself
	ok(t, err)
	file = filepath.Join(disk, "real.db")
	byFile, byFolder = filepath.Join(names, "link.db"), filepath.Join(names, "folder")
	ok(t, errors.Join(os.Symlink(file, byFile), os.Symlink(disk, byFolder)))
	return file, byFile, filepath.Join(byFolder, "real.db")
}

func TestSymbolicLink(t *testing.T) {
	t.Run("WALIsBoundedBesideTheRealFile", func(t *testing.T) {
		file, byFile, byFolder := linked(t)
		first, err := Open(t.Context(), byFolder, mattn) // makes it
		ok(t, err)
		defer first.Close()
		for _, path := range []string{byFile, byFolder} {
			path := must(mattn.prepareFile(t.Context(), path))(t)
			e := must(mattn.openEngine(t.Context(), path))(t)
			if e.writer.wal != file+"-wal" {
				t.Errorf("the -wal file is looked for at %s, want %s", e.writer.wal, file+"-wal")
			}
			if _, err := os.Stat(e.writer.wal); err != nil {
				t.Error(err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("DatabaseIsMadeInTheFolderThatIsLinked", func(t *testing.T) {
		file, _, byFolder := linked(t)
		store := must(Open(t.Context(), byFolder, mattn))(t)
		defer store.Close()
		if _, err := os.Lstat(file); err != nil {
			t.Error(err)
		}
		if err := store.Backup(t.Context(), filepath.Join(t.TempDir(), "backup.db")); err != nil {
			t.Error(err)
		}
	})
	t.Run("WALWithoutDatabaseIsRefused", func(t *testing.T) {
		file, _, byFolder := linked(t)
		ok(t, os.WriteFile(file+"-wal", []byte("pages"), 0o600))
		store, err := Open(t.Context(), byFolder, mattn)
		if !errors.Is(err, errOrphan) {
			t.Errorf("err = %v, want %v", err, errOrphan)
		}
		if err == nil {
			store.Close()
		}
	})
	t.Run("ToNothingIsRefused", func(t *testing.T) {
		file, byFile, _ := linked(t)
		store, err := Open(t.Context(), byFile, mattn)
		if !errors.Is(err, errDangling) {
			t.Errorf("err = %v, want %v", err, errDangling)
		}
		if err == nil {
			store.Close()
		}
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a file was made")
		}
	})
}

func TestOpenExisting(t *testing.T) {
	t.Run("OpensWhatIsThere", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		made := must(Open(t.Context(), path, mattn))(t)
		if err := errors.Join(
			made.SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}),
			made.Close(),
		); err != nil {
			t.Fatal(err)
		}
		store := must(OpenExisting(t.Context(), path, mattn))(t)
		defer store.Close()
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Error(err)
		}
	})
	t.Run("CreatesNothing", func(t *testing.T) {
		folder := t.TempDir()
		ok(t, os.Symlink(filepath.Join(folder, "gone.db"), filepath.Join(folder, "link.db")))
		for _, name := range []string{"test.db", "data/test.db", "not/mounted/test.db", "link.db"} {
			path := filepath.Join(folder, name)
			store, err := OpenExisting(t.Context(), path, mattn)
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: err = %v, want %v of the path", name, err, fs.ErrNotExist)
			}
			if err == nil {
				store.Close()
			}
		}
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 1 {
			t.Errorf("the folder holds %v (%v), want the link alone", entries, err)
		}
	})
	t.Run("RefusesAnEmptyFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		ok(t, os.WriteFile(path, nil, 0o600))
		store, err := OpenExisting(t.Context(), path, mattn)
		if !errors.Is(err, errEmpty) {
			t.Errorf("err = %v, want %v", err, errEmpty)
		}
		if err == nil {
			store.Close()
		}
	})
}

// TestDrafts tests what is left of a backup, or of a first start, by a process that
// was killed meanwhile.
func TestDrafts(t *testing.T) {
	store := must(Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), mattn))(t)
	defer store.Close()
	folder := t.TempDir()
	put := func(name string, age time.Duration) {
		t.Helper()
		path, at := filepath.Join(folder, name), time.Now().Add(-age)
		ok(t, errors.Join(os.WriteFile(path, []byte("secret"), 0o600), os.Chtimes(path, at, at)))
	}
	const old = abandoned + time.Minute
	for _, name := range []string{killed(t, folder), killed(t, folder) + "-wal"} {
		put(name, old)
	}
	put(draftPrefix+"2", abandoned/2) // of a backup that goes on
	put(draftPrefix+"2-journal", old)
	put("monday.db", old)
	ok(t, store.Backup(t.Context(), filepath.Join(folder, "tuesday.db")))
	var got []string
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if want := draftPrefix + "2 " + draftPrefix + "2-journal monday.db tuesday.db"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("the folder holds %v (%v), want %s", got, err, want)
	}
}

// killed returns the name of a draft in a folder, as a process that makes one and is
// killed would leave it.
func killed(t *testing.T, folder string) string {
	t.Helper()
	var name string
	stop := errors.New("stop")
	err := publish(filepath.Join(folder, "new.db"), func(draft string) error {
		name = filepath.Base(draft)
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	return name
}

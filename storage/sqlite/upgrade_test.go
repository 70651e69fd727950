//go:build cgo

package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestMaintenance tests that what is done beside a service of an earlier version leaves it
// its database.
func TestMaintenance(t *testing.T) {
	folder := t.TempDir()
	database, copied := filepath.Join(folder, "older.db"), filepath.Join(folder, "copy.db")
	makeOlder(t, database)
	before := schemaOf(t, database)
	t.Run("CopiesAnOlderSchemaAsItIs", func(t *testing.T) {
		ok(t, Backup(t.Context(), database, copied))
		if diff := cmp.Diff(before, schemaOf(t, copied)); diff != "" {
			t.Errorf("the copy (-database +copy):\n%s", diff)
		}
	})
	t.Run("OpensNoUnreleasedSchema", func(t *testing.T) {
		if _, err := OpenCurrent(t.Context(), database); !errors.Is(err, storage.ErrUnreleasedSchema) {
			t.Errorf("err = %v, want %v", err, storage.ErrUnreleasedSchema)
		}
	})
	if diff := cmp.Diff(before, schemaOf(t, database)); diff != "" {
		t.Errorf("the database (-before +after):\n%s", diff)
	}
	t.Run("OpensTheCurrentOne", func(t *testing.T) {
		current := filepath.Join(folder, "current.db")
		open(t, current).Close()
		store := must(OpenCurrent(t.Context(), current))(t)
		store.Close()
	})
	t.Run("CopiesNothingThatIsNotThere", func(t *testing.T) {
		err := Backup(t.Context(), filepath.Join(folder, "none.db"), filepath.Join(folder, "another.db"))
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v, want %v", err, fs.ErrNotExist)
		}
	})
}

// TestOtherSchemasAreLeft tests that the database of a later program, and one from before the first
// release, is refused with its version and not written to.
func TestOtherSchemasAreLeft(t *testing.T) {
	for version, want := range map[int]error{sqlstore.SchemaVersion + 1: storage.ErrNewerSchema, 15: storage.ErrUnreleasedSchema} {
		path := filepath.Join(t.TempDir(), "test.db")
		open(t, path).Close()
		db := openPlain(t, path)
		for _, statement := range []string{fmt.Sprintf(`UPDATE schema_version SET version = %d`, version), `PRAGMA wal_checkpoint(TRUNCATE)`} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		before := must(os.ReadFile(path))(t)
		for name, opens := range map[string]func(context.Context, string) (*Store, error){"Open": Open, "OpenExisting": OpenExisting, "OpenCurrent": OpenCurrent} {
			says := fmt.Sprintf("its schema is %d, that of this program %d", version, sqlstore.SchemaVersion)
			if _, err := opens(t.Context(), path); !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s of %d: err = %v, want %v that says %q", name, version, err, want, says)
			}
			if !bytes.Equal(before, must(os.ReadFile(path))(t)) {
				t.Errorf("%s of %d writes to the database", name, version)
			}
		}
	}
}

// TestNewerSchema tests that a store notices that another version has migrated its file.
func TestNewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	store := open(t, path)
	defer store.Close()
	db := openPlain(t, path)
	set := func(change string) {
		if _, err := db.ExecContext(t.Context(), `UPDATE schema_version SET version = version `+change); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(err error) bool {
		return errors.Is(err, storage.ErrUnavailable) && errors.Is(err, storage.ErrNewerSchema)
	}
	set("+ 1")
	t.Run("EndsEveryStepSoon", func(t *testing.T) {
		for migrated := time.Now(); ; {
			began := time.Now()
			err := store.SaveImage(t.Context(), storage.Image{Digest: storage.Digest{1}, Bytes: []byte{1}})
			if refused(err) {
				break
			}
			if began.Sub(migrated) > 2*time.Second {
				t.Fatalf("err = %v, want %v", err, storage.ErrNewerSchema)
			}
		}
		if _, err := store.Keys(t.Context()); !refused(err) {
			t.Errorf("a read: err = %v", err)
		}
	})
	t.Run("IsAPingThatFails", func(t *testing.T) {
		if err := store.Ping(t.Context()); !refused(err) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("EndsWhenAnOlderOneIsRestored", func(t *testing.T) {
		set("- 1")
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := store.Keys(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// makeOlder makes a database with the number of a schema from before the first release.
func makeOlder(t *testing.T, path string) {
	t.Helper()
	open(t, path).Close()
	db := openPlain(t, path)
	if _, err := db.ExecContext(t.Context(), `UPDATE schema_version SET version = 15`); err != nil {
		t.Fatal(err)
	}
}

var punctuation = regexp.MustCompile(`\s*([(),])\s*`)

// schemaOf returns the statements that have made a database, by name.
func schemaOf(t *testing.T, path string) map[string]string {
	t.Helper()
	db := openPlain(t, path)
	rows := must(db.QueryContext(t.Context(), `SELECT name, coalesce(sql, '') FROM sqlite_schema`))(t)
	defer rows.Close()
	schema := make(map[string]string)
	for rows.Next() {
		var name, statement string
		ok(t, rows.Scan(&name, &statement))
		schema[name] = strings.Join(strings.Fields(punctuation.ReplaceAllString(statement, "$1")), " ")
	}
	ok(t, rows.Err())
	return schema
}

func open(t *testing.T, path string) *Store {
	t.Helper()
	store := must(Open(t.Context(), path))(t)
	return store
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

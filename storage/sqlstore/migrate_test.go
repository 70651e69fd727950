package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestMigrate tests what becomes of the database of another version, by a migration that stands
// for the next one.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	open := func() error {
		store, err := Open(t.Context(), path)
		if err != nil {
			return err
		}
		return store.Close()
	}
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.SaveClient(t.Context(), storage.Client{ID: "client", Name: "Shop"}), store.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	next, e := sqlstore.SQLite(), &engine{db: db}
	next.Migrations = withNext(t, next.Migrations, "ALTER TABLE clients ADD COLUMN added INTEGER NOT NULL DEFAULT 7;\n")
	t.Run("KeepsWhatThereIs", func(t *testing.T) {
		for range 2 { // the second finds nothing to do
			if err := sqlstore.MigrateFurther(t.Context(), e, next); err != nil {
				t.Fatal(err)
			}
		}
		var name string
		var added int
		err := db.QueryRowContext(t.Context(), `SELECT registration ->> 'name', added FROM clients`).Scan(&name, &added)
		if err != nil || name != "Shop" || added != 7 {
			t.Errorf("name, added = %q, %d, %v", name, added, err)
		}
	})
	t.Run("OpensNoNewerSchema", func(t *testing.T) {
		if err := open(); !errors.Is(err, storage.ErrNewerSchema) {
			t.Errorf("err = %v, want %v", err, storage.ErrNewerSchema)
		}
	})
	t.Run("OpensNoneFromBeforeTheFirstRelease", func(t *testing.T) {
		for _, version := range []int{1, 15} {
			if _, err := db.ExecContext(t.Context(), `UPDATE schema_version SET version = ?1`, version); err != nil {
				t.Fatal(err)
			}
			if err := open(); !errors.Is(err, storage.ErrUnreleasedSchema) {
				t.Errorf("version %d: err = %v, want %v", version, err, storage.ErrUnreleasedSchema)
			}
			if err := sqlstore.CheckSchema(t.Context(), e, sqlstore.SQLite()); !errors.Is(err, storage.ErrUnreleasedSchema) {
				t.Errorf("version %d: err = %v, want %v", version, err, storage.ErrUnreleasedSchema)
			}
		}
	})
}

// withNext returns migrations with one more behind them.
func withNext(t *testing.T, migrations fs.FS, statements string) fs.FS {
	t.Helper()
	files := make(fstest.MapFS)
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	files[fmt.Sprintf("%04d_next.sql", sqlstore.SchemaVersion+1)] = &fstest.MapFile{Data: []byte(statements)}
	return files
}

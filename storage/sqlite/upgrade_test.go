package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

// TestUpgrade tests that a database from before is read, and has the tables of a new one.
func TestUpgrade(t *testing.T) {
	folder := t.TempDir()
	before, after := filepath.Join(folder, "before.db"), filepath.Join(folder, "after.db")
	statements, err := os.ReadFile("testdata/version2.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", before)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), string(statements)); err != nil {
		t.Fatal(err)
	}
	db.Close()

	store := open(t, before)
	defer store.Close()
	client, err := store.Client(t.Context(), "client")
	if err != nil || client.Name != `Küche <&> "Söhne"` || client.Version != 7 || !client.CreatedAt.Equal(time.UnixMicro(1773500966535897)) {
		t.Errorf("the client is %+v, %v", client, err)
	}
	open(t, after).Close()
	if diff := cmp.Diff(schemaOf(t, after), schemaOf(t, before)); diff != "" {
		t.Errorf("a database from before (-new +upgraded):\n%s", diff)
	}
	if err := store.SaveClient(t.Context(), storage.Client{ID: "another"}); err != nil {
		t.Error(err)
	}
}

var punctuation = regexp.MustCompile(`\s*([(),])\s*`)

// schemaOf returns the statements that have made a database, by name.
func schemaOf(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT name, coalesce(sql, '') FROM sqlite_schema`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	schema := make(map[string]string)
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			t.Fatal(err)
		}
		schema[name] = strings.Join(strings.Fields(punctuation.ReplaceAllString(statement, "$1")), " ")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return schema
}

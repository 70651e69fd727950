package sqlitego

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"testing"
)

// TestStatements tests that a statement which is kept forgets what it was run with, and
// that one which is being run is not run by somebody else.
func TestStatements(t *testing.T) {
	db := sql.OpenDB(connector{"file:" + filepath.Join(t.TempDir(), "test.db")})
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	exec := func(statement string, args ...any) error {
		_, err := conn.ExecContext(t.Context(), statement, args...)
		return err
	}
	for _, name := range []any{"a", nil, "c"} {
		if err := exec(`CREATE TABLE IF NOT EXISTS names (name TEXT UNIQUE)`); err != nil {
			t.Fatal(err)
		}
		if err := exec(`INSERT INTO names VALUES (?1)`, name); err != nil {
			t.Fatal(err)
		}
	}
	if exec(`INSERT INTO names VALUES (?1)`, "c") == nil {
		t.Error("a name was inserted twice")
	}
	if err := exec(`INSERT INTO names VALUES (?1)`, "d"); err != nil {
		t.Errorf("after a failure: %v", err)
	}

	const query = `SELECT coalesce(name, 'none') FROM names WHERE coalesce(name, '') <> ?1 ORDER BY rowid`
	outer, err := conn.QueryContext(t.Context(), query, "d")
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	if !outer.Next() {
		t.Fatal(outer.Err())
	}
	count := func(except string) (n int) {
		t.Helper()
		rows, err := conn.QueryContext(t.Context(), query, except)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("a"); n != 3 {
		t.Errorf("meanwhile there are %d names, want all but a", n)
	}
	left := 0
	for outer.Next() {
		left++
	}
	if err := outer.Err(); err != nil || left != 2 {
		t.Errorf("behind the first there are %d names, %v, want none and c", left, err)
	}
	if err := exec(`ALTER TABLE names ADD COLUMN other TEXT`); err != nil {
		t.Fatal(err)
	}
	if n := count("nobody"); n != 4 {
		t.Errorf("after the schema has changed there are %d names, want 4", n)
	}
}

// connector opens connections of the driver under test by this name.
type connector struct{ name string }

func (c connector) Connect(context.Context) (driver.Conn, error) { return modernc.SQL.Open(c.name) }
func (c connector) Driver() driver.Driver                        { return modernc.SQL }

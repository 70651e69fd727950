//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

// TestPlans tests that the store stays fast when its tables are large: of all statements that the
// contract has run, only those of testdata/scans.sql read a table or an index from end to end. And
// every index is read by one of them: a write would pay for another one for nothing. What a sign-in
// writes makes no table of its own, such as that of a CHECK by a list of three values.
func TestPlans(t *testing.T) {
	if whole < 6 {
		t.Fatalf("%d of 6 parts of the contract have run: go test -run 'Contract$|TestPlans'", whole)
	}
	text := must(os.ReadFile("testdata/scans.sql"))(t)
	want := strings.Split(strings.TrimSuffix(comment.ReplaceAllString(string(text), ""), ";\n"), ";\n")
	slices.Sort(want)
	db := openPlain(t, empty(t))
	scans := make(map[string]bool)
	unused := indexes(t, db)
	for query, args := range contract.statements {
		for detail := range strings.SplitSeq(planOf(t, db, query, args), " \n") {
			for word := range strings.FieldsSeq(detail) {
				delete(unused, word)
			}
			if strings.HasPrefix(detail, "SCAN") && !isConstant(detail) {
				scans[strings.Join(strings.Fields(query), " ")] = true
			}
		}
		if oftenWritten.MatchString(query) && strings.Contains(opcodes(t, db, query, args), "OpenEphemeral") {
			t.Errorf("%s makes a table each time", query)
		}
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(scans))); diff != "" {
		t.Errorf("statements that read a whole table (-want +got):\n%s", diff)
	}
	if len(unused) > 0 {
		t.Errorf("no statement reads the indexes %v", slices.Sorted(maps.Keys(unused)))
	}
}

// indexes returns the names of those that are not there to keep values unique.
func indexes(t *testing.T, db *sql.DB) map[string]bool {
	t.Helper()
	rows := must(db.QueryContext(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'`))(t)
	defer rows.Close()
	names := make(map[string]bool)
	for rows.Next() {
		var name string
		ok(t, rows.Scan(&name))
		names[name] = true
	}
	ok(t, rows.Err())
	return names
}

// oftenWritten is what each sign-in or each message writes; what RETURNING returns is in a table anyway.
var oftenWritten = regexp.MustCompile(`^INSERT INTO main\.(grants|tokens|deliveries)\b`)

// comment is a line that is one, or empty.
var comment = regexp.MustCompile(`(?m)^(--.*)?\n`)

// isConstant reports whether what is scanned are the values of an INSERT, or a few rows.
func isConstant(detail string) bool {
	return strings.Contains(detail, "CONSTANT ROW") || strings.Contains(detail, "VALUES CLAUSE") ||
		detail == "SCAN part" || detail == "SCAN open" // a page that an index has found
}

// planOf returns how SQLite would run a statement.
func planOf(t *testing.T, db *sql.DB, query string, args int) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, args)...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		ok(t, rows.Scan(&id, &parent, &unused, &detail))
		plan.WriteString(detail + " \n")
	}
	ok(t, rows.Err())
	return plan.String()
}

// opcodes returns what SQLite does for a statement.
func opcodes(t *testing.T, db *sql.DB, query string, args int) string {
	t.Helper()
	rows := must(db.QueryContext(t.Context(), "EXPLAIN "+query, make([]any, args)...))(t)
	defer rows.Close()
	var codes strings.Builder
	for rows.Next() {
		var code string
		var rest any
		ok(t, rows.Scan(&rest, &code, &rest, &rest, &rest, &rest, &rest, &rest))
		codes.WriteString(code + "\n")
	}
	ok(t, rows.Err())
	return codes.String()
}

// openPlain opens a database without a store. Foreign keys, which are looked up, are part of a plan.
func openPlain(t *testing.T, path string) *sql.DB {
	t.Helper()
	db := must(sql.Open("sqlite3", "file:"+path+"?_foreign_keys=on"))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

// A recorder notes the statements of the stores that it opens, with the number of their arguments.
type recorder struct {
	sqlite3.SQLiteDriver
	mu         sync.Mutex
	statements map[string]int
}

func newRecorder() *recorder { return &recorder{statements: make(map[string]int)} }

func (r *recorder) open(t *testing.T, path string) *Store {
	t.Helper()
	noting := driver
	noting.SQL = r
	store := must(sqlitefile.Open(t.Context(), path, noting))(t)
	return store
}

// Open implements driver.Driver.
func (r *recorder) Open(name string) (sqldriver.Conn, error) {
	conn, err := r.SQLiteDriver.Open(name)
	if err != nil {
		return nil, err
	}
	return recordedConn{conn.(*sqlite3.SQLiteConn), r}, nil
}

// note keeps a statement about tables of the store. Those of the schema have few rows.
func (r *recorder) note(query string, args []sqldriver.NamedValue) {
	if !strings.Contains(query, "main.") || strings.Contains(query, "schema") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statements[query] = len(args)
}

type recordedConn struct {
	*sqlite3.SQLiteConn
	recorder *recorder
}

// ExecContext implements driver.ExecerContext.
func (c recordedConn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	c.recorder.note(query, args)
	return c.SQLiteConn.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (c recordedConn) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	c.recorder.note(query, args)
	return c.SQLiteConn.QueryContext(ctx, query, args)
}

// Prepare implements driver.Conn.
func (c recordedConn) Prepare(query string) (sqldriver.Stmt, error) {
	s, err := c.SQLiteConn.Prepare(query)
	if err != nil {
		return nil, err
	}
	return recordedStmt{s.(*sqlite3.SQLiteStmt), c.recorder, query}, nil
}

type recordedStmt struct {
	*sqlite3.SQLiteStmt
	recorder *recorder
	query    string
}

// ExecContext implements driver.StmtExecContext.
func (s recordedStmt) ExecContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	s.recorder.note(s.query, args)
	return s.SQLiteStmt.ExecContext(ctx, args)
}

package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

// TestBrokenRead tests the worst mistake that a store can make: to say that there
// is no such record when it could not look.
func TestBrokenRead(t *testing.T) {
	broken := errors.New("disk I/O error")
	store := New(brokenEngine{sql.OpenDB(brokenDriver{broken})}, SQLite)
	defer store.Close()
	for name, read := range map[string]func() error{
		"One": func() error {
			_, _, err := store.Token(t.Context(), storage.AccessToken, storage.Digest{})
			return err
		},
		"All": func() error {
			_, err := store.Keys(t.Context())
			return err
		},
		"InAWrite": func() error { return store.CreateSession(t.Context(), storage.Session{}, storage.Digest{}) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := read(); !errors.Is(err, broken) || errors.Is(err, storage.ErrNotFound) {
				t.Errorf("err = %v, want %v", err, broken)
			}
		})
	}
}

// brokenEngine has a connection that breaks before the first row arrives.
type brokenEngine struct{ *sql.DB }

func (e brokenEngine) Read(ctx context.Context, step Step) error  { return step(ctx, e.DB) }
func (e brokenEngine) Write(ctx context.Context, step Step) error { return step(ctx, e.DB) }
func (e brokenEngine) Ping(ctx context.Context) error             { return e.PingContext(ctx) }

// brokenDriver is every layer of a driver in one.
type brokenDriver struct{ err error }

func (d brokenDriver) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d brokenDriver) Driver() driver.Driver                        { return d }
func (d brokenDriver) Open(string) (driver.Conn, error)             { return d, nil }
func (d brokenDriver) Begin() (driver.Tx, error)                    { return nil, d.err }
func (d brokenDriver) Prepare(string) (driver.Stmt, error)          { return d, nil }
func (d brokenDriver) NumInput() int                                { return -1 }
func (d brokenDriver) Exec([]driver.Value) (driver.Result, error)   { return nil, d.err }
func (d brokenDriver) Query([]driver.Value) (driver.Rows, error)    { return d, nil }
func (d brokenDriver) Columns() []string                            { return []string{"column"} }
func (d brokenDriver) Next([]driver.Value) error                    { return d.err }
func (d brokenDriver) Close() error                                 { return nil }

func FuzzList(f *testing.F) {
	for _, seed := range []string{"", "openid", "openid|military", "|", `a","b`, `\|"`, "<script>|é|\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		if !utf8.ValidString(joined) {
			t.Skip("JSON has valid text only")
		}
		want := strings.Split(joined, "|")
		var got list
		if err := got.Scan(listText(want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list(want), got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestColumns(t *testing.T) {
	t.Run("ListRefusesWhatIsNone", func(t *testing.T) {
		for _, column := range []any{`["a`, `a"]`, `{}`, `"a"`, ``, int64(1)} {
			if err := new(list).Scan(column); err == nil {
				t.Errorf("%v was read as a list", column)
			}
		}
	})
	t.Run("DigestRefusesOtherLengths", func(t *testing.T) {
		for _, column := range []any{nil, []byte{}, make([]byte, 31), make([]byte, 33), strings.Repeat("x", 32)} {
			if err := new(digest).Scan(column); err == nil {
				t.Errorf("%v was read as a digest", column)
			}
		}
	})
	t.Run("TimeRefusesText", func(t *testing.T) {
		if err := new(instant).Scan("2026-01-01"); err == nil {
			t.Error("a text was read as a time")
		}
	})
}

func TestPostgresDialect(t *testing.T) {
	for _, tc := range []struct{ query, want string }{
		{`SELECT a FROM t WHERE b = ?1 AND c = ?12`, `SELECT a FROM t WHERE b = $1 AND c = $12`},
		{`CREATE TABLE t (id BLOB NOT NULL, n INTEGER) STRICT`, `CREATE TABLE t (id BYTEA NOT NULL, n BIGINT)`},
		{`PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID`, `PRIMARY KEY (a, b))`},
		{`id INTEGER PRIMARY KEY,`, `id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,`},
		{`id TEXT COLLATE BINARY`, `id TEXT COLLATE "C"`},
		{`SELECT 1 FROM t /* FOR SHARE */`, `SELECT 1 FROM t FOR SHARE`},
	} {
		for range 2 { // the second comes from the cache
			if got := Postgres.rewrite(tc.query); got != tc.want {
				t.Errorf("%q is rewritten to %q, want %q", tc.query, got, tc.want)
			}
		}
		if got := SQLite.rewrite(tc.query); got != tc.query {
			t.Errorf("%q is rewritten to %q, want no change", tc.query, got)
		}
	}
}

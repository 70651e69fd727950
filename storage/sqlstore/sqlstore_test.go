package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/storage"
)

// TestBrokenRead tests the worst mistake that a store can make: to say that there
// is no such record when it could not look.
func TestBrokenRead(t *testing.T) {
	broken := errors.New("disk I/O error")
	store := New(brokenEngine{sql.OpenDB(brokenDriver{broken})}, SQLite())
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
		"InAWrite": func() error {
			return store.CreateSession(t.Context(), storage.Session{}, storage.Proof{}, storage.Digest{})
		},
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

func FuzzFactors(f *testing.F) {
	f.Add("password", int64(1), int64(-1), []byte(nil), uint8(0), false)
	f.Add("passkey", int64(0), int64(1<<50), []byte("id , of a passkey"), uint8(3), true)
	f.Fuzz(func(t *testing.T, method string, at, since int64, credential []byte, level uint8, undated bool) {
		factor := storage.Factor{Method: storage.Method(method), At: time.UnixMicro(at).UTC(), Since: time.UnixMicro(since).UTC(), Credential: credential, Level: storage.Assurance(level), Undated: undated}
		if storage.UnixMicro(factor.At) != at || storage.UnixMicro(factor.Since) != since {
			t.Skip("no time of a record")
		}
		want := []storage.Factor{factor, {Method: storage.Password}, factor}
		text, err := factorsText(want)
		if err != nil {
			if method != "" && !strings.ContainsAny(method, " ,") {
				t.Fatal(err)
			}
			return
		}
		var got factors
		if err := got.Scan(text); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(factors(want), got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestColumns(t *testing.T) {
	t.Run("FactorsRefuseWhatIsNone", func(t *testing.T) {
		for _, column := range []any{"", " ", "password", "password,1", "password,1,2", ",1,2,", "password,x,2,", "password,1,x,", "password,1,2,!", "password,1,2, ", []byte("password,,,"), int64(1)} {
			if err := new(factors).Scan(column); err == nil {
				t.Errorf("%q was read as factors", column)
			}
		}
	})
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

// TestPing tests that a store which takes no writes does not call itself ready, and
// does again by itself.
func TestPing(t *testing.T) {
	for _, failure := range []error{storage.ErrUnavailable, context.DeadlineExceeded} {
		engine := &failingEngine{}
		store := New(engine, SQLite())
		if err := store.Ping(t.Context()); err != nil || engine.writes != 0 {
			t.Errorf("%v after %d writes, want an answer without one", err, engine.writes)
		}
		engine.err = failure
		if err := store.SaveOneTimeCode(t.Context(), storage.OneTimeCode{}); !errors.Is(err, failure) {
			t.Fatal(err)
		}
		for range 2 {
			if err := store.Ping(t.Context()); !errors.Is(err, failure) {
				t.Errorf("after a write failed: err = %v, want %v", err, failure)
			}
		}
		engine.err = storage.ErrConflict // says nothing of whether writes are possible
		if err := store.SaveOneTimeCode(t.Context(), storage.OneTimeCode{}); !errors.Is(err, storage.ErrConflict) {
			t.Fatal(err)
		}
		engine.err = failure
		if err := store.Ping(t.Context()); !errors.Is(err, failure) {
			t.Errorf("after a conflict: err = %v, want %v", err, failure)
		}
		engine.err = nil
		if err := store.Ping(t.Context()); err != nil {
			t.Errorf("when writes are possible again: %v", err)
		}
		writes := engine.writes
		if err := store.Ping(t.Context()); err != nil || engine.writes != writes {
			t.Errorf("%v after %d writes more, want an answer without one", err, engine.writes-writes)
		}
	}
}

// failingEngine answers reads, and writes with an error.
type failingEngine struct {
	writes int
	err    error
}

func (e *failingEngine) Read(context.Context, Step) error { return nil }
func (e *failingEngine) Write(context.Context, Step) error {
	e.writes++
	return e.err
}
func (e *failingEngine) Ping(context.Context) error { return nil }
func (e *failingEngine) Close() error               { return nil }

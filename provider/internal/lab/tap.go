package lab

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

// ErrDisk is what a statement fails with that a test lets fail.
var ErrDisk = errors.New("the disk fails")

// Tap is a driver of SQLite that counts statements, and lets some of them fail.
type Tap struct {
	mu     sync.Mutex
	sent   []string
	failAt int
	alone  bool

	forgets func() // has the provider of the file read anew what it remembers
}

// Open counts from now on, and lets the statement of this number fail, alone or with all that
// follow; 0 for none.
func (d *Tap) Open(failAt int, alone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent, d.failAt, d.alone = nil, failAt, alone
}

// Close has all statements succeed, and returns those since it was opened.
func (d *Tap) Close() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	sent := d.sent
	d.sent, d.failAt = nil, 0
	return sent
}

func (d *Tap) pass(query string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, query)
	fails := len(d.sent) == d.failAt || !d.alone && len(d.sent) > d.failAt
	if d.failAt > 0 && fails && !strings.HasPrefix(query, "ROLLBACK") {
		return ErrDisk
	}
	return nil
}

// Driver is this tap as a driver.
func (d *Tap) Driver() sqlitefile.Driver {
	return sqlitefile.Driver{
		SQL: tapped{d, &sqlite3.SQLiteDriver{}}, Params: url.Values{"_stmt_cache_size": {"256"}},
		Code: func(err error) int {
			if errors.Is(err, ErrDisk) {
				return int(sqlite3.ErrIoErr)
			}
			var failed sqlite3.Error
			if !errors.As(err, &failed) {
				return 0
			}
			return max(int(failed.Code), int(failed.ExtendedCode))
		},
	}
}

type tapped struct {
	tap *Tap
	driver.Driver
}

// Open implements driver.Driver.
func (d tapped) Open(name string) (driver.Conn, error) {
	conn, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &tappedConn{conn.(*sqlite3.SQLiteConn), d.tap}, nil
}

type tappedConn struct {
	*sqlite3.SQLiteConn
	tap *Tap
}

// QueryContext implements driver.QueryerContext.
func (c *tappedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.tap.pass(query); err != nil {
		return nil, err
	}
	return c.SQLiteConn.QueryContext(ctx, query, args)
}

// ExecContext implements driver.ExecerContext.
func (c *tappedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.tap.pass(query); err != nil {
		return nil, err
	}
	return c.SQLiteConn.ExecContext(ctx, query, args)
}

// Prepare implements driver.Conn.
func (c *tappedConn) Prepare(query string) (driver.Stmt, error) {
	s, err := c.SQLiteConn.Prepare(query)
	if err != nil || !strings.Contains(query, "main.") { // what begins and ends a batch is of the file, not of the store
		return s, err
	}
	return &tappedStmt{s.(*sqlite3.SQLiteStmt), c.tap, query}, nil
}

type tappedStmt struct {
	*sqlite3.SQLiteStmt
	tap   *Tap
	query string
}

// ExecContext implements driver.StmtExecContext.
func (s *tappedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.tap.pass(s.query); err != nil {
		return nil, err
	}
	return s.SQLiteStmt.ExecContext(ctx, args)
}

// InPlace puts another database in the place of that of the fixture.
func InPlace(t testing.TB, open func() (storage.Store, error)) func(*provider.Config) {
	return func(c *provider.Config) {
		keys := testkit.Must(c.Store.Keys(t.Context()))(t)
		testkit.OK(t, c.Store.Close())
		store := testkit.Must(open())(t)
		for _, key := range keys {
			testkit.OK(t, store.AddKey(t.Context(), key))
		}
		c.Store = store
	}
}

// Tapped is a fixture whose file has a tap.
func Tapped(t testing.TB, change ...func(*provider.Config)) (*Fixture, *Tap) {
	t.Helper()
	tap := &Tap{}
	w := newOn(t, func(path string) (storage.Store, error) { return sqlitefile.Open(t.Context(), path, tap.Driver()) }, change)
	tap.forgets = func() { w.Advance(2 * time.Second) }
	return w, tap
}

// Walk has the database fail at each statement of a request in turn, alone and with all that follow.
// Lead leads up to the request and returns what sends it, and what tells whether it has led to its
// end. A failure is 503, and the same request leads there afterwards; or it does no harm. Several
// statements fail alone before what lead leads to goes to its end. With -short, every fourth has all
// that follow fail.
func (d *Tap) Walk(t *testing.T, lead func() (ask func() Page, ended func(p Page) error)) {
	t.Helper()
	for _, alone := range []bool{true, false} {
		failures, step := 1, 1
		if alone {
			failures = 4
		} else if testing.Short() {
			step = 4
		}
		for at, reached := 1, true; reached; {
			ask, ended := lead()
			var p Page
			failed, unavailable := "none", true
			for n := 0; reached && unavailable && n < failures; n++ {
				d.forgets()
				d.Open(at, alone)
				p = ask()
				sent := d.Close()
				if reached = len(sent) >= at; reached {
					failed = fmt.Sprint(at, ": ", sent[at-1])
				}
				at += step
				unavailable = p.StatusCode == http.StatusServiceUnavailable && p.Header.Get("Retry-After") != ""
				if strings.Contains(p.Text, ErrDisk.Error()) {
					t.Errorf("the page says why: %s", p.Text)
				}
			}
			if reached && unavailable {
				p = ask()
			}
			err := ended(p)
			if p.StatusCode >= http.StatusBadRequest || err != nil {
				t.Errorf("statement %s fails, alone %v: %s, %v\n%s", failed, alone, p.Status, err, p.Text)
			}
		}
	}
}

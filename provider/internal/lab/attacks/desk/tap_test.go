package desk

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

// errDisk is what a statement fails with that a test lets fail.
var errDisk = errors.New("the disk fails")

// tap is a driver of SQLite that counts statements, and lets one of them fail.
type tap struct {
	mu     sync.Mutex
	sent   []string
	failAt int
}

// open counts from now on, and lets the statement of this number fail with all that follow; 0
// for none.
func (d *tap) open(failAt int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent, d.failAt = nil, failAt
}

// close has all statements succeed, and returns those since it was opened.
func (d *tap) close() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	sent := d.sent
	d.sent, d.failAt = nil, 0
	return sent
}

func (d *tap) pass(query string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, query)
	if d.failAt > 0 && len(d.sent) >= d.failAt && !strings.HasPrefix(query, "ROLLBACK") {
		return errDisk
	}
	return nil
}

// driver is this tap as a driver.
func (d *tap) driver() sqlitefile.Driver {
	return sqlitefile.Driver{
		SQL: tapped{d, &sqlite3.SQLiteDriver{}}, Params: url.Values{"_stmt_cache_size": {"256"}},
		Code: func(err error) int {
			if errors.Is(err, errDisk) {
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
	tap *tap
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
	tap *tap
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

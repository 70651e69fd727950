package sqlitefile

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// Driver is a driver of SQLite for database/sql, with the differences between drivers. All
// fields except Params are required.
type Driver struct {
	// SQL opens connections. They implement driver.ExecerContext, and their names
	// are URIs as SQLite has them (https://www.sqlite.org/uri.html).
	SQL driver.Driver

	// Params are settings of the driver, for the names of connections. This package sets
	// every PRAGMA.
	Params url.Values

	// Code returns the extended result code of SQLite in an error
	// (https://www.sqlite.org/rescode.html), and 0 when there is none.
	Code func(err error) int
}

// Result codes of SQLite. The lower eight bits are the primary code.
const (
	codePerm     = 3
	codeBusy     = 5
	codeLocked   = 6
	codeNoMem    = 7
	codeReadOnly = 8
	codeIOErr    = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeProtocol = 15
	codeNotADB   = 26

	codeConstraintForeignKey = 19 | 3<<8
	codeConstraintPrimaryKey = 19 | 6<<8
	codeConstraintUnique     = 19 | 8<<8
	codeConstraintRowID      = 19 | 10<<8
)

// primary returns the primary result code of an error, 0 if it has none.
func (d Driver) primary(err error) int {
	if err == nil {
		return 0
	}
	return d.Code(err) & 0xff
}

// mapError replaces the driver's errors by the sentinels of package storage. Others, such as
// a violated check or a mistake in SQL, are no answer for any caller and stay. A damaged page
// is ErrUnavailable: it says nothing about the record, and other pages can be served.
func (d Driver) mapError(err error) error {
	if err == nil {
		return nil
	}
	switch d.Code(err) {
	case codeConstraintUnique, codeConstraintPrimaryKey, codeConstraintRowID:
		return fmt.Errorf("%w: %w", storage.ErrConflict, err)
	case codeConstraintForeignKey:
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	}
	switch d.primary(err) {
	case codeBusy, codeLocked, codeFull, codeReadOnly, codeIOErr, codeCantOpen,
		codeProtocol, codeNoMem, codeCorrupt, codeNotADB:
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	return err
}

// connector makes connections to an existing file, with these pragmas in addition to those of
// all connections. It registers nothing under a global name.
func (d Driver) connector(path string, pragmas ...string) driver.Connector {
	query := url.Values{"mode": {"rw"}} // never create: see prepareFile
	for name, values := range d.Params {
		query[name] = values
	}
	name := filepath.ToSlash(path)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // C:/folder
	}
	all := append([]string{
		fmt.Sprintf("busy_timeout = %d", patience.Milliseconds()), // first: the others may wait
		"foreign_keys = ON",
		"synchronous = FULL",
	}, pragmas...)
	return connector{
		driver: d.SQL,
		name:   (&url.URL{Scheme: "file", Path: name, RawQuery: query.Encode()}).String(),
		setUp:  "PRAGMA " + strings.Join(all, "; PRAGMA "),
	}
}

type connector struct {
	driver driver.Driver
	name   string
	setUp  string
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.name)
	if err != nil {
		return nil, err
	}
	execer, ok := conn.(driver.ExecerContext)
	if !ok {
		conn.Close()
		return nil, errors.New("sqlitefile: connections of the driver have no ExecContext")
	}
	if _, err := execer.ExecContext(context.WithoutCancel(ctx), c.setUp, nil); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

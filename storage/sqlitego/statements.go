package sqlitego

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// preparing is a driver whose connections prepare a query once and keep it, as the one
// of package sqlite does by itself: SQLite takes longer to plan most queries of a store
// than to run them.
type preparing struct{ driver.Driver }

// Open implements driver.Driver.
func (d preparing) Open(name string) (driver.Conn, error) {
	opened, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	c, ok := opened.(fullConn)
	if !ok {
		opened.Close()
		return nil, errors.New("sqlitego: the driver lacks a part of database/sql")
	}
	return &conn{fullConn: c, idle: make(map[string]stmt)}, nil
}

// fullConn is what database/sql finds in a connection of the driver.
type fullConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type stmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// conn keeps the statements that nobody runs, by query. database/sql sees to it that one
// goroutine at a time is here.
type conn struct {
	fullConn
	idle map[string]stmt
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !comesAgain(query) {
		return c.fullConn.ExecContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	return result, c.keep(query, s)
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !comesAgain(query) {
		return c.fullConn.QueryContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	found, err := s.QueryContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &rows{Rows: found, conn: c, query: query, stmt: s}, nil
}

// Close implements driver.Conn.
func (c *conn) Close() error {
	for _, s := range c.idle {
		s.Close()
	}
	return c.fullConn.Close()
}

// comesAgain reports whether a statement is one of the store's. A PRAGMA must not be
// kept: some take effect when they are prepared.
func comesAgain(query string) bool {
	query = strings.TrimLeft(query, " \t\n")
	for _, verb := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE "} {
		if strings.HasPrefix(query, verb) {
			return true
		}
	}
	return false
}

// take returns a statement that nobody runs.
func (c *conn) take(ctx context.Context, query string) (stmt, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return s, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s, ok := prepared.(stmt)
	if !ok {
		prepared.Close()
		return nil, errors.New("sqlitego: statements of the driver take no context")
	}
	return s, nil
}

// keep lets a statement be run again, unless there is another for the same query.
func (c *conn) keep(query string, s stmt) error {
	if _, ok := c.idle[query]; ok {
		return s.Close()
	}
	c.idle[query] = s
	return nil
}

// rows give their statement back when they are closed.
type rows struct {
	driver.Rows
	conn  *conn
	query string
	stmt  stmt
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	if r.stmt == nil {
		return nil
	}
	s := r.stmt
	r.stmt = nil
	if err := r.Rows.Close(); err != nil {
		s.Close()
		return err
	}
	return r.conn.keep(r.query, s)
}

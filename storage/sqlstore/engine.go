package sqlstore

import (
	"context"
	"database/sql"
)

// Engine runs steps on a database of one kind. Its methods may be called by any number of
// goroutines, and return the sentinels of package storage in place of the driver's errors:
//
//   - ErrConflict when a unique value exists already, or a table that is created,
//   - ErrNotFound when a row that a foreign key names does not exist,
//   - ErrUnavailable when the database is busy, full, read-only, damaged,
//     unreachable or closed,
//   - the error of ctx when that is why the step was given up.
//
// An error that is none of the driver's comes back as it is.
type Engine interface {
	// Read runs a step of one query, which needs no transaction.
	Read(ctx context.Context, step Step) error

	// Write runs a step as one transaction that is durable when Write returns
	// nil and has left no trace when the step returned an error. The step may
	// run on another goroutine, and again when the engine demands it.
	Write(ctx context.Context, step Step) error

	// Ping reports whether the database answers, and takes writes as far as it
	// can be asked without a write.
	Ping(ctx context.Context) error

	// Close waits for the steps that run and releases everything. Steps that come
	// later get ErrUnavailable. It may be called again.
	Close() error
}

// Step is what is done on a connection. Its context is for the calls that it
// makes there; it does not end with the caller's when the engine cannot stop half
// way.
type Step func(ctx context.Context, db Conn) error

// Conn runs queries: a *sql.DB, *sql.Conn or *sql.Tx. The queries are few and come again
// all the time; a driver that does not keep prepared statements by itself is slower.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

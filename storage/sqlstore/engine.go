package sqlstore

import (
	"context"
	"database/sql"
)

// Engine runs steps on a database of one kind. Any number of goroutines may call its
// methods, which return the sentinels of package storage in place of the driver's errors:
//
//   - ErrConflict if a unique value, or a table to create, exists,
//   - ErrNotFound if the row of a foreign key does not exist,
//   - ErrUnavailable if the database is busy, full, read-only, damaged, unreachable or
//     closed,
//   - the error of ctx if that is why the step was given up.
//
// Other errors come back as they are.
type Engine interface {
	// Read runs a step of one query, which needs no transaction.
	Read(ctx context.Context, step Step) error

	// Write runs a step as one transaction, which is durable when Write returns nil and
	// leaves no trace when the step returns an error. The step may run on another
	// goroutine, and again if the engine demands it.
	Write(ctx context.Context, step Step) error

	// Ping reports whether the database answers, and takes writes as far as it can tell
	// without one.
	Ping(ctx context.Context) error

	// Close waits for the running steps and releases everything. Later steps get
	// ErrUnavailable. It may be called again.
	Close() error
}

// Step is the work on a connection. Its context is for the calls there; it does not end
// with the caller's if the engine cannot stop half way.
type Step func(ctx context.Context, db Conn) error

// Conn runs queries: a *sql.DB, *sql.Conn or *sql.Tx. The queries are few and repeat all
// the time; a driver that does not keep prepared statements itself is slower.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Queue is a Conn that an Engine may give to a Write step where each statement costs the way to
// the server and back: what the step expects is sent with the next statement, or the commit.
type Queue interface {
	Conn

	// Expect queues a statement that must return a row. If it does not, the engine commits
	// nothing, and runs the step again with a Conn that is no Queue: only then it sees what
	// there is instead.
	Expect(query string, args ...any)
}

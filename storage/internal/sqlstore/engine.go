package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// Engine runs steps on a database of one kind. Its methods return the sentinels
// of package storage in place of the driver's errors:
//
//   - ErrConflict when a unique value exists already,
//   - ErrNotFound when a row that a foreign key names does not exist,
//   - ErrUnavailable when the database is busy, full, read-only, damaged,
//     unreachable or closed,
//   - the error of ctx when that is why the step was given up.
//
// An error that is none of the driver's comes back as it is.
type Engine interface {
	// Read runs a step of one query.
	Read(ctx context.Context, step Step) error

	// Write runs a step as one transaction that is durable when Write returns
	// nil and has left no trace when the step returned an error. The step may
	// run on another goroutine, and again when the engine demands it.
	Write(ctx context.Context, step Step) error

	// Ping reports whether the database answers.
	Ping(ctx context.Context) error

	// Close waits for the steps that run and releases everything. It may be
	// called again.
	Close() error
}

// Step is what is done on a connection. Its context is for the calls that it
// makes there; it does not end with the caller's when the engine cannot stop half
// way.
type Step func(ctx context.Context, db Conn) error

// Conn runs queries: a *sql.DB, *sql.Conn or *sql.Tx. Statements that come again
// are prepared once; both drivers in use do that themselves.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Dialect is what an engine spells differently from SQLite.
type Dialect struct {
	// replacer is nil for SQLite itself.
	replacer  *strings.Replacer
	rewritten sync.Map // of string by string
	// tables counts the tables with the name ?1.
	tables string
	// system names the database to OpenTelemetry.
	system attribute.KeyValue
}

// SQLite is the dialect that the queries are written in.
var SQLite = &Dialect{
	system: semconv.DBSystemNameSQLite,
	tables: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1`,
}

// Postgres is the dialect of PostgreSQL and the databases that speak its language.
var Postgres = &Dialect{
	system: semconv.DBSystemNamePostgreSQL,
	tables: `SELECT count(*) FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_name = ?1`,
	replacer: strings.NewReplacer(
		"?", "$",
		"BLOB", "BYTEA",
		"id INTEGER PRIMARY KEY", "id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
		"INTEGER", "BIGINT",
		"COLLATE BINARY", `COLLATE "C"`,
		") STRICT, WITHOUT ROWID", ")",
		") STRICT", ")",
		"/* FOR SHARE */", "FOR SHARE",
		"/* FOR UPDATE */", "FOR UPDATE",
	),
}

// rewrite returns the query in this dialect.
func (d *Dialect) rewrite(query string) string {
	if d.replacer == nil {
		return query
	}
	if known, ok := d.rewritten.Load(query); ok {
		return known.(string)
	}
	rewritten := d.replacer.Replace(query)
	d.rewritten.Store(query, rewritten)
	return rewritten
}

// Package postgres is a storage.Store on PostgreSQL, for installations of more
// than one machine.
//
//	store, err := postgres.Open(ctx, "postgres://bonafide@db.example/bonafide")
//
// # What it needs
//
// PostgreSQL 13 or later, and a role that may create tables in the first schema of
// its search_path. It takes no advisory locks and keeps no state in a session, so
// that a pooler may stand between (in transaction mode, add
// default_query_exec_mode=exec to the URL), and its SQL is particular to no
// server: databases that speak PostgreSQL's protocol and lock rows will serve.
//
// # Durability
//
// A method that returned nil has committed. Whether that survives a power cut is
// up to the server's settings (fsync, synchronous_commit).
//
// # Conflicts
//
// A transaction that the server gave up in favour of another (a deadlock, or a
// serialization failure where the server isolates more strictly than READ
// COMMITTED) runs again, for a few seconds at most, before the caller gets
// storage.ErrUnavailable.
package postgres

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.opentelemetry.io/otel/metric"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/internal/sqlstore"
)

// Store is a storage.Store in a PostgreSQL database. Its methods may be called by
// any number of goroutines.
type Store struct {
	storage.Store
	records *sqlstore.Store // the same
}

// Open connects to a database and brings its schema up to date. The URL is that of
// libpq (https://www.postgresql.org/docs/current/libpq-connect.html); what it
// leaves out comes from the environment (PGHOST, PGPASSWORD, PGSSLMODE and the
// like). pool_max_conns in it bounds the connections of this store; without it
// they are four for each processor.
//
// A database that a newer version of this module has migrated is refused and left
// as it is.
func Open(ctx context.Context, url string) (*Store, error) {
	e, err := openEngine(url)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := sqlstore.Migrate(ctx, e, sqlstore.Postgres); err != nil {
		e.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	records := sqlstore.New(e, sqlstore.Postgres)
	return &Store{Store: records, records: records}, nil
}

// Observe makes OpenTelemetry learn how long every operation takes from now on, as
// db.client.operation.duration. A provider calls it with its Config.MeterProvider.
func (s *Store) Observe(meters metric.MeterProvider) error { return s.records.Observe(meters) }

// openEngine makes a pool; it connects when it is first used.
func openEngine(url string) (*engine, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	connections := 4 * runtime.GOMAXPROCS(0)
	if text, ok := config.RuntimeParams["pool_max_conns"]; ok {
		if connections, err = strconv.Atoi(text); err != nil || connections < 1 {
			return nil, fmt.Errorf("pool_max_conns is %q, not a number of connections", text)
		}
		delete(config.RuntimeParams, "pool_max_conns")
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &engine{db: db}, nil
}

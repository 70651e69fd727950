// Package postgres is a storage.Store on PostgreSQL, for installations of more
// than one machine, or where a PostgreSQL server is there anyway. It links no C.
//
//	store, err := postgres.Open(ctx, "postgres://bonafide@db.example/bonafide")
//
// # What it needs
//
// PostgreSQL 13 or later, and a role that may create tables in one schema. It takes no
// advisory locks and keeps no state in a session, so that a pooler may stand between.
//
// The schema is the first one of the role's search_path, or of the search_path in the
// URL, that exists when the database is opened; every statement names it from then on.
// The schema and its tables must belong to the role, to one that it is a member of, to
// the owner of the database, or to a superuser: Open refuses tables that somebody else
// has put there, or in front. Other roles can still use up the connections and the
// disk of their server, and one that may make roles (CREATEROLE, before PostgreSQL 16)
// gives itself any rights. A database of its own, which nobody else may connect to, is
// best:
//
//	CREATE ROLE bonafide LOGIN PASSWORD '…';
//	CREATE DATABASE bonafide OWNER bonafide;
//	REVOKE CONNECT ON DATABASE bonafide FROM PUBLIC;
//
// # Poolers
//
// PgBouncer in transaction mode needs default_query_exec_mode=exec in the URL: without
// it statements are prepared, in sessions that belong to others a moment later (tested
// with PgBouncer 1.18; from 1.21 on its max_prepared_statements is meant for that).
// simple_protocol works too, but puts what is stored into the server's log of
// statements. Let the URL name the schema (search_path, which need not be among
// ignore_startup_parameters).
//
// # Durability and failover
//
// A method that returned nil has committed. Whether that survives a power cut is
// up to the server's settings (fsync, synchronous_commit); whether it survives the loss
// of the server, to synchronous_standby_names. With a standby, name both in the URL:
//
//	postgres://bonafide@db1.example,db2.example/bonafide?target_session_attrs=read-write&connect_timeout=2
//
// A server that shuts down, or turns out to take no writes, is left with all its
// connections at once, and a step of which nothing was committed runs again on a new
// one. Behind one address that moves, connections to a server that was demoted and goes
// on answering reads are left at the first write, at the next [Store.Ping], and after 15
// minutes. A host of several has 3 seconds to take a connection, unless the URL says
// otherwise (connect_timeout).
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
	"io/fs"

	"go.opentelemetry.io/otel/metric"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// Store is a storage.Store in a PostgreSQL database, and storage.Developers and
// storage.Verification as well. Its methods may be called by
// any number of goroutines.
type Store struct {
	storage.Store
	storage.Developers
	storage.Verification
	records *sqlstore.Store // the same
}

var (
	_ storage.Developers   = (*Store)(nil)
	_ storage.Verification = (*Store)(nil)
)

// Open connects to a database and brings its schema up to date. The URL is that of
// libpq (https://www.postgresql.org/docs/current/libpq-connect.html); what it
// leaves out comes from the environment (PGHOST, PGPASSWORD, PGSSLMODE and the
// like). pool_max_conns in it bounds the connections of this store; without it
// they are four for each processor. search_path names the schema.
//
// A database that a newer version of this module has migrated is refused and left
// as it is.
func Open(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, sqlstore.Migrate)
}

// OpenExisting is [Open] for a database that has been used before: where the first
// schema of the search_path has no tables of this module it returns fs.ErrNotExist
// and creates none. It is for a host that knows that it has a database, so that one
// which was lost is not replaced by an empty one in silence.
func OpenExisting(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, func(ctx context.Context, e sqlstore.Engine, dialect sqlstore.Dialect) error {
		if err := refuseEmpty(ctx, e, dialect); err != nil {
			return err
		}
		return sqlstore.Migrate(ctx, e, dialect)
	})
}

// OpenCurrent is [OpenExisting] for what is done beside a service, which may run an earlier
// version of this module: it migrates nothing. A database that this version has not
// migrated is storage.ErrOlderSchema.
func OpenCurrent(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, func(ctx context.Context, e sqlstore.Engine, dialect sqlstore.Dialect) error {
		if err := refuseEmpty(ctx, e, dialect); err != nil {
			return err
		}
		return sqlstore.CheckSchema(ctx, e, dialect)
	})
}

// refuseEmpty returns fs.ErrNotExist for a schema without tables of this module.
func refuseEmpty(ctx context.Context, e sqlstore.Engine, dialect sqlstore.Dialect) error {
	found, err := sqlstore.HasSchema(ctx, e, dialect)
	if err == nil && !found {
		err = fmt.Errorf("the schema is empty: %w", fs.ErrNotExist)
	}
	return err
}

// open opens a database whose schema passes.
func open(ctx context.Context, url string, schema func(context.Context, sqlstore.Engine, sqlstore.Dialect) error) (*Store, error) {
	e, err := openEngine(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	dialect := sqlstore.Postgres(e.schema)
	if err := schema(ctx, migrating{e}, dialect); err != nil {
		e.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	records := sqlstore.New(e, dialect)
	return &Store{Store: records, Developers: records, Verification: records, records: records}, nil
}

// Observe makes OpenTelemetry learn how long every operation takes from now on, as
// db.client.operation.duration. A provider calls it with its Config.MeterProvider.
func (s *Store) Observe(meters metric.MeterProvider) error { return s.records.Observe(meters) }

// Package postgres is a storage.Store on PostgreSQL, for installations of several machines, or
// with a PostgreSQL server. It links no C.
//
//	store, err := postgres.Open(ctx, "postgres://bonafide@db.example/bonafide")
//
// # Requirements
//
// The store needs PostgreSQL 13 or later, and a role that may create tables in one schema. It
// takes no advisory locks and keeps no state in a session, so that it works behind a pooler.
//
// The schema is the first existing one of the role's search_path, or of the search_path in
// the URL, at the time of Open; every statement names it from then on. The schema and its
// tables must belong to the role, to a role of which it is a member, to the owner of the
// database, or to a superuser: Open refuses tables that somebody else has put there, or in
// front. Other roles can still use up the connections and the disk of the server, and one
// with CREATEROLE (before PostgreSQL 16) can take any rights. The safest is a database of its
// own, to which nobody else may connect:
//
//	CREATE ROLE bonafide LOGIN PASSWORD '…';
//	CREATE DATABASE bonafide OWNER bonafide;
//	REVOKE CONNECT ON DATABASE bonafide FROM PUBLIC;
//
// # Poolers
//
// PgBouncer in transaction mode needs default_query_exec_mode=exec in the URL: otherwise
// statements are prepared in sessions that belong to others a moment later (tested with
// PgBouncer 1.18; from 1.21 on its max_prepared_statements allows them). simple_protocol works,
// too, but puts stored values into the server's log of statements. The URL should name the
// schema (search_path, which need not be among ignore_startup_parameters).
//
// # Durability and failover
//
// A write whose method returned nil has committed. The server's settings fsync and
// synchronous_commit decide whether it survives a power cut, synchronous_standby_names whether
// it survives the loss of the server. With a standby, name both in the URL:
//
//	postgres://bonafide@db1.example,db2.example/bonafide?target_session_attrs=read-write
//
// If a server shuts down, or takes no writes, all connections to it are left at once, and a
// step without a commit runs again on a new one. Behind an address that moves, connections to
// a demoted server that still answers reads are left at the first write, at the next
// [Store.Ping], and after 15 minutes. Each of several hosts has 2 seconds (connect_timeout) to
// take a connection and, on Linux, to acknowledge what was sent to it; then its connections are
// left as well, and it is asked last from then on.
//
// # Round trips
//
// The statements of a write that need no answer go to the server in one message with begin and
// commit, and in the order of a transaction that runs them one by one: those that must find or
// change a row divide by zero where there is none, which undoes it. The step then runs again, one
// statement after the other, and answers what it finds. Such a division is an error in the log of
// the server, for example when a code is redeemed twice at the same moment.
//
// If the connection breaks before the server has answered a message with a commit, the caller gets
// storage.ErrUnavailable, since it may have been carried out.
//
// # Conflicts
//
// A transaction that the server aborts in favour of another (a deadlock, or a serialization
// failure above READ COMMITTED) runs again, for a few seconds at most, before the caller gets
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

// Store is storage.Roles in a PostgreSQL database. Its methods may be called by any number of
// goroutines.
type Store struct {
	storage.Roles
	records *sqlstore.Store // the same
}

// Open connects to a database and brings its schema up to date. The URL is that of
// libpq (https://www.postgresql.org/docs/current/libpq-connect.html); what it
// leaves out comes from the environment (PGHOST, PGPASSWORD, PGSSLMODE and the
// like). pool_max_conns in it bounds the connections of this store; without it
// they are four for each processor. search_path names the schema.
//
// A database that a newer version of this module has migrated is refused and not changed.
func Open(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, sqlstore.Migrate)
}

// OpenExisting is [Open] for a used database: if the first schema of the search_path has no
// tables of this module, it returns fs.ErrNotExist and creates none. It is for a host that has
// used its database before, so that no empty one silently replaces a lost one.
func OpenExisting(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, func(ctx context.Context, e sqlstore.Engine, dialect sqlstore.Dialect) error {
		if err := refuseEmpty(ctx, e, dialect); err != nil {
			return err
		}
		return sqlstore.Migrate(ctx, e, dialect)
	})
}

// OpenCurrent is [OpenExisting] for a program beside a service that may run an earlier version
// of this module: it migrates nothing. A database with an older schema is
// storage.ErrOlderSchema.
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

// open opens a database if its schema passes.
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
	return &Store{Roles: records, records: records}, nil
}

// Observe reports the duration of every later operation to OpenTelemetry, as
// db.client.operation.duration. A provider calls it with its Config.MeterProvider.
func (s *Store) Observe(meters metric.MeterProvider) error { return s.records.Observe(meters) }

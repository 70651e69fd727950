// Package sqlite is a storage.Store in one SQLite file, without a server: what a
// small installation runs on, and fast enough for most large ones.
//
//	store, err := sqlite.Open(ctx, "/var/lib/bonafide/bonafide.db")
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: a method that returned nil has
// written to the disk and survives a power cut. Concurrent writes share one
// commit ("group commit"), so that many callers wait for the disk once.
//
// # Files
//
// Beside the file live two more while it is open, named with -wal and -shm; the
// folder must be writable for them, and on a local disk: SQLite's locks are not
// reliable on network file systems. All are readable by their owner alone. To
// copy a database that is in use, call [Store.Backup].
//
// # Several processes
//
// Any number of processes on one machine may open the file. One that cannot write
// for five seconds because another one does gives up with
// storage.ErrUnavailable.
//
// The package needs cgo (github.com/mattn/go-sqlite3).
package sqlite

import (
	"context"
	"fmt"
	"path/filepath"

	"go.opentelemetry.io/otel/metric"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/internal/sqlstore"
)

// Store is a storage.Store in one file. Its methods may be called by any number of
// goroutines.
type Store struct {
	storage.Store
	records *sqlstore.Store // the same
	path    string
}

// Open opens the database in the file at path. When there is none it creates one,
// and the folder that it is in (but no folder above that); file and folder are
// accessible to their owner alone, whatever the umask. It brings the schema up to
// date.
//
// A file that is empty, truncated, damaged, of another program, or written by a
// newer version of this module is refused and left as it is. So is one that
// cannot be written.
//
// Nothing works in the background. ctx ends the wait for other processes that use
// the file; it does not end the store.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path) // stays right when the process changes folders
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := prepareFile(ctx, path); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	engine, err := openMigrated(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	records := sqlstore.New(engine, sqlstore.SQLite)
	return &Store{Store: records, records: records, path: path}, nil
}

// Observe makes OpenTelemetry learn how long every operation takes from now on, as
// db.client.operation.duration. A provider calls it with its Config.MeterProvider.
func (s *Store) Observe(meters metric.MeterProvider) error { return s.records.Observe(meters) }

// openMigrated opens a file that exists.
func openMigrated(ctx context.Context, path string) (*engine, error) {
	e, err := openEngine(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := sqlstore.Migrate(ctx, e, sqlstore.SQLite); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

package sqlitefile

import (
	"context"
	"fmt"
	"path/filepath"

	"go.opentelemetry.io/otel/metric"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// Store is storage.Roles in one file. Its methods may be called by any number of goroutines.
type Store struct {
	storage.Roles
	records *sqlstore.Store // the same
	engine  *engine
	driver  Driver
	path    string
}

// Open opens the database in the file at path, and brings its schema up to date. If there is
// none, it creates the file and its folder (but no folder above that); only their owner can
// access them, whatever the umask.
//
// A file that is empty, truncated, damaged, of another program or of a newer version of this
// module is refused and not changed. So is one that cannot be written.
//
// In the background the store moves what was written from the -wal file into the other. ctx ends
// the wait for other processes, not the store.
func Open(ctx context.Context, path string, driver Driver) (*Store, error) {
	return driver.open(ctx, path, driver.prepareFile, sqlstore.Migrate)
}

// OpenExisting is [Open] for an existing database: without a file it returns fs.ErrNotExist
// and creates nothing. It is for a host that has used its database before, so that no empty
// one silently replaces a lost one, or one that is not mounted.
func OpenExisting(ctx context.Context, path string, driver Driver) (*Store, error) {
	return driver.open(ctx, path, driver.findFile, sqlstore.Migrate)
}

// OpenCurrent is [OpenExisting] for a program beside a service that may run an earlier version
// of this module: it migrates nothing. A database with an older schema is
// storage.ErrOlderSchema.
func OpenCurrent(ctx context.Context, path string, driver Driver) (*Store, error) {
	return driver.open(ctx, path, driver.findFile, sqlstore.CheckSchema)
}

// open opens the file that prepare finds or makes at a path, if its schema passes; prepare
// returns the real path.
func (d Driver) open(
	ctx context.Context, path string,
	prepare func(ctx context.Context, path string) (string, error),
	schema func(context.Context, sqlstore.Engine, sqlstore.Dialect) error,
) (*Store, error) {
	path, err := filepath.Abs(path) // stays right when the process changes folders
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	file, err := prepare(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	engine, err := d.openEngine(ctx, file)
	if err == nil {
		if err = schema(ctx, engine, sqlstore.SQLite()); err != nil {
			engine.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	records := sqlstore.New(engine, sqlstore.SQLite())
	return &Store{Roles: records, records: records, engine: engine, driver: d, path: file}, nil
}

// Observe reports the duration of every later operation to OpenTelemetry, as
// db.client.operation.duration. A provider calls it with its Config.MeterProvider.
func (s *Store) Observe(meters metric.MeterProvider) error { return s.records.Observe(meters) }

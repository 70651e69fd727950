package sqlitefile

import (
	"context"
	"fmt"
	"path/filepath"

	"go.opentelemetry.io/otel/metric"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// Store is a storage.Store in one file, and storage.Developers and
// storage.Verification as well. Its methods may be called by any number of
// goroutines.
type Store struct {
	storage.Store
	storage.Developers
	storage.Verification
	records *sqlstore.Store // the same
	driver  Driver
	path    string
}

var (
	_ storage.Developers   = (*Store)(nil)
	_ storage.Verification = (*Store)(nil)
)

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
func Open(ctx context.Context, path string, driver Driver) (*Store, error) {
	return driver.open(ctx, path, driver.prepareFile, sqlstore.Migrate)
}

// OpenExisting is [Open] for a database that must be there already: where there is
// no file it returns fs.ErrNotExist and creates nothing. It is for a host that knows
// that it has a database, so that one which was lost or is not mounted is not
// replaced by an empty one in silence.
func OpenExisting(ctx context.Context, path string, driver Driver) (*Store, error) {
	return driver.open(ctx, path, driver.findFile, sqlstore.Migrate)
}

// OpenCurrent is [OpenExisting] for what is done beside a service, which may run an earlier
// version of this module: it migrates nothing. A database that this version has not
// migrated is storage.ErrOlderSchema.
func OpenCurrent(ctx context.Context, path string, driver Driver) (*Store, error) {
	return driver.open(ctx, path, driver.findFile, sqlstore.CheckSchema)
}

// open opens a file that prepare has found, or made, at a path, and whose schema passes;
// prepare returns where it is in truth.
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
	return &Store{Store: records, Developers: records, Verification: records, records: records, driver: d, path: file}, nil
}

// Observe makes OpenTelemetry learn how long every operation takes from now on, as
// db.client.operation.duration. A provider calls it with its Config.MeterProvider.
func (s *Store) Observe(meters metric.MeterProvider) error { return s.records.Observe(meters) }

package sqlstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/bonafide-id/bonafide/storage"
)

// HasSchema reports whether a migration has ever run in the database. It does not write.
func HasSchema(ctx context.Context, engine Engine, dialect Dialect) (bool, error) {
	version, err := recorded(ctx, engine, dialect)
	return version > 0, err
}

// CheckSchema returns nil for a database with the schema of the queries, and otherwise
// storage.ErrOlderSchema, storage.ErrNewerSchema or storage.ErrUnreleasedSchema. It does not write.
func CheckSchema(ctx context.Context, engine Engine, dialect Dialect) error {
	version, err := recorded(ctx, engine, dialect)
	if err != nil {
		return err
	}
	return compare(version, SchemaVersion)
}

// checkVersion compares the schema of the database with a version.
func (s *Store) checkVersion(ctx context.Context, want int) error {
	version, err := s.version(ctx)
	if err != nil {
		return err
	}
	return compare(version, want)
}

func compare(version, want int) error {
	var err error
	switch {
	case isUnreleased(version):
		err = storage.ErrUnreleasedSchema
	case version > want:
		err = storage.ErrNewerSchema
	case version < want:
		err = storage.ErrOlderSchema
	default:
		return nil
	}
	return fmt.Errorf("%w (its schema is %d, that of this program %d)", err, version, want)
}

// isUnreleased reports whether a version is that of a schema from before the first release.
func isUnreleased(version int) bool { return 0 < version && version < firstVersion }

// recorded returns the version of the schema of a database, zero if it is empty.
func recorded(ctx context.Context, engine Engine, dialect Dialect) (int, error) {
	if err := dialect.check(); err != nil {
		return 0, err
	}
	s := unwatched(engine, dialect)
	if found, err := s.versioned(ctx); !found || err != nil {
		return 0, err
	}
	return s.version(ctx)
}

// versioned reports whether the table of the schema's version exists.
func (s *Store) versioned(ctx context.Context) (bool, error) {
	return read(ctx, s, "look for the schema", func(tx *tx) (bool, error) {
		tables, err := countTables(tx, versionTable)
		return tables > 0, err
	})
}

// version returns the number of the last migration that ran.
func (s *Store) version(ctx context.Context) (int, error) {
	return read(ctx, s, "read the schema version", func(tx *tx) (int, error) {
		return one(tx, scanInt, `SELECT version FROM main.schema_version`)
	})
}

// watchInterval is how long a store relies on its last check of the schema.
const watchInterval = time.Second

// A watch detects that another process migrates the database, after which this one would read
// and write by former rules. Every step goes through it. The migration must prevent harm by
// steps of the former rules within the interval.
type watch struct {
	store  *Store
	begun  time.Time
	looked atomic.Int64 // when it was looked last, in nanoseconds since begun
	newer  atomic.Bool
}

// newWatch returns the watch of a database, read by a store that nobody watches.
func newWatch(store *Store) *watch {
	return &watch{store: store, begun: time.Now()}
}

// check returns storage.ErrUnavailable with storage.ErrNewerSchema while the schema is newer than
// that of this module. It looks when nobody has for a while; one caller does.
func (w *watch) check(ctx context.Context) error {
	last, now := w.looked.Load(), time.Since(w.begun)
	if now-time.Duration(last) >= watchInterval && w.looked.CompareAndSwap(last, int64(now)) {
		if w.look(ctx) != nil {
			w.looked.Store(last) // the step meets the same, and the next caller looks again
		}
	}
	return w.verdict()
}

// look reads which schema there is.
func (w *watch) look(ctx context.Context) error {
	// It is no part of the request that happens to pass.
	version, err := w.store.version(trace.ContextWithSpan(ctx, nil))
	if err == nil {
		w.newer.Store(version > SchemaVersion)
	}
	return err
}

func (w *watch) verdict() error {
	if w.newer.Load() {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, storage.ErrNewerSchema)
	}
	return nil
}

//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"net/url"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

var driver = sqlitefile.Driver{
	SQL: &sqlite3.SQLiteDriver{},
	Params: url.Values{
		"_stmt_cache_size": {"256"}, // every query of the store
		"_mutex":           {"no"},  // no two goroutines use a connection at once: database/sql and the writer see to it
	},
	Code: func(err error) int {
		var failed sqlite3.Error
		if !errors.As(err, &failed) {
			return 0
		}
		// Some errors have the primary code alone.
		return max(int(failed.Code), int(failed.ExtendedCode))
	},
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
// In the background the store moves what was written from the -wal file into the other. ctx ends
// the wait for other processes, not the store.
func Open(ctx context.Context, path string) (*Store, error) {
	return sqlitefile.Open(ctx, path, driver)
}

// OpenExisting is [Open] for a database that must be there already: where there is
// no file it returns fs.ErrNotExist and creates nothing. It is for a host that knows
// that it has a database, so that one which was lost or is not mounted is not
// replaced by an empty one in silence.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	return sqlitefile.OpenExisting(ctx, path, driver)
}

// OpenCurrent is [OpenExisting] for what is done beside a service, which may run an earlier
// version of this module: it migrates nothing. A database that this version has not
// migrated is storage.ErrOlderSchema.
func OpenCurrent(ctx context.Context, path string) (*Store, error) {
	return sqlitefile.OpenCurrent(ctx, path, driver)
}

// Backup is Store.Backup for a database that need not be open. The copy has the schema of
// the database, whichever that is: nothing is migrated, so that before an upgrade it is a
// copy for the program that made it.
func Backup(ctx context.Context, database, path string) error {
	return sqlitefile.Backup(ctx, database, path, driver)
}

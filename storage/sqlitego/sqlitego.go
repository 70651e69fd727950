// Package sqlitego is a storage.Store in one SQLite file for programs that are built
// without cgo, as for many containers: package sqlite with SQLite as Go
// (modernc.org/sqlite) in place of SQLite as C.
//
//	store, err := sqlitego.Open(ctx, "/var/lib/bonafide/bonafide.db")
//
// Choose package sqlite where a C compiler is at hand, since reads take about half the
// time there and writes three quarters, and this one where it is not. The files are the
// same: either package opens what the other has made, but one process opens a file with
// one of them only.
// Package sqlitefile says how durable it is, which files it needs and how many processes
// may open it.
//
// It is a module of its own, so that nobody else links its driver.
package sqlitego

import (
	"context"
	"errors"

	"modernc.org/sqlite"

	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

// Store is a storage.Store in one file. Its methods may be called by any number of
// goroutines.
type Store = sqlitefile.Store

var modernc = sqlitefile.Driver{
	SQL: preparing{&sqlite.Driver{}},
	Code: func(err error) int {
		var failed *sqlite.Error
		if !errors.As(err, &failed) {
			return 0
		}
		return failed.Code()
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
	return sqlitefile.Open(ctx, path, modernc)
}

// OpenExisting is [Open] for a database that must be there already: where there is
// no file it returns fs.ErrNotExist and creates nothing. It is for a host that knows
// that it has a database, so that one which was lost or is not mounted is not
// replaced by an empty one in silence.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	return sqlitefile.OpenExisting(ctx, path, modernc)
}

// OpenCurrent is [OpenExisting] for what is done beside a service, which may run an earlier
// version of this module: it migrates nothing. A database that this version has not
// migrated is storage.ErrOlderSchema.
func OpenCurrent(ctx context.Context, path string) (*Store, error) {
	return sqlitefile.OpenCurrent(ctx, path, modernc)
}

// Backup is Store.Backup for a database that need not be open. The copy has the schema of
// the database, whichever that is: nothing is migrated, so that before an upgrade it is a
// copy for the program that made it.
func Backup(ctx context.Context, database, path string) error {
	return sqlitefile.Backup(ctx, database, path, modernc)
}

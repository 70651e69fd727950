package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage/internal/sqlstore"
)

// applicationID marks a database as Bonafide's (PRAGMA application_id): "bona".
const applicationID = 0x626f6e61

// checkedWhole is up to which size, in bytes, every page of a file is looked at
// before it is used. That takes a few milliseconds; a larger file shows its damage
// where it is read.
const checkedWhole = 8 << 20

// The reasons why a file is refused.
var (
	errEmpty    = errors.New("the file is empty; if it is not a database that was lost, remove it")
	errForeign  = errors.New("the file is not a database of Bonafide")
	errDamaged  = errors.New("the file is damaged; restore a backup")
	errReadOnly = errors.New("the file and its folder must be writable")
	errOrphan   = errors.New("there is a -wal file but no database; put the database back beside it, or remove it")
)

// prepareFile makes sure that there is a file at path which is worth opening.
func prepareFile(ctx context.Context, path string) error {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = create(ctx, path)
	}
	if err != nil {
		return err
	}
	return check(ctx, path)
}

// create makes a database that is complete when it appears: a process that is
// killed meanwhile leaves no half of one, and of several that create the same one
// succeeds and the others use its work.
func create(ctx context.Context, path string) error {
	if _, err := os.Lstat(path + "-wal"); err == nil {
		return errOrphan // SQLite would replay it into the new database
	}
	err := publish(path, func(draft string) error {
		e, err := openEngine(ctx, draft)
		if err != nil {
			return err
		}
		err = e.Write(ctx, func(ctx context.Context, db sqlstore.Conn) error {
			_, err := db.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID))
			return err
		})
		if err == nil {
			err = sqlstore.Migrate(ctx, e, sqlstore.SQLite)
		}
		return errors.Join(err, e.Close())
	})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// publish lets write fill an empty file, which only its owner can access, and
// moves it to path. It never replaces a file that exists.
func publish(path string, write func(draft string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".draft-*") // mode 0600
	if err != nil {
		return err
	}
	draft := f.Name()
	defer os.Remove(draft)
	if err := f.Close(); err != nil {
		return err
	}
	if err := write(draft); err != nil {
		return err
	}
	if err := syncPath(draft); err != nil {
		return err
	}
	// Unlike a rename, a link fails when the name is taken.
	if err := os.Link(draft, path); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // has no way to sync a folder
		return nil
	}
	return syncPath(filepath.Dir(path)) // the name itself
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// check refuses a file that SQLite would replace, misread or repair, and leaves it
// as it is.
//
// It looks through SQLite's eyes only. Closing a file that was opened in any other
// way drops the locks that this process has on it, also those of another Store.
func check(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errForeign
	case info.Size() == 0:
		return errEmpty
	}
	db := sql.OpenDB(connector(path))
	defer db.Close()
	err = look(ctx, db, info.Size())
	var failed sqlite3.Error
	if errors.As(err, &failed) {
		switch failed.Code {
		case sqlite3.ErrNotADB:
			return errForeign
		case sqlite3.ErrCorrupt:
			return fmt.Errorf("%w: %w", errDamaged, err)
		case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
			return fmt.Errorf("%w: %w", errReadOnly, err)
		}
	}
	return mapError(err)
}

// look makes SQLite read enough of a file to trust it, and begin to write.
func look(ctx context.Context, db *sql.DB, size int64) error {
	var id int
	if err := db.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id); err != nil {
		return err
	}
	if id != applicationID {
		return errForeign
	}
	check := `SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema)`
	if size <= checkedWhole {
		check = `PRAGMA quick_check(1)`
	}
	var finding string
	if err := db.QueryRowContext(ctx, check).Scan(&finding); err != nil {
		return err
	}
	if finding != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, finding)
	}
	// BEGIN IMMEDIATE alone succeeds on a file that cannot be written.
	_, err := db.ExecContext(ctx, fmt.Sprintf(`BEGIN IMMEDIATE; PRAGMA application_id = %d; ROLLBACK`, applicationID))
	return err
}

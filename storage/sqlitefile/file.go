package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// applicationID marks a database as Bonafide's (PRAGMA application_id): "bona".
const applicationID = 0x626f6e61

// checkedWhole is the maximum size in bytes of a file whose pages are all checked before use,
// which takes a few milliseconds. A larger file shows its damage where it is read.
const checkedWhole = 8 << 20

// The reasons why a file is refused.
var (
	errEmpty    = errors.New("the file is empty; if it is not a database that was lost, remove it")
	errForeign  = errors.New("the file is not a database of Bonafide")
	errDamaged  = errors.New("the file is damaged; restore a backup")
	errReadOnly = errors.New("the file and its folder must be writable")
	errOrphan   = errors.New("there is a -wal file but no database; put the database back beside it, or remove it")
	errDangling = fmt.Errorf("the path is a symbolic link to a file that is not there: %w", fs.ErrNotExist)
)

// prepareFile checks the file at path, or creates one, and returns its path without symbolic
// links.
func (d Driver) prepareFile(ctx context.Context, path string) (string, error) {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	file, err := resolve(path)
	if err != nil {
		return "", err
	}
	_, err = os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.create(ctx, file)
	}
	if err != nil {
		return "", err
	}
	return file, d.check(ctx, file)
}

// findFile is prepareFile for an existing file.
func (d Driver) findFile(ctx context.Context, path string) (string, error) {
	file, err := resolve(path)
	if err != nil {
		return "", err
	}
	return file, d.check(ctx, file)
}

// resolve returns the path of a file without symbolic links. SQLite follows them, so the -wal
// file is beside the real file. The file need not exist, its folder must.
func resolve(path string) (string, error) {
	file, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", errDangling
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(folder, filepath.Base(path)), err
}

// create makes a database that is complete when it appears: a killed process leaves no half
// of one. Of several processes that create the same, one succeeds and the others use its file.
func (d Driver) create(ctx context.Context, path string) error {
	err := publish(path, func(draft string) error {
		e, err := d.openEngine(ctx, draft)
		if err != nil {
			return err
		}
		err = e.Write(ctx, func(ctx context.Context, db sqlstore.Conn) error {
			_, err := db.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID, scrubbed))
			return err
		})
		if err == nil {
			err = sqlstore.Migrate(ctx, e, sqlstore.SQLite())
		}
		return errors.Join(err, e.Close())
	})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// publish has write fill an empty file, which only its owner can access, and moves it to path.
// It never replaces an existing file.
func publish(path string, write func(draft string) error) error {
	_, noWAL := os.Lstat(path + "-wal") // before the file itself, which is there first
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if noWAL == nil {
		return errOrphan // SQLite would replay it into the new database
	}
	folder := filepath.Dir(path)
	removeDrafts(folder)
	f, err := os.CreateTemp(folder, draftPrefix+"*") // mode 0600
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
	return syncPath(folder) // the name itself
}

const (
	// draftPrefix begins the names of unfinished files.
	draftPrefix = ".bonafide-draft-"

	// abandoned is the time since the last write after which nobody makes a draft. Even
	// the largest is written to all the time.
	abandoned = time.Hour
)

// removeDrafts removes the drafts of killed processes from a folder: each may be a whole copy
// of a database. It goes by age: a lock shows only in the open file, and a draft of a process
// that was killed at the very end is the database itself under another name, whose closing
// drops SQLite's locks on it. A draft that stays is no error: the next call finds it again.
func removeDrafts(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), draftPrefix) {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if at, err := lastWritten(path); err == nil && time.Since(at) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// lastWritten returns the time of the last write to a draft; of a file beside it, which SQLite
// may not touch for long, that of the draft itself.
func lastWritten(path string) (time.Time, error) {
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		if draft, beside := strings.CutSuffix(path, suffix); beside {
			if info, err := os.Lstat(draft); err == nil {
				return info.ModTime(), nil
			}
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// check refuses a file that SQLite would replace, misread or repair, and does not change it.
//
// It opens the file with SQLite only. Closing a file that was opened in any other way drops
// the locks that this process has on it, even those of another Store.
func (d Driver) check(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errForeign
	case info.Size() == 0:
		return errEmpty
	}
	db := sql.OpenDB(d.connector(path))
	defer db.Close()
	err = look(ctx, db, info.Size())
	switch d.primary(err) {
	case codeNotADB:
		return errForeign
	case codeCorrupt:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case codeReadOnly, codeCantOpen, codePerm:
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return d.mapError(err)
}

// look has SQLite read enough of a file to trust it, and begin a write.
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

package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
)

// Backup writes a copy of the database, as it is at one moment, to a new file that
// only its owner can access. Reads and writes go on meanwhile. The file appears
// when it is complete and durable; one that exists is never overwritten
// (fs.ErrExist). A process that is killed meanwhile leaves a draft, which a backup
// into the same folder removes when it is an hour old.
//
// A backup is restored by opening it, or by putting it in the place of a database
// that no process has open and whose -wal and -shm files are gone. Codes, tokens
// and sessions that were ended since are in force again in it: end what is older
// than the moment of restoring with the provider's People.RevokeIssuedBefore. So are
// signing keys that were removed since.
func (s *Store) Backup(ctx context.Context, path string) error {
	return s.driver.backup(ctx, s.path, path)
}

// Backup is Store.Backup for a database that need not be open. The copy has the schema of
// the database, whichever that is: nothing is migrated, so that before an upgrade it is a
// copy for the program that made it.
func Backup(ctx context.Context, database, path string, driver Driver) error {
	database, err := filepath.Abs(database)
	if err == nil {
		database, err = driver.findFile(ctx, database)
	}
	if err != nil {
		return fmt.Errorf("back up database: %w", err)
	}
	return driver.backup(ctx, database, path)
}

func (d Driver) backup(ctx context.Context, database, path string) error {
	path, err := filepath.Abs(path) // as SQLite's names of files have to be
	if err != nil {
		return fmt.Errorf("back up database: %w", err)
	}
	err = publish(path, func(draft string) error {
		db := sql.OpenDB(d.connector(database))
		defer db.Close()
		if _, err := db.ExecContext(ctx, `VACUUM INTO ?1`, draft); err != nil {
			return d.mapError(err)
		}
		return d.setWAL(ctx, draft)
	})
	if err != nil {
		return fmt.Errorf("back up database: %w", err)
	}
	return nil
}

// setWAL puts a file that no one uses yet in the mode that Open needs, so that
// opening it need not write to it first.
func (d Driver) setWAL(ctx context.Context, path string) error {
	w, err := d.openWriter(ctx, path)
	if err != nil {
		return d.mapError(err)
	}
	return w.close()
}

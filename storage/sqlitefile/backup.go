package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
)

// Backup writes a copy of the database at one moment to a new file that only its owner can
// access, while reads and writes continue. The file appears when it is complete and durable.
// An existing one is never overwritten (fs.ErrExist). A killed process leaves a draft, which
// a later backup into the same folder removes when it is an hour old.
//
// To restore a backup, open it, or replace a database with it that no process has open and
// whose -wal and -shm files are gone. Codes, tokens and sessions that have ended since are
// valid again: end those from before the restoring with the provider's
// People.RevokeIssuedBefore. Signing keys that were removed since are back, too.
func (s *Store) Backup(ctx context.Context, path string) error {
	return s.driver.backup(ctx, s.path, path)
}

// Backup is Store.Backup for a database that need not be open. It migrates nothing: the copy
// has the schema of the database, for the program that made it.
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
		// Nobody waits for a backup, and a busy machine must not end it.
		db := sql.OpenDB(d.connector(database, "busy_timeout = 60000"))
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

// setWAL puts a file that nobody uses yet in the mode of Open, which then need not write to
// it first.
func (d Driver) setWAL(ctx context.Context, path string) error {
	w, err := d.openWriter(ctx, path)
	if err != nil {
		return d.mapError(err)
	}
	return w.close()
}

package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
)

// scrubbed marks a file in which no place holds what was deleted (PRAGMA user_version).
const scrubbed = 1

// Scrub removes from the file what was deleted or replaced by versions of this package that
// did not overwrite it, once in the life of the file: it writes the whole of it anew, for
// which the disk needs twice its room, and during which no process writes. Afterwards it
// returns at once. A provider calls it when it starts, after it has sealed what a database
// from before holds about people in clear.
func (s *Store) Scrub(ctx context.Context) error {
	if err := s.driver.scrub(ctx, s.path); err != nil {
		return fmt.Errorf("scrub database: %w", s.driver.mapError(err))
	}
	return nil
}

func (d Driver) scrub(ctx context.Context, path string) error {
	db := sql.OpenDB(d.connector(path))
	defer db.Close()
	db.SetMaxOpenConns(1)
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil || version >= scrubbed {
		return err
	}
	_, err := db.ExecContext(ctx, `VACUUM`)
	if err == nil {
		// The mark comes last: a process that is killed before does it once more.
		_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = %d`, scrubbed))
	}
	return err
}

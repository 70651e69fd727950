package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
)

// scrubbed marks a file without remains of deleted data (PRAGMA user_version).
const scrubbed = 1

// Scrub removes the remains of data that earlier versions of this package deleted or replaced
// without overwriting it. Once in the life of a file it rewrites the whole file: the disk
// needs room for another copy, and no process writes meanwhile. Later calls return at once. A
// provider calls it at startup, after it has encrypted the personal data of an older database.
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
		// The mark comes last: after a killed process, the next one repeats the work.
		_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = %d`, scrubbed))
	}
	return err
}

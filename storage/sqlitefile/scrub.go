package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// scrubbed marks a file without remains of deleted data (PRAGMA user_version).
const scrubbed = 1

// Scrub removes the remains of data that earlier versions of this package deleted or replaced
// without overwriting it. Once in the life of a file it rewrites the whole file: the disk
// needs room for another copy, and no process writes meanwhile. Later calls return at once. A
// provider calls it at startup, after it has encrypted the personal data of an older database.
func (s *Store) Scrub(ctx context.Context) error {
	done, err := s.isScrubbed(ctx)
	if err == nil && !done {
		err = s.driver.mapError(s.driver.scrub(ctx, s.path))
	}
	if err != nil {
		return fmt.Errorf("scrub database: %w", err)
	}
	return nil
}

// isScrubbed asks a connection that is open: one of its own would parse the schema at every start.
func (s *Store) isScrubbed(ctx context.Context) (done bool, err error) {
	err = s.engine.Read(ctx, func(ctx context.Context, db sqlstore.Conn) error {
		rows, err := db.QueryContext(ctx, `SELECT user_version >= ?1 FROM pragma_user_version`, scrubbed)
		if err != nil {
			return err
		}
		defer rows.Close()
		rows.Next()
		return errors.Join(rows.Scan(&done), rows.Err())
	})
	return done, err
}

func (d Driver) scrub(ctx context.Context, path string) error {
	db := sql.OpenDB(d.connector(path))
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err := db.ExecContext(ctx, `VACUUM`)
	if err == nil {
		// The mark comes last: after a killed process, the next one repeats the work.
		_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = %d`, scrubbed))
	}
	return err
}

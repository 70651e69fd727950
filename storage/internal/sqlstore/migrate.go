package sqlstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// Migrations only ever grow: a file that has been released is never edited, and
// there is no way back but a backup.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// ErrNewerSchema says that a newer version of this module has migrated the
// database. It is left as it is.
var ErrNewerSchema = errors.New("the database was written by a newer version of Bonafide; upgrade this program or restore a backup")

// Migrate brings the schema of the database up to date, one transaction for each
// migration, so that one that was interrupted runs again from its start. Of any
// number of processes that migrate at once, one does. A database that is up to
// date is only read; one that is newer gets ErrNewerSchema.
func Migrate(ctx context.Context, engine Engine, dialect *Dialect) error {
	migrations, err := readMigrations()
	if err != nil {
		return err
	}
	s := New(engine, dialect)
	if err := s.createVersion(ctx); err != nil {
		return err
	}
	for {
		version, err := read(ctx, s, "read the schema version", func(tx *tx) (int, error) {
			return one(tx, scanInt, `SELECT version FROM schema_version`)
		})
		switch {
		case err != nil:
			return err
		case version > len(migrations):
			return ErrNewerSchema
		case version == len(migrations):
			return nil
		}
		if err := s.migrate(ctx, version, migrations[version]); err != nil {
			return err
		}
	}
}

// createVersion makes the table of one row that says which migrations ran.
func (s *Store) createVersion(ctx context.Context) error {
	exists := func() (bool, error) {
		return read(ctx, s, "look for the schema", func(tx *tx) (bool, error) {
			tables, err := one(tx, scanInt, s.dialect.tables, "schema_version")
			return tables > 0, err
		})
	}
	if found, err := exists(); found || err != nil {
		return err
	}
	err := s.change(ctx, "create the schema", func(tx *tx) error {
		if _, err := tx.exec(`CREATE TABLE IF NOT EXISTS schema_version (
			singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
			version INTEGER NOT NULL
		) STRICT`); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO schema_version (singleton, version) VALUES (1, 0) ON CONFLICT DO NOTHING`)
		return err
	})
	if errors.Is(err, storage.ErrConflict) {
		// PostgreSQL's IF NOT EXISTS does not cover a process that creates the
		// table at the same time.
		if found, err := exists(); found || err != nil {
			return err
		}
	}
	return err
}

// migrate runs one migration, unless another process has meanwhile.
func (s *Store) migrate(ctx context.Context, version int, m migration) error {
	return s.change(ctx, "migrate the schema: "+m.name, func(tx *tx) error {
		current, err := one(tx, scanInt, `SELECT version FROM schema_version /* FOR UPDATE */`)
		if err != nil || current != version {
			return err
		}
		for _, statement := range m.statements {
			if _, err := tx.exec(statement); err != nil {
				return err
			}
		}
		_, err = tx.exec(`UPDATE schema_version SET version = ?1`, version+1)
		return err
	})
}

type migration struct {
	name       string
	statements []string
}

func readMigrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	migrations := make([]migration, len(names))
	for i, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if number := fmt.Sprintf("migrations/%04d_", i+1); !strings.HasPrefix(name, number) {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		statements := strings.Split(strings.TrimSpace(string(text)), ";\n")
		migrations[i] = migration{name: name, statements: statements}
	}
	return migrations, nil
}

func scanInt(row scanner) (int, error) {
	var n int
	err := row.Scan(&n)
	return n, err
}

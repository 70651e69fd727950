package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// Migrate brings the schema of the database up to date, each migration in a transaction of its
// own, so that an interrupted one runs again from its start. Of concurrent processes one runs
// each migration. A current database is only read; a newer one is storage.ErrNewerSchema, and one
// from before the first release storage.ErrUnreleasedSchema.
func Migrate(ctx context.Context, engine Engine, dialect Dialect) error {
	migrations, err := dialect.migrations()
	if err != nil {
		return err
	}
	if last := migrations[len(migrations)-1].number; last != SchemaVersion {
		return fmt.Errorf("sqlstore: the last migration of the dialect is %04d, and the queries need %04d", last, SchemaVersion)
	}
	return unwatched(engine, dialect).migrateAll(ctx, migrations)
}

// migrateAll runs the migrations that have not run. The first makes the table of the version.
func (s *Store) migrateAll(ctx context.Context, migrations []migration) error {
	if err := s.createVersion(ctx, migrations[0]); err != nil {
		return err
	}
	for _, m := range migrations[1:] {
		if err := s.migrate(ctx, m); err != nil {
			return err
		}
	}
	return s.checkVersion(ctx, migrations[len(migrations)-1].number)
}

// versionTable has the number of the last migration that ran.
const versionTable = "schema_version"

// createVersion creates the table of one row with the number of the last migration that ran.
func (s *Store) createVersion(ctx context.Context, m migration) error {
	if found, err := s.versioned(ctx); found || err != nil {
		return err
	}
	err := s.change(ctx, "create the schema", func(tx *tx) error {
		if tables, err := countTables(tx, versionTable); tables > 0 || err != nil {
			return err // another process has made it since
		}
		return m.run(tx)
	})
	if errors.Is(err, storage.ErrConflict) {
		// Another process has made it at the same time.
		if found, err := s.versioned(ctx); found || err != nil {
			return err
		}
	}
	return err
}

// migrate runs one migration unless it has run. A database that is not empty, and of a schema
// from before all of them, is left as it is.
func (s *Store) migrate(ctx context.Context, m migration) error {
	version, err := s.version(ctx)
	if err != nil || version >= m.number || isUnreleased(version) {
		return err
	}
	return s.change(ctx, "migrate the schema: "+m.name, func(tx *tx) error {
		current, err := one(tx, scanInt, `SELECT version FROM main.schema_version `+tx.store.dialect.ForUpdate)
		if err != nil || current != version {
			return err // another process has run it
		}
		if err := m.run(tx); err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE main.schema_version SET version = ?1`, m.number)
		return err
	})
}

// A migration is one file of a Dialect. A released migration is never edited, and only a
// backup leads back.
type migration struct {
	number     int
	name       string
	statements []string
}

// run executes the statements in their order.
func (m migration) run(tx *tx) error {
	for _, statement := range m.statements {
		if _, err := tx.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// migrations reads the files of a dialect: that of the version, and those from the first schema
// on without a gap.
func (d Dialect) migrations() ([]migration, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	names, err := fs.Glob(d.Migrations, "*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var migrations []migration
	for i, name := range names {
		text, err := fs.ReadFile(d.Migrations, name)
		if err != nil {
			return nil, err
		}
		number := 0
		if i > 0 {
			number = firstVersion + i - 1
		}
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", number)) {
			return nil, fmt.Errorf("sqlstore: migration %s is not number %04d", name, number)
		}
		statements := strings.Split(strings.TrimSpace(string(text)), ";\n")
		for i := range statements {
			statements[i] = d.translate(statements[i])
		}
		migrations = append(migrations, migration{number, name, statements})
	}
	if len(migrations) < 2 {
		return nil, errors.New("sqlstore: the dialect has no migration that makes the tables")
	}
	return migrations, nil
}

// countTables counts the tables of a name. The query is the dialect's own: nothing in it is
// replaced, since it may name a schema.
func countTables(tx *tx, name string) (int, error) {
	rows, err := tx.db.QueryContext(tx.ctx, tx.store.dialect.CountTables, name)
	if err != nil {
		return 0, err
	}
	return only(rows, scanInt)
}

func scanInt(row scanner) (int, error) {
	var n int
	err := row.Scan(&n)
	return n, err
}

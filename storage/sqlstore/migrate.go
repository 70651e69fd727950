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
// each migration. A current database is only read; a newer one is storage.ErrNewerSchema.
func Migrate(ctx context.Context, engine Engine, dialect Dialect) error {
	migrations, err := dialect.migrations()
	if err != nil {
		return err
	}
	s := unwatched(engine, dialect)
	if err := s.createVersion(ctx, migrations[0]); err != nil {
		return err
	}
	for {
		version, err := s.version(ctx)
		switch {
		case err != nil:
			return err
		case version > SchemaVersion:
			return storage.ErrNewerSchema
		case version == SchemaVersion:
			return nil
		}
		if err := s.migrate(ctx, version, migrations[version+1]); err != nil {
			return err
		}
	}
}

// versionTable has the number of migrations that ran.
const versionTable = "schema_version"

// createVersion creates the table of one row with the number of migrations that ran.
func (s *Store) createVersion(ctx context.Context, m migration) error {
	if found, err := s.versioned(ctx); found || err != nil {
		return err
	}
	err := s.change(ctx, "create the schema", m.run)
	if errors.Is(err, storage.ErrConflict) {
		// Another process has made it since.
		if found, err := s.versioned(ctx); found || err != nil {
			return err
		}
	}
	return err
}

// migrate runs one migration unless another process has done so.
func (s *Store) migrate(ctx context.Context, version int, m migration) error {
	return s.change(ctx, "migrate the schema: "+m.name, func(tx *tx) error {
		current, err := one(tx, scanInt, `SELECT version FROM main.schema_version `+tx.store.dialect.ForUpdate)
		if err != nil || current != version {
			return err
		}
		if err := m.run(tx); err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE main.schema_version SET version = ?1`, version+1)
		return err
	})
}

// A migration is one file of a Dialect. A released migration is never edited, and only a
// backup leads back.
type migration struct {
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

// migrations reads the files of a dialect, which begin with number 0.
func (d Dialect) migrations() ([]migration, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	names, err := fs.Glob(d.Migrations, "*.sql") // sorted
	if err != nil {
		return nil, err
	}
	migrations := make([]migration, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(d.Migrations, name)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(name, fmt.Sprintf("%04d_", i)) {
			return nil, fmt.Errorf("sqlstore: migration %s is not number %d", name, i)
		}
		statements := strings.Split(strings.TrimSpace(string(text)), ";\n")
		migrations[i] = migration{name: name, statements: statements}
	}
	if len(migrations) != SchemaVersion+1 {
		return nil, fmt.Errorf("sqlstore: the dialect has %d migrations, and the queries need %d", max(len(migrations)-1, 0), SchemaVersion)
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

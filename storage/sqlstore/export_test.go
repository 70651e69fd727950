package sqlstore

import "context"

// MigrateFurther runs all migrations of a dialect that may have some behind those that the queries need.
func MigrateFurther(ctx context.Context, engine Engine, dialect Dialect) error {
	migrations, err := dialect.migrations()
	if err != nil {
		return err
	}
	return unwatched(engine, dialect).migrateAll(ctx, migrations)
}

package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// trusted is true for an owner (the column %s) with all rights to the data of this role: the
// role itself or one of which it is a member, a superuser, and the owner of the database. A
// superuser is a member of every role, and trusts none for that.
const trusted = `(SELECT owner.rolsuper OR owner.rolname = 'pg_database_owner' OR owner.oid = d.datdba
		OR owner.oid = self.oid OR NOT self.rolsuper AND pg_catalog.pg_has_role(self.oid, owner.oid, 'MEMBER')
	FROM pg_catalog.pg_roles owner, pg_catalog.pg_roles self, pg_catalog.pg_database d
	WHERE owner.oid = %s AND self.rolname = current_user AND d.datname = pg_catalog.current_database())`

var (
	// firstSchema is the schema in which tables are created. In some places the original
	// schema public belongs to a role of the hoster; later ones have larger numbers.
	firstSchema = `SELECT n.nspname, pg_catalog.pg_get_userbyid(n.nspowner), n.oid < 16384 OR ` +
		fmt.Sprintf(trusted, "n.nspowner") + `
		FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, position)
		JOIN pg_catalog.pg_namespace n ON n.nspname = path.name
		WHERE n.nspname <> 'information_schema' AND pg_catalog.left(n.nspname::text, 3) <> 'pg_'
		ORDER BY path.position LIMIT 1`

	// strangeTable is a table, or another object of its name, of a foreign owner, who can
	// read it, change it, and run functions as whoever writes to it.
	strangeTable = `SELECT c.relname, pg_catalog.pg_get_userbyid(c.relowner)
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = ANY ($2) AND c.relowner <> n.nspowner AND NOT ` +
		fmt.Sprintf(trusted, "c.relowner") + `
		ORDER BY c.relname LIMIT 1`
)

// findSchema returns the schema of the tables, existing or not: the first one of a search_path,
// by default that of the role. It searches once, so that a schema that later appears in front
// has no effect. It refuses a schema or table of a foreign role: any role that may create
// schemas in the database can name one like the role whose path begins with "$user".
func findSchema(ctx context.Context, config *pgx.ConnConfig, path *string) (string, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	var schema string
	// One transaction: a pooler may give every other one to another session.
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
		schema, err = trustedSchema(ctx, tx, path)
		return err
	})
	return schema, err
}

func trustedSchema(ctx context.Context, tx pgx.Tx, path *string) (schema string, err error) {
	if path != nil {
		if _, err := tx.Exec(ctx, `SELECT pg_catalog.set_config('search_path', $1, true)`, *path); err != nil {
			return "", err
		}
	}
	var owner string
	var isTrusted bool
	err = tx.QueryRow(ctx, firstSchema).Scan(&schema, &owner, &isTrusted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", noSchema(ctx, tx)
	case err != nil:
		return "", err
	case !isTrusted:
		return "", fmt.Errorf("schema %q belongs to role %q, who could replace all that is in it: "+
			"name another schema with search_path in the URL, or make this one belong to the role that connects", schema, owner)
	}
	return schema, nil
}

// migrating is an engine that checks the owners of tables before it reads from them: somebody
// may create one after the start, and a mere read may run functions of its owner. Missing
// tables are created, which fails if they have appeared meanwhile.
type migrating struct{ *engine }

// Read runs a step on tables that belong to the right role.
func (m migrating) Read(ctx context.Context, step sqlstore.Step) error {
	return m.engine.Read(ctx, func(ctx context.Context, db sqlstore.Conn) error {
		if err := m.checkTables(ctx, db); err != nil {
			return err
		}
		return step(ctx, db)
	})
}

func (m migrating) checkTables(ctx context.Context, db sqlstore.Conn) error {
	tables, err := sqlstore.Postgres(m.schema).Tables()
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, strangeTable, m.schema, tables)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return rows.Err()
	}
	var table, owner string
	if err := rows.Scan(&table, &owner); err != nil {
		return err
	}
	return fmt.Errorf("%q in schema %q belongs to role %q, who could read and replace all that is in it",
		table, m.schema, owner)
}

// noSchema says what the path is.
func noSchema(ctx context.Context, tx pgx.Tx) error {
	var path, role string
	err := tx.QueryRow(ctx, `SELECT pg_catalog.current_setting('search_path'), current_user::text`).Scan(&path, &role)
	if err != nil {
		return err
	}
	return fmt.Errorf("role %q may use no schema of its search_path (%s): there is none, or it lacks USAGE", role, path)
}

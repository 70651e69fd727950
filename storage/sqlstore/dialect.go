package sqlstore

import (
	"embed"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// SchemaVersion is the number of the migration that the queries of this package need, and the
// last that a [Dialect] has.
const SchemaVersion = 20

// firstVersion is the schema with which a database begins. Those with a smaller number were
// made before the first release, and are not opened (storage.ErrUnreleasedSchema).
const firstVersion = 20

// Dialect is the SQL of one database. The queries of this package are in the SQL of SQLite,
// with numbered parameters (?1) and tables in the schema main (main.tokens); a Dialect has
// the replacements for another database, and the statements that create the tables.
//
// [SQLite] and [Postgres] return the two in use. A database with the SQL of one of them
// changes the differing fields:
//
//	dialect := sqlstore.Postgres("public")
//	dialect.System = "cockroachdb"
//	dialect.Migrations = migrations // an embed.FS
type Dialect struct {
	// System is the name of the database in spans and metrics of OpenTelemetry
	// (db.system.name), such as "postgresql".
	System string

	// Placeholder is the character before the number of a parameter.
	//
	// Defaults to '?', as in ?1.
	Placeholder byte

	// Schema is the schema of the tables, quoted if necessary. It replaces main in every
	// statement, so that no statement depends on a search path: whoever may create schemas
	// in the database could put a table of the same name in front, without any right to
	// this one. A statement without a schema fails on PostgreSQL, where connections search
	// for tables nowhere.
	//
	// Defaults to main, which is the opened file in SQLite.
	Schema string

	// Migrations holds the statements that create and change the tables, as files named
	// NNNN_name.sql: 0000 creates schema_version with its one row, the next one all other
	// tables, and each number behind it, up to [SchemaVersion], goes one version up. Statements
	// end with a semicolon at the end of a line. They are in the SQL of SQLite, and name
	// tables without a schema.
	Migrations fs.FS

	// Types replaces words of SQLite in the migrations by those of the database: the first
	// of each pair by the second, in one pass, in which earlier pairs come first.
	//
	// Defaults to none.
	Types []string

	// CountTables is a query for the number of tables with the name in its first parameter.
	// It is sent unchanged, with the database's own placeholder.
	CountTables string

	// ForShare and ForUpdate end a query whose rows nobody else may change, or lock, before
	// the end of the step. Both are empty if Write steps run one at a time.
	ForShare  string
	ForUpdate string

	// PauseEvents are statements of a transaction, after which nobody is in the middle of a
	// step that writes to main.events, nor begins to before its end. They fail if that does
	// not come about within some 50 ms, for which they keep writers waiting.
	//
	// Empty if Write steps run one at a time.
	PauseEvents []string

	// OldestTurn and NextTurn are expressions of a query: a number that grows with each step that
	// writes, of the oldest step that is not over, and of the next that begins. The column
	// main.events.turn has that of the step which has written an event.
	//
	// Empty if Write steps run one at a time.
	OldestTurn, NextTurn string
}

//go:embed migrations
var migrations embed.FS

var builtin = func() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return files
}()

// SQLite returns the dialect of the queries.
func SQLite() Dialect {
	return Dialect{
		System:      "sqlite",
		Migrations:  builtin,
		CountTables: `SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?1`,
	}
}

// Postgres returns the dialect of PostgreSQL for tables in the schema of this name.
func Postgres(schema string) Dialect {
	return Dialect{
		System:      "postgresql",
		Placeholder: '$',
		Schema:      `"` + strings.ReplaceAll(schema, `"`, `""`) + `"`,
		Migrations:  builtin,
		Types: []string{
			"turn INTEGER NOT NULL DEFAULT (0)", "turn BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint, UNIQUE (turn, id)",
			"INTEGER PRIMARY KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
			"registration ->> 'deleted' = 1", "registration::json ->> 'deleted' = 'true'",
			"COLLATE BINARY", `COLLATE "C"`, " STRICT, WITHOUT ROWID", "", " STRICT", "",
			" VIRTUAL", " STORED", "INTEGER", "BIGINT", "BLOB", "BYTEA",
		},
		CountTables: `SELECT count(*) FROM information_schema.tables
			WHERE table_schema = '` + strings.ReplaceAll(schema, `'`, `''`) + `' AND table_name = $1`,
		ForShare:  "FOR SHARE",
		ForUpdate: "FOR UPDATE",
		PauseEvents: []string{
			`SET LOCAL lock_timeout = '50ms'`,
			`LOCK TABLE main.events IN SHARE MODE`,
		},
		OldestTurn: `pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
		NextTurn:   `pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
	}
}

var createdTable = regexp.MustCompile(`(?m)^CREATE TABLE (?:main\.)?(\w+) \(`)

// Tables returns the sorted names of all tables.
func (d Dialect) Tables() ([]string, error) {
	migrations, err := d.migrations()
	if err != nil {
		return nil, err
	}
	var tables []string
	for _, m := range migrations {
		for _, statement := range m.statements {
			if match := createdTable.FindStringSubmatch(statement); match != nil {
				tables = append(tables, match[1])
			}
		}
	}
	slices.Sort(tables)
	return tables, nil
}

// check reports what a Dialect lacks.
func (d Dialect) check() error {
	switch {
	case d.Migrations == nil:
		return errors.New("sqlstore: the dialect has no Migrations")
	case d.CountTables == "":
		return errors.New("sqlstore: the dialect has no CountTables")
	}
	return nil
}

// forUpdateOf locks the rows of one table of a join.
func (d Dialect) forUpdateOf(table string) string {
	if d.ForUpdate == "" {
		return ""
	}
	return d.ForUpdate + " OF " + table
}

// tableName finds the table that a statement of a migration creates, changes or refers to.
var tableName = regexp.MustCompile(`\b(TABLE|REFERENCES|INTO|UPDATE|FROM|DROP INDEX|INDEX \w+ ON) (\w+)`)

// translate returns a statement of a migration in the words of the dialect. It is rewritten later
// as queries are.
func (d Dialect) translate(statement string) string {
	if d.Schema != "" {
		statement = tableName.ReplaceAllString(statement, "$1 main.$2")
	}
	return strings.NewReplacer(d.Types...).Replace(statement)
}

// schemaName finds where a statement names the schema.
var schemaName = regexp.MustCompile(`\bmain\.`)

// rewrite returns a query with the placeholders and the schema of the dialect.
func (d Dialect) rewrite(query string) string {
	if d.Placeholder != 0 {
		query = strings.ReplaceAll(query, "?", string(rune(d.Placeholder)))
	}
	if d.Schema != "" {
		query = schemaName.ReplaceAllLiteralString(query, d.Schema+".")
	}
	return query
}

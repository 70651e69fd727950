package sqlstore

import (
	"embed"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// SchemaVersion is how many migrations the queries of this package rest on. A
// [Dialect] brings that many.
const SchemaVersion = 11

// Dialect is what databases spell differently. The queries of this package are
// written as SQLite takes them, with parameters by number (?1) and tables in the
// schema main (main.tokens); a Dialect says what another database writes for these,
// and brings the statements that create the tables.
//
// [SQLite] and [Postgres] return the two in use. A database that speaks the language
// of one of them takes that one, and changes what differs:
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

	// Schema is the schema of the tables, quoted where it has to be. It takes the
	// place of main in every statement, so that no statement depends on a search
	// path: by that a name means another table as soon as somebody puts one in front,
	// who needs no right to ours, only one to create schemas in the database. A
	// statement of a new query that leaves it out fails on PostgreSQL, where the
	// connections look for tables in no other place.
	//
	// Defaults to main, which is the opened file in SQLite.
	Schema string

	// Migrations holds the statements that create and change the tables, as files
	// named NNNN_name.sql: 0000 creates schema_version with its one row, and each
	// number from 1 to [SchemaVersion] goes one version up. Statements end with a
	// semicolon at the end of a line, and name tables as the queries do (main.tokens).
	// Tables and columns are those of the files in migrations/sqlite, where the
	// comments are, too; types and indexes are the database's own.
	Migrations fs.FS

	// CountTables is a query for how many tables have the name in its first parameter,
	// as one number. It is sent as it stands, with the database's own placeholder.
	CountTables string

	// ForShare and ForUpdate end a query whose rows nobody may change, or lock, until
	// the step has ended. Both are empty where no two Write steps run at a time.
	ForShare  string
	ForUpdate string
}

//go:embed migrations
var migrations embed.FS

// SQLite returns the dialect that the queries are written in.
func SQLite() Dialect {
	return Dialect{
		System:      "sqlite",
		Migrations:  builtin("migrations/sqlite"),
		CountTables: `SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?1`,
	}
}

// Postgres returns the dialect of PostgreSQL for tables in the schema of this name.
func Postgres(schema string) Dialect {
	return Dialect{
		System:      "postgresql",
		Placeholder: '$',
		Schema:      `"` + strings.ReplaceAll(schema, `"`, `""`) + `"`,
		Migrations:  builtin("migrations/postgres"),
		CountTables: `SELECT count(*) FROM information_schema.tables
			WHERE table_schema = '` + strings.ReplaceAll(schema, `'`, `''`) + `' AND table_name = $1`,
		ForShare:  "FOR SHARE",
		ForUpdate: "FOR UPDATE",
	}
}

func builtin(folder string) fs.FS {
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return files
}

var createdTable = regexp.MustCompile(`\bCREATE TABLE (?:IF NOT EXISTS )?(?:main\.)?(\w+)`)

// Tables returns the names of all tables that there are or have been, sorted.
func (d Dialect) Tables() ([]string, error) {
	migrations, err := d.migrations()
	if err != nil {
		return nil, err
	}
	var tables []string
	for _, m := range migrations {
		for _, statement := range m.statements {
			for _, match := range createdTable.FindAllStringSubmatch(statement, -1) {
				tables = append(tables, match[1])
			}
		}
	}
	slices.Sort(tables)
	return slices.Compact(tables), nil
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

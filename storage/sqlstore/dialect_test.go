package sqlstore

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestRewrite(t *testing.T) {
	postgres := Postgres(`a"?'$1 main.`)
	const schema = `"a""?'$1 main.".`
	for _, tc := range []struct{ query, want string }{
		{`SELECT a FROM main.t WHERE b = ?1 AND c = ?12`, `SELECT a FROM ` + schema + `t WHERE b = $1 AND c = $12`},
		{"SELECT g.id FROM main.tokens t JOIN\n\tmain.grants g", "SELECT g.id FROM " + schema + "tokens t JOIN\n\t" + schema + "grants g"},
		{`SELECT domain.name FROM main.domain`, `SELECT domain.name FROM ` + schema + `domain`},
	} {
		if got := postgres.rewrite(tc.query); got != tc.want {
			t.Errorf("%q is rewritten to %q, want %q", tc.query, got, tc.want)
		}
		if got := SQLite().rewrite(tc.query); got != tc.query {
			t.Errorf("%q is rewritten to %q, want no change", tc.query, got)
		}
	}
	want := `WHERE table_schema = 'a"?''$1 main.' AND table_name = $1`
	if !strings.Contains(postgres.CountTables, want) {
		t.Errorf("tables are counted by %q, want %q in it", postgres.CountTables, want)
	}
}

// TestMigrationsForPostgres tests that nothing of SQLite's is left in the statements for PostgreSQL,
// and that each names its schema: a table of another schema may be anybody's.
func TestMigrationsForPostgres(t *testing.T) {
	migrations, err := Postgres("public").migrations()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Postgres("public").Tables()
	if err != nil {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`(?i)\b(FROM|JOIN|INTO|UPDATE|REFERENCES|ON|TABLE)\s+(` + strings.Join(tables, "|") + `)\b`)
	foreign := regexp.MustCompile(`\b(INTEGER|BLOB|STRICT|ROWID|VIRTUAL|BINARY|IF NOT EXISTS)\b`)
	for _, m := range migrations {
		for _, statement := range m.statements {
			statement = comment.ReplaceAllString(statement, "")
			if found := bare.FindString(statement); found != "" {
				t.Errorf("%s: %q names no schema", m.name, found)
			}
			if found := foreign.FindString(statement); found != "" {
				t.Errorf("%s: %q in %s", m.name, found, statement)
			}
		}
	}
}

var comment = regexp.MustCompile(`(?m)^\s*--.*\n`)

// A comment that ends like a statement would be one, of which drivers make what they like.
func TestNoStatementIsAComment(t *testing.T) {
	for name, dialect := range map[string]Dialect{"SQLite": SQLite(), "PostgreSQL": Postgres("public")} {
		migrations, err := dialect.migrations()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range migrations {
			for _, statement := range m.statements {
				last := statement[strings.LastIndexByte(statement, '\n')+1:]
				if strings.HasPrefix(strings.TrimSpace(last), "--") {
					t.Errorf("%s: %s ends a statement within the comment %q", name, m.name, last)
				}
			}
		}
	}
}

func TestTables(t *testing.T) {
	want := []string{
		"accounts", "answers", "applications", "attempts", "attributes", "barred", "breaks", "caller_codes", "case_decisions", "case_references", "cases",
		"changes", "client_hosts", "client_sessions", "clients", "clock", "code_batches", "code_uses", "consents", "credential_lists", "credentials", "deliveries", "denied_hosts", "departed", "developers", "device_codes", "email_returns",
		"event_blocks", "event_erasures", "event_log", "events", "evidence", "evidence_leftovers", "fingerprints", "former_organizations", "former_recipients", "grants", "images", "installation", "invitations", "keys", "left_references", "links", "log_days", "marks", "matters", "members",
		"organizations", "passkeys", "plan_targets", "plans", "pushed_requests", "receivers", "recoveries", "recovery_code_sets", "recovery_codes", "registration_tokens", "request_log", "reviewers", "roster_generations", "roster_rows", "rosters", "sandbox_mails", "schema_version", "secret_uses",
		"sessions", "statuses", "tickets", "tokens", "totp", "trusted_devices", "used_ids", "verification_codes",
	}
	for _, dialect := range []Dialect{SQLite(), Postgres("public")} {
		got, err := dialect.Tables()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dialect.System, diff)
		}
	}
}

// TestIncompleteDialect tests that a backend of another module that has not kept up is
// told so when it opens, and not by a query that fails.
func TestIncompleteDialect(t *testing.T) {
	files := func(names ...string) fs.FS {
		files := make(fstest.MapFS)
		for _, name := range names {
			files[name] = &fstest.MapFile{Data: []byte("SELECT 1;\n")}
		}
		return files
	}
	for want, change := range map[string]func(*Dialect){
		"Migrations":      func(d *Dialect) { d.Migrations = nil },
		"CountTables":     func(d *Dialect) { d.CountTables = "" },
		"makes the table": func(d *Dialect) { d.Migrations = files("0000_version.sql") },
		"the last migration of the dialect is": func(d *Dialect) {
			d.Migrations = files("0000_version.sql", fmt.Sprintf("%04d_schema.sql", firstVersion), fmt.Sprintf("%04d_next.sql", SchemaVersion+1))
		},
		"0002_later.sql is not number": func(d *Dialect) { d.Migrations = files("0000_version.sql", "0002_later.sql") },
	} {
		dialect := SQLite()
		change(&dialect)
		err := Migrate(t.Context(), &failingEngine{}, dialect)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want one about %q", err, want)
		}
	}
}

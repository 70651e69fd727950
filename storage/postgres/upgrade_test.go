package postgres

import (
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestUpgrade tests that a schema from before is read, and has the tables of a new one.
func TestUpgrade(t *testing.T) {
	server := pgtest.Shared(t)
	statements, err := os.ReadFile("testdata/version2.sql")
	if err != nil {
		t.Fatal(err)
	}
	before, after := server.Schema(t), server.Schema(t)
	exec(t, before, string(statements))
	store := openTest(t, before)
	client, err := store.Client(t.Context(), "client")
	if err != nil || client.Name != `Küche <&> "Söhne"` || client.Version != 7 || client.CreatedAt.UnixMicro() != 1773500966535897 {
		t.Errorf("the client is %+v, %v", client, err)
	}
	for _, want := range []int{1, 0} {
		if indexed, err := store.IndexClients(t.Context(), 10); err != nil || indexed != want {
			t.Errorf("%d clients are indexed, %v, want %d", indexed, err, want)
		}
		found, err := store.ClientsOfHost(t.Context(), "app.example", "", 10)
		if err != nil || len(found) != 1 || found[0].Version != 7 {
			t.Errorf("the clients of a host are %+v, %v", found, err)
		}
	}
	openTest(t, after)
	if diff := cmp.Diff(schemaOf(t, after), schemaOf(t, before)); diff != "" {
		t.Errorf("a schema from before (-new +upgraded):\n%s", diff)
	}
}

// schemaOf returns the columns, constraints and indexes of the schema of a URL.
func schemaOf(t *testing.T, url string) []string {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var schema string
	if err := db.QueryRowContext(t.Context(), `SELECT current_schema()`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(), `
		SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
			|| ' ' || a.attidentity::text || ' ' || coalesce(l.collname, '') || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
		LEFT JOIN pg_collation l ON l.oid = a.attcollation
		WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0
		UNION ALL
		SELECT r.conrelid::regclass::text || ' ' || r.conname || ' ' || pg_get_constraintdef(r.oid)
		FROM pg_constraint r WHERE r.connamespace = $1::text::regnamespace
		UNION ALL
		SELECT indexdef FROM pg_indexes WHERE schemaname = $1::text
		ORDER BY 1`, schema)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		found = append(found, strings.ReplaceAll(line, schema+".", ""))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(found) < 100 {
		t.Fatalf("the schema has %d parts", len(found))
	}
	return found
}

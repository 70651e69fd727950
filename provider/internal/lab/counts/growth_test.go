//go:build cgo && !race

package counts

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "github.com/mattn/go-sqlite3"    // the driver "sqlite3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// How much there is, as in go test ./provider/internal/lab/counts -run TestGrowth -timeout 2h
// -args -grants 5000000 -people 1000000.
var (
	grants = flag.Int("grants", 10_000, "how many grants there are, each with a redeemed code and a refresh token")
	people = flag.Int("people", 2_000, "how many people there are, each with a consent and a session")
)

// TestGrowth counts beside many people and grants what the other tests count in an empty database.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; TestCounts and TestRoundTrips count the same in an empty database")
	}
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "grown.db")
		store := testkit.Must(sqlite.Open(t.Context(), path))(t)
		s := newSite(t, func(c *provider.Config) { c.Store = store })
		s.grow(t, storagetest.SQLiteRows, "sqlite3", "file:"+path+"?_busy_timeout=60000&_synchronous=OFF&_foreign_keys=off&_cache_size=-500000")
		s.compare(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := pgtest.Start(t).Schema(t)
		proxy := pgtest.NewProxy(t, url)
		store := testkit.Must(postgres.Open(t.Context(), proxy.URL))(t)
		s := newSite(t, func(c *provider.Config) { c.Store = store })
		s.grow(t, storagetest.PostgresRows, "pgx", url+"&session_replication_role=replica", `ANALYZE`) // no foreign key is checked
		s.compareTrips(t, proxy)
	})
}

// grow adds people and grants, as many as the flags say.
func (s *site) grow(t *testing.T, rows storagetest.Rows, driver, name string, then ...string) {
	t.Helper()
	db := testkit.Must(sql.Open(driver, name))(t)
	defer func() { _ = db.Close() }()
	insert := func(n int, into, of string) { rows.Insert(t, db, s.now(), n, into, of) }
	insert(*people, `accounts (id, email, email_digest, email_verified, password_hash, disabled, created_at)`,
		`SELECT 'many' || i, '', 'digest of ' || i, 0, '', 0, $now - i`)
	insert(*people, `statuses (subject, group_name, subgroups, verified, verified_by, verified_at, expires_at)`,
		`SELECT 'many' || i, 'military', '["Veteran"]', 1, '', $now, $now + 31536000000000`)
	insert(*people, `consents (subject, client_id, client_name, created_at, decided_at)`,
		`SELECT 'many' || i, '`+clientID+`', 'Application', $now, $now`)
	insert(*people, `sessions (digest, account_id, user_agent, address, created_at, expires_at, idle_until)`,
		`SELECT $digest, 'many' || i, 'Mozilla/5.0', '192.0.2.0/24', $now, $now + 604800000000, $now + 604800000000`)
	insert(*grants, `grants (id, flow, client_id, subject, scopes, redirect_uri, redirect_sent, response_type, nonce, eid, code_challenge, created_at, expires_at)`,
		fmt.Sprintf(`SELECT $id, $digest, '%s', 'many' || (i %% %d + 1), '["openid","login"]', '%s', 1, 'code', '', '', '', $now, $now + 2592000000000`, clientID, *people, redirectURI))
	const tokens = `tokens (digest, kind, grant_id, created_at, expires_at, spent_at)`
	insert(*grants, tokens, `SELECT $digest, 1, $id, $now, $now + 60000000, $now`)
	insert(*grants, tokens, `SELECT $other, 3, $id, $now, $now + 2592000000000, NULL`)
	for _, statement := range then {
		testkit.Must(db.ExecContext(t.Context(), statement))(t)
	}
}

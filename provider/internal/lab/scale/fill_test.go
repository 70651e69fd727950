package scale

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// How much there is.
var (
	people       = flag.Int("people", 300, "how many people there are")
	applications = flag.Int("applications", 60, "how many applications there are")
	lines        = flag.Int("lines", 10_000, "how many lines the audit log has")
	targets      = flag.Int("targets", 10_000, "how many people the plan is about, if there are as many")
	period       = flag.Duration("time", 100*time.Millisecond, "how long each part is measured")
)

// dialect is what the statements here need of a database.
type dialect struct {
	rows    storagetest.Rows
	size    string // tables and indexes with their bytes
	rests   string // writes what is only in the log of the database, so that nobody who is measured does
	indexes string // of a table, but those of constraints: the name, and the statement that makes it
}

var (
	inSQLite = dialect{
		rows:    storagetest.SQLiteRows,
		size:    `SELECT 'the database', page_count * page_size FROM pragma_page_count(), pragma_page_size()`,
		rests:   `PRAGMA wal_checkpoint(TRUNCATE)`,
		indexes: `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = '%s' AND sql IS NOT NULL`,
	}
	inPostgreSQL = dialect{
		rows: storagetest.PostgresRows,
		size: `SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
			AND (relname LIKE '%event%' OR relname LIKE '%matter%' OR relname LIKE 'client_hosts%') ORDER BY 2 DESC LIMIT 16`,
		rests: `CHECKPOINT`,
		indexes: `SELECT indexname, indexdef FROM pg_indexes i WHERE schemaname = current_schema() AND tablename = '%s'
			AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = i.indexname AND connamespace = current_schema()::regnamespace)`,
	}
)

// fills adds what stands in the tables and is not looked at singly. Whoever is looked at is real.
func (w *place) fills(db *sql.DB, in dialect) {
	w.t.Helper()
	w.t.Cleanup(func() { w.OK(db.Close()) })
	w.db, w.in = db, in
	if w.kept.filled() {
		w.exec(`UPDATE accounts SET disabled = 0 WHERE disabled <> 0`)
		w.exec(`DELETE FROM attempts`)
		w.adds()
		return
	}
	begin := time.Now()
	org := storage.Organization{ID: "org0", Name: "Organization 0", CreatedAt: w.Now()}
	store := w.Store.(storage.Developers)
	w.OK(store.CreateOrganization(w.t.Context(), org, storage.Member{OrganizationID: "org0", UserID: "alice", Role: storage.RoleOwner, JoinedAt: w.Now()}, 10))
	w.OK(store.CreateApplication(w.t.Context(), storage.Application{
		Environment: storage.Production, ClientID: "std", OrganizationID: "org0", Name: "Standard App", Kind: "web", Document: []byte("{}"), CreatedBy: "alice", CreatedAt: w.Now(),
	}, 10))
	organizations := *applications/10 + 1
	w.many(*people, `accounts (id, email, email_digest, email_verified, password_hash, disabled, created_at)`,
		`SELECT 'many' || i, '', 'digest of ' || i, 0, '', 0, $now - i * 1000000`)
	w.many(*people, `statuses (subject, group_name, subgroups, verified, verified_by, verified_at, expires_at)`,
		`SELECT 'many' || i, 'student', '["University"]', 1, '', $now, $now + 31536000000000`)
	w.many(*people/5, `cases (id, subject, group_name, state, version, status_revision, renewal, method, round, escalated, created_at, due_at, ended_at)`,
		`SELECT 'case' || (1000000000 + i), 'another' || i, 'student', CASE WHEN i % 3 = 0 THEN 'declined' ELSE 'approved' END,
			i, 0, 0, 'office', 1, 0, $now - i * 60000000, $now + 2592000000000 + i, $now`)
	w.many(*applications, `clients (id, registration, version)`, `SELECT 'app' || i, (SELECT registration FROM clients WHERE id = 'std'), i`)
	w.many(*applications, `client_hosts (host, client_id)`, `SELECT 'host' || (i / 2) || '.example', 'app' || i`)
	w.many(organizations, `organizations (id, name, created_at, version)`, `SELECT 'org' || i, 'Organization ' || i, $now, i`)
	w.many(organizations, `developers (user_id)`, `SELECT 'many' || i`)
	w.many(organizations, `members (organization_id, user_id, role, joined_at)`, `SELECT 'org' || i, 'many' || i, CASE WHEN i % 50 = 0 THEN 'viewer' ELSE 'owner' END, $now`)
	w.many(*applications, `applications (environment, client_id, organization_id, name, sort_name, kind, review, document, created_by, created_at, version)`,
		fmt.Sprintf(`SELECT 'production', 'app' || i, 'org' || (i %% %d), 'Application ' || i, 'application ' || i, 'web',
			CASE WHEN i %% 20 = 0 THEN 'asked' ELSE '' END, '{}', 'alice', $now, i`, organizations))
	w.many(*people, `consents (subject, client_id, client_name, created_at, decided_at)`,
		fmt.Sprintf(`SELECT 'many' || i, 'app' || (i %% %d + 1), 'Application', $now, $now`, *applications))
	w.many(*applications/2, `consents (subject, client_id, client_name, created_at, decided_at)`, `SELECT 'bob', 'app' || i, 'Application ' || i, $now, $now`)
	w.many(*people/2, `sessions (digest, account_id, user_agent, address, created_at, expires_at, idle_until)`,
		`SELECT $digest, 'many' || i, 'Mozilla/5.0', '192.0.2.0/24', $now, $now + 604800000000, $now + 604800000000`)
	w.many(*people/10, `matters (id, staff, role, subject, reason, ticket, opened_at, ends_at, closed_at, proof)`,
		`SELECT 'mt' || (1000000000 + i), 'clerk' || (i % 50), 'support', 'many' || i, 'caller', '', $now - 7776000000000 + i, $now - 7776000000000 + i, $now, 0`)
	w.exec(fmt.Sprintf(`UPDATE events SET at = at - %d`, (91 * 24 * time.Hour).Microseconds())) // the first lines are the oldest
	w.unindexed("events", func() {
		w.many(*lines, `events (at, name, subject, client_id, address, detail, actor, matter)`, eventsOf(int64(*lines)))
	})
	if in.size == inPostgreSQL.size {
		w.exec(`ANALYZE`)
	}
	w.adds()
	w.t.Logf("%d people, %d applications, %d lines in %.0f s", *people, *applications, *lines, time.Since(begin).Seconds())
}

// adds adds the lines that this run closes, half of which are about somebody who is deleted.
func (w *place) adds() {
	w.t.Helper()
	w.kept.record.Runs++
	w.many(*lines/50, `events (at, name, subject, client_id, address, detail, actor, matter)`,
		fmt.Sprintf(`SELECT $now - 1100000000 + i, 'sign_in', CASE WHEN i %% 2 = 0 THEN '%s' ELSE 'many' || (i * 7919 %% %d + 1) END,
			'app' || (i %% %d + 1), '10.' || (i %% 250) || '.7.0/24', '', '', ''`, w.leaver(), *people, *applications))
	w.exec(w.in.rests)
	w.kept.notes(w.t)
}

// leaver is the person whom this run deletes.
func (w *place) leaver() string { return fmt.Sprint("leaver", w.kept.record.Runs) }

// unindexed does something to a table without its indexes, which are made in one go.
func (w *place) unindexed(table string, f func()) {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), fmt.Sprintf(w.in.indexes, table))
	w.OK(err)
	makes := make(map[string]string)
	for rows.Next() {
		var name, statement string
		w.OK(rows.Scan(&name, &statement))
		makes[name] = statement
	}
	w.OK(errors.Join(rows.Err(), rows.Close()))
	for name := range makes {
		w.exec(`DROP INDEX ` + name)
	}
	f()
	for _, statement := range makes {
		w.exec(statement)
	}
}

// eventsOf are the lines of 90 days, of which 92 in 100 have the four common names and one in 100
// is about bob; a look by staff is one in 100. Ten lines have a name that no others have.
func eventsOf(n int64) string {
	step := (90 * 24 * time.Hour).Microseconds() / n
	return fmt.Sprintf(`SELECT $now - 1200000000 - (%[1]d - i) * %[2]d,
		CASE WHEN i %% (%[1]d / 10) = 7 THEN 'break_made' WHEN i %% 100 < 50 THEN 'sign_in' WHEN i %% 100 < 70 THEN 'consent' WHEN i %% 100 < 82 THEN 'sign_in_failed'
			WHEN i %% 100 < 92 THEN 'sign_out' WHEN i %% 100 < 94 THEN 'password_changed' WHEN i %% 100 < 96 THEN 'session_ended' WHEN i %% 100 < 98 THEN 'revoked'
			WHEN i %% 100 = 98 THEN 'account_disabled' ELSE 'support_looked' END,
		CASE WHEN i %% 100 = 50 THEN 'bob' ELSE 'many' || (i * 7919 %% %[3]d + 1) END,
		CASE WHEN i %% 100 < 70 THEN 'app' || (i %% %[4]d + 1) ELSE '' END, '10.' || (i %% 250) || '.7.0/24',
		CASE WHEN i %% 100 = 99 THEN 'account' ELSE '' END,
		CASE WHEN i %% 100 >= 98 THEN 'staff:clerk' || (i / 100 %% 50) ELSE '' END,
		CASE WHEN i %% 100 >= 98 THEN 'mt' || (1000000000 + i / 100 %% %[5]d) ELSE '' END`, n, step, *people, *applications, *people/10)
}

// many inserts n rows, made of the numbers from 1 on.
func (w *place) many(n int, into, rows string) {
	w.t.Helper()
	w.in.rows.Insert(w.t, w.db, w.Now(), n, into, rows)
}

func (w *place) exec(statement string) {
	w.t.Helper()
	if _, err := w.db.ExecContext(w.t.Context(), statement); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

// sizes logs how large the tables of the desk and of the log are, with their indexes.
func (w *place) sizes() {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), w.in.size)
	w.OK(err)
	defer func() { w.OK(rows.Close()) }()
	for rows.Next() {
		var name string
		var bytes int64
		w.OK(rows.Scan(&name, &bytes))
		w.t.Logf("size %-28s %8.1f MB", name, float64(bytes)/1e6)
	}
	w.OK(rows.Err())
}

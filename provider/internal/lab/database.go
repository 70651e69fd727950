package lab

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// Leaps are by how much the clock of one process may be wrong: more than each wait and each time
// for which something is kept.
var Leaps = []time.Duration{80 * time.Hour, 20 * 24 * time.Hour, 91 * 24 * time.Hour, 400 * 24 * time.Hour}

// AgreeOnTime has it be as if Run had gone on until now. Before, it is as if it had, whatever the
// clock says.
func (w *Fixture) AgreeOnTime() {
	w.T.Helper()
	w.Exec(`DELETE FROM clock`)
	_, err := w.Store.HearClock(w.T.Context(), w.Now())
	w.OK(err)
	w.MustExec(`UPDATE clock SET earliest_at = 0`)
}

// Dump returns every value of every table but the pages that nothing uses any more.
func (w *Fixture) Dump() string {
	w.T.Helper()
	path := w.T.TempDir() + "/dump.db"
	w.Exec(`VACUUM INTO ?1`, path)
	content := testkit.Must(os.ReadFile(path))(w.T)
	return string(content)
}

// MustExec changes the database behind the provider's back.
func (w *Fixture) MustExec(statement string, args ...any) {
	w.T.Helper()
	if n := w.Exec(statement, args...); n == 0 {
		w.T.Fatalf("%s: changes nothing", statement)
	}
}

// database opens the database behind the provider's back. That of PostgreSQL stays open until the
// test ends: to connect takes longer than most statements.
func (w *Fixture) database(options string) (db *sql.DB, done func()) {
	w.T.Helper()
	if w.behind != nil {
		return w.behind, func() {}
	}
	driver, name := "sqlite3", "file:"+w.Path+options
	if w.URL != "" {
		driver, name = "pgx", w.URL // which whoever opened Store has linked
	}
	db = testkit.Must(sql.Open(driver, name))(w.T)
	if w.URL == "" {
		return db, func() { _ = db.Close() }
	}
	w.behind = db
	w.T.Cleanup(func() { _ = db.Close() })
	return db, func() {}
}

// Exec runs a statement behind the provider's back. Its parameters are ?1, ?2 and so on.
func (w *Fixture) Exec(statement string, args ...any) int64 {
	w.T.Helper()
	db, done := w.database("")
	defer done()
	if w.URL != "" {
		statement = strings.ReplaceAll(statement, "?", "$")
	}
	result := testkit.Must(db.ExecContext(w.T.Context(), statement, args...))(w.T)
	n := testkit.Must(result.RowsAffected())(w.T)
	return n
}

// Attributes returns what an application is told of the user.
func (b *Browser) Attributes(t *testing.T) map[string]any {
	t.Helper()
	got := b.Allow("scope", "openid military", "response_type", "token")
	_, answer := b.JSON(b.Bearer(AttributesPath, got.Get("access_token")))
	if answer["attributes"] == nil {
		t.Fatalf("attributes: %v", answer)
	}
	return answer
}

// Lines returns the lines of the log since a moment that hold a text.
func (w *Fixture) Lines(since int, text string) (found []string) {
	for line := range strings.Lines(w.Log.String()[since:]) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// UntilSealed runs the provider until the audit log has this many closed blocks.
func (w *Fixture) UntilSealed(blocks int) {
	w.T.Helper()
	w.Until(func() bool {
		all := testkit.Must(w.Store.Blocks(w.T.Context(), storage.BlockFilter{Limit: blocks}))(w.T)
		return len(all) == blocks
	})
}

// Until runs the background work until something is so.
func (w *Fixture) Until(so func() bool) {
	w.T.Helper()
	ctx, cancel := context.WithCancel(w.T.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	Eventually(w.T, so)
	cancel()
	testkit.OK(w.T, <-done)
}

// Sweeps is a store that counts how often what is over was removed, which is the end of
// a round of the background work.
type Sweeps struct {
	storage.Store
	N atomic.Int64
}

// Sweep counts a sweep.
func (s *Sweeps) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	defer s.N.Add(1)
	return s.Store.Sweep(ctx, now, limit)
}

package faults

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

// each lets every member do something at the same time and returns what went wrong.
func each(members []*member, do func(*member) error) error {
	errs := make([]error, len(members))
	var running sync.WaitGroup
	for i, m := range members {
		running.Go(func() { errs[i] = do(m) })
	}
	running.Wait()
	return errors.Join(errs...)
}

// all is each in a test that cannot go on when something goes wrong.
func all(t *testing.T, members []*member, do func(*member) error) {
	t.Helper()
	if err := each(members, do); err != nil {
		t.Fatal(err)
	}
}

// TestKilledProcess kills the process with SIGKILL at random moments under load. What
// it had acknowledged is still so afterwards, and nothing works twice.
func TestKilledProcess(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: -1}
	populate(t, s, killMembers)
	p := s.run(t)
	members := newMembers(s, killMembers, func() string { return p.url })
	begin, steps, slowest := time.Now(), 0, time.Duration(0)
	for round := range killRounds {
		steps += p.killUnderLoad(t, members)
		p = s.run(t)
		slowest = max(slowest, p.ready)
		all(t, members, (*member).check)
		checkIntegrity(t, s.Database)
		if long && round%20 == 19 {
			t.Logf("%d of %d rounds after %v, %d steps acknowledged", round+1, killRounds, time.Since(begin).Round(time.Second), steps)
		}
	}
	limit := 2 * time.Second
	if !long {
		limit = 10 * time.Second // beside other tests
	}
	if steps < killRounds || slowest > limit {
		t.Errorf("%d steps were acknowledged, and the slowest start took %v", steps, slowest)
	}
	t.Logf("%d steps acknowledged, ready again after %v at most", steps, slowest.Round(time.Millisecond))
}

// killUnderLoad lets the members work until the process is killed, and returns how
// many steps it had acknowledged.
func (p *process) killUnderLoad(t *testing.T, members []*member) (steps int) {
	t.Helper()
	timer := time.AfterFunc(5*time.Millisecond+rand.N(495*time.Millisecond), func() { _ = p.command.Process.Kill() })
	defer timer.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	all(t, members, func(m *member) error {
		m.done = 0
		if err := m.work(ctx); !errors.Is(err, errCut) {
			return err
		}
		return nil
	})
	p.kill()
	for _, m := range members {
		steps += m.done
	}
	return steps
}

// checkIntegrity looks for damage in a database that is in use.
func checkIntegrity(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity_check: %s %v", verdict, err)
	}
	var table string
	err = db.QueryRowContext(t.Context(), `SELECT "table" FROM pragma_foreign_key_check`).Scan(&table)
	if !errors.Is(err, sql.ErrNoRows) {
		t.Fatalf("foreign_key_check: %s %v", table, err)
	}
}

// skipShort leaves out tests that take long and whose processes the race detector
// does not see.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long")
	}
}

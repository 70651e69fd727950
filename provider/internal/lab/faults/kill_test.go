package faults

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

// each lets every user do something at the same time and returns what went wrong.
func each(users []*user, do func(*user) error) error {
	errs := make([]error, len(users))
	var running sync.WaitGroup
	for i, u := range users {
		running.Go(func() { errs[i] = do(u) })
	}
	running.Wait()
	return errors.Join(errs...)
}

// all is each in a test that cannot go on when something goes wrong.
func all(t *testing.T, users []*user, do func(*user) error) {
	t.Helper()
	if err := each(users, do); err != nil {
		t.Fatal(err)
	}
}

// TestKilledProcess kills the process with SIGKILL at random moments under load. What
// it had acknowledged is still so afterwards, and nothing works twice.
func TestKilledProcess(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: -1}
	populate(t, s, killUsers)
	p := s.run(t)
	users := newUsers(s, killUsers, func() string { return p.url })
	begin, steps, slowest := time.Now(), 0, time.Duration(0)
	for round := 0; round < killRounds || steps < killRounds; round++ {
		steps += p.killUnderLoad(t, users, 0)
		p = s.run(t)
		slowest = max(slowest, p.ready)
		all(t, users, (*user).check)
		checkIntegrity(t, s.Database)
		if long && round%20 == 19 {
			t.Logf("%d of %d rounds after %v, %d steps acknowledged", round+1, killRounds, time.Since(begin).Round(time.Second), steps)
		}
	}
	t.Logf("%d steps acknowledged, ready again after %v at most", steps, slowest.Round(time.Millisecond))
}

// killUnderLoad lets the users work until the process is killed, some time after it
// has acknowledged the least number of steps, and returns how many it had.
func (p *process) killUnderLoad(t *testing.T, users []*user, least int64) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var steps atomic.Int64
	reached := make(chan struct{})
	isReached := sync.OnceFunc(func() { close(reached) })
	if least == 0 {
		isReached()
	}
	go func() {
		<-reached
		<-time.After(5*time.Millisecond + rand.N(495*time.Millisecond))
		_ = p.command.Process.Kill()
	}()
	all(t, users, func(u *user) error {
		err := u.work(ctx, func(refused bool) {
			if !refused && steps.Add(1) >= least {
				isReached()
			}
		})
		if !errors.Is(err, errCut) {
			return err
		}
		return nil
	})
	isReached()
	p.kill()
	return int(steps.Load())
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

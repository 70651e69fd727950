package storagetest_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// lookingFirst is an engine with the mistake that the contests are for: whoever races looks whether
// the condition of a write holds, and is told that it is written, whatever the others have written
// meanwhile. None of it is there afterwards.
type lookingFirst struct{ db *sql.DB }

func (e lookingFirst) Read(ctx context.Context, step sqlstore.Step) error { return step(ctx, e.db) }

func (e lookingFirst) Write(ctx context.Context, step sqlstore.Step) error {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := step(ctx, tx); err != nil || isInRace() {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (e lookingFirst) Ping(ctx context.Context) error { return e.db.PingContext(ctx) }

func (e lookingFirst) Close() error { return e.db.Close() }

// isInRace reports whether the caller is one of the contenders of a race.
func isInRace() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "/storagetest.race[") {
			return true
		}
		if !more {
			return false
		}
	}
}

// TestStoreThatLooksFirstIsNoticed runs the contests on such a backend in a process of
// their own, where they fail because more than one has won.
func TestStoreThatLooksFirstIsNoticed(t *testing.T) {
	const inside = "STORAGETEST_LOOKS_FIRST"
	if os.Getenv(inside) != "" {
		t.Run("Run", func(t *testing.T) { storagetest.Run(t, openLookingFirst[storage.Store]) })
		t.Run("RunDevelopers", func(t *testing.T) { storagetest.RunDevelopers(t, openLookingFirst[storagetest.DeveloperStore]) })
		t.Run("RunDesk", func(t *testing.T) { storagetest.RunDesk(t, openLookingFirst[storagetest.DeskStore]) })
		t.Run("RunVerification", func(t *testing.T) { storagetest.RunVerification(t, openLookingFirst[storagetest.VerificationStore]) })
		t.Run("RunSignals", func(t *testing.T) { storagetest.RunSignals(t, openLookingFirst[storagetest.SignalStore]) })
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-contract.rounds=1", "-test.v", "-test.run=^"+t.Name()+"$/^/^Races$/HasOneWinner$")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		t.Fatalf("the contests ended with %v:\n%s", err, out)
	}
	contest, noticed := "", map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if run := begun.FindStringSubmatch(lines.Text()); run != nil {
			contest = run[1]
			noticed[contest] = false
		}
		if several.MatchString(lines.Text()) {
			noticed[contest] = true
		}
	}
	if len(noticed) < 50 {
		t.Errorf("%d contests have run, want all", len(noticed))
	}
	for name, is := range noticed {
		if !is {
			t.Errorf("%s does not notice a store that looks first and then writes", name)
		}
	}
	if t.Failed() {
		t.Logf("the contests said:\n%s", out)
	}
}

var (
	begun   = regexp.MustCompile(`^=== RUN +\w+/(\w+/Races/\w+HasOneWinner)$`)
	several = regexp.MustCompile(`\b([2-9]|\d\d) of \d+ calls succeeded`)
)

var emptyFile = storagetest.Copies(func(path string) error {
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	return store.Close()
})

func openLookingFirst[S storage.Store](t *testing.T) func() S {
	db, err := sql.Open("sqlite3", "file:"+emptyFile(t)+"?_foreign_keys=true&_busy_timeout=5000&_txlock=immediate&_synchronous=OFF")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	var store any = sqlstore.New(lookingFirst{db}, sqlstore.SQLite())
	return func() S { return store.(S) }
}

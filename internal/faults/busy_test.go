package faults

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestCrowdedFile lets several processes work on one SQLite file, and then an outsider
// lock it. However long they wait, no answer is wrong: nobody is told that a client,
// a code or a session is unknown because the file could not be read or written.
func TestCrowdedFile(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: time.Hour}
	populate(t, s, crowdProcesses*crowdMembers)
	var processes []*process
	for range crowdProcesses {
		processes = append(processes, s.run(t))
	}
	members := newMembers(s, crowdProcesses*crowdMembers, func() string { return processes[rand.IntN(len(processes))].url })

	done, refused := workFor(t, members, crowdedFor)
	t.Logf("%d processes: %d steps, %d times 503", len(processes), done, refused)
	if done < len(members) {
		t.Errorf("%d members took %d steps", len(members), done)
	}
	checkEverywhere(t, members)

	t.Run("LockedByAnOutsider", func(t *testing.T) {
		timer := time.AfterFunc(lockHeld, lock(t, s.Database))
		defer timer.Stop()
		done, refused := workFor(t, members, lockHeld+time.Second)
		t.Logf("locked for %v: %d steps, %d times 503", lockHeld, done, refused)
		if refused == 0 {
			t.Error("nobody had to give up")
		}
		checkEverywhere(t, members)
	})
	checkIntegrity(t, s.Database)
}

// workFor lets the members work for a while, in which no connection may be cut, and
// returns how many steps were taken and how many refused.
func workFor(t *testing.T, members []*member, d time.Duration) (done, refused int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	all(t, members, func(m *member) error {
		m.done, m.refused = 0, 0
		return m.work(ctx)
	})
	for _, m := range members {
		done, refused = done+m.done, refused+m.refused
	}
	return done, refused
}

// checkEverywhere checks members of several processes. What one of them has ended the
// others may accept for a second more.
func checkEverywhere(t *testing.T, members []*member) {
	t.Helper()
	<-time.After(time.Second)
	all(t, members, (*member).check)
}

// lock takes the exclusive lock of a database until unlock is called.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=rw&_busy_timeout=5000&_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	unlock = sync.OnceFunc(func() {
		_ = tx.Rollback()
		db.Close()
	})
	t.Cleanup(unlock)
	return unlock
}

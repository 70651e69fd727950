package faults

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestCrowdedFile lets several processes work on one SQLite file, and then an outsider
// lock it. However long they wait, no answer is wrong: nobody is told that a client,
// a code or a session is unknown because the file could not be read or written.
func TestCrowdedFile(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: time.Hour}
	populate(t, s, crowdProcesses*crowdUsers)
	var processes []*process
	for range crowdProcesses {
		processes = append(processes, s.run(t))
	}
	users := newUsers(s, crowdProcesses*crowdUsers, func() string { return processes[rand.IntN(len(processes))].url })

	done, refused := workFor(t, users, crowdedFor, len(users), 0)
	t.Logf("%d processes: %d steps, %d times 503", len(processes), done, refused)
	checkEverywhere(t, users)

	t.Run("LockedByAnOutsider", func(t *testing.T) {
		unlock := lock(t, s.Database)
		done, refused := workFor(t, users, 0, 0, 1)
		unlock()
		more, _ := workFor(t, users, 0, len(users), 0)
		t.Logf("%d steps and %d times 503 while it was locked, %d steps later", done, refused, more)
		checkEverywhere(t, users)
	})
	checkIntegrity(t, s.Database)
}

// workFor lets the users work for a while and until so many steps have been taken and
// so many refused, in which no connection may be cut. It returns how many were.
func workFor(t *testing.T, users []*user, d time.Duration, steps, refusals int) (done, refused int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var mu sync.Mutex
	isOver := false
	enough := func() { // with mu held
		if isOver && done >= steps && refused >= refusals {
			cancel()
		}
	}
	timer := time.AfterFunc(d, func() {
		mu.Lock()
		defer mu.Unlock()
		isOver = true
		enough()
	})
	defer timer.Stop()
	all(t, users, func(u *user) error {
		return u.work(ctx, func(isRefused bool) {
			mu.Lock()
			defer mu.Unlock()
			if isRefused {
				refused++
			} else {
				done++
			}
			enough()
		})
	})
	if done < steps || refused < refusals {
		t.Fatalf("%d steps and %d times 503, want %d and %d", done, refused, steps, refusals)
	}
	return done, refused
}

// checkEverywhere checks users of several processes. What one of them has ended the
// others may accept for a second more.
func checkEverywhere(t *testing.T, users []*user) {
	t.Helper()
	<-time.After(time.Second)
	all(t, users, (*user).check)
}

// lock takes the exclusive lock of a database until unlock is called.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db := testkit.Must(sql.Open("sqlite3", "file:"+path+"?mode=rw&_busy_timeout=5000&_txlock=exclusive"))(t)
	tx := testkit.Must(db.BeginTx(context.Background(), nil))(t)
	unlock = sync.OnceFunc(func() {
		_ = tx.Rollback()
		db.Close()
	})
	t.Cleanup(unlock)
	return unlock
}

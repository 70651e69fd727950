package faults

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// The processes that write the audit log, and those that seal it in blocks of few lines.
const (
	logWriters = 8
	logSealers = 2
	blockLines = 16
	clockSet   = -5 * time.Minute
)

// logKeys are the keys of the audit log in all processes of this test.
func logKeys() (*trail.Keys, error) {
	return trail.NewKeys(baseURL, func(purpose string) ([]byte, error) {
		return []byte(fmt.Sprintf("%-32s", purpose)[:trail.KeySize]), nil
	})
}

// write is a process that locks and unlocks an account, and prints a line for each change that was
// acknowledged.
func (s setup) write() error {
	ctx := context.Background()
	p, err := s.provider(ctx, nil)
	if err != nil {
		return err
	}
	s.waitForOthers()
	for disabled := s.Disabled; ; disabled = !disabled {
		by := provider.By(ctx, storage.Actor{Name: "command:" + s.Account})
		if err := p.Accounts().SetDisabled(by, s.Account, disabled); err != nil {
			return err
		}
		_, _ = fmt.Println(disabled)
		time.Sleep(rand.N(10 * time.Millisecond)) // so that nobody waits for too long
	}
}

// waitForOthers says that the process has opened the database, and returns when all have.
func (s setup) waitForOthers() {
	_, _ = fmt.Println("open")
	for {
		if _, err := os.Stat(s.Gate); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// seal is a process that closes blocks as soon as they are full, or a tenth of a second old.
func (s setup) seal() error {
	ctx := context.Background()
	store, err := s.open(ctx)
	if err != nil {
		return err
	}
	keys, err := logKeys()
	if err != nil {
		return err
	}
	s.waitForOthers()
	for {
		now := time.Now().Add(s.Ahead)
		sealed, err := store.SealEvents(ctx, blockLines, now.Add(-time.Second/10), keys.Seal(now))
		if err != nil && !errors.Is(err, storage.ErrUnavailable) {
			return err
		}
		if sealed {
			_, _ = fmt.Println("sealed")
		}
		time.Sleep(time.Millisecond)
	}
}

// TestAuditLogOfKilledProcesses kills all who write and seal the audit log with SIGKILL, again and
// again, and some go on with a clock that is five minutes behind. Every change that was
// acknowledged has its line, every line is in one block, and the log is what was sealed.
func TestAuditLogOfKilledProcesses(t *testing.T) {
	skipShort(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		killLogged(t, setup{Database: filepath.Join(t.TempDir(), "identity.db")})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		killLogged(t, setup{Database: pgtest.Shared(t).Schema(t)})
	})
}

func killLogged(t *testing.T, s setup) {
	t.Helper()
	populate(t, s, logWriters)
	store := testkit.Must(s.open(t.Context()))(t)
	t.Cleanup(func() { store.Close() })
	accounts := s.accounts(t)
	var written [logWriters]int
	sealed := 0
	for round := range logKills {
		group := killed{gate: filepath.Join(t.TempDir(), "open")}
		for n, account := range accounts {
			a := testkit.Must(store.Account(t.Context(), account))(t)
			child := s
			child.Work, child.Account, child.Disabled = "write", account, !a.Disabled
			child.Ahead = clockSet * time.Duration((round+n)%2)
			group.start(t, child, &written[n])
		}
		for n := range logSealers {
			child := s
			child.Work, child.Ahead = "seal", clockSet*time.Duration((round+n)%2)
			group.start(t, child, &sealed)
		}
		group.kill(t)
	}
	if sealed < logKills {
		t.Errorf("%d blocks were acknowledged", sealed)
	}
	lines := checkLog(t, store)
	for n, account := range accounts {
		// Each kill may have come between a step and its answer.
		if got := lines["command:"+account]; got < written[n] || got > written[n]+logKills || written[n] == 0 {
			t.Errorf("%d changes of account %d were acknowledged, %d have a line", written[n], n, got)
		}
	}
	t.Logf("%v changes and %d blocks acknowledged", written, sealed)
}

// accounts returns the IDs of the users.
func (s setup) accounts(t *testing.T) (ids [logWriters]string) {
	t.Helper()
	p := testkit.Must(s.provider(t.Context(), nil))(t)
	defer p.Close()
	for n := range ids {
		found := testkit.Must(p.Accounts().GetByEmail(t.Context(), userEmail(n)))(t)
		ids[n] = found.ID
	}
	return ids
}

// checkLog closes what is open, verifies the audit log, and returns how many lines of each actor
// its blocks have.
func checkLog(t *testing.T, store storage.Store) map[string]int {
	t.Helper()
	keys, err := logKeys()
	testkit.OK(t, err)
	now := time.Now().Add(time.Hour)
	for more := true; more; {
		if more, err = store.SealEvents(t.Context(), blockLines, now, keys.Seal(now)); err != nil {
			t.Fatal(err)
		}
	}
	verdict, err := keys.Verify(t.Context(), store, now, nil)
	if err != nil || verdict.Finding != nil || verdict.Open != 0 {
		t.Fatalf("verdict %+v %v, error %v", verdict, verdict.Finding, err)
	}
	lines, seen := map[string]int{}, map[int64]bool{}
	for number := int64(1); number <= verdict.Blocks; number++ {
		events, _, err := store.BlockEvents(t.Context(), number)
		testkit.OK(t, err)
		for _, e := range events {
			if seen[e.ID] {
				t.Errorf("line %d is in two blocks", e.ID)
			}
			seen[e.ID] = true
			lines[e.Actor]++
		}
	}
	stored, err := store.Events(t.Context(), storage.EventFilter{Limit: len(seen) + 1})
	if err != nil || len(stored) != len(seen) {
		t.Errorf("%d of %d lines are in blocks, error %v", len(seen), len(stored), err)
	}
	return lines
}

// killed are processes that are killed together.
type killed struct {
	gate      string // the file for which they wait
	processes []*process
	counts    []*atomic.Int64 // of the lines that each has printed
	totals    []*int
	reading   sync.WaitGroup
	ended     atomic.Int64
}

// start starts a process that works for as long as it lives. kill adds to total how many lines it
// has printed.
func (k *killed) start(t *testing.T, s setup, total *int) {
	t.Helper()
	s.Gate = k.gate
	p, stdout := s.begin(t)
	count := new(atomic.Int64)
	k.processes, k.counts, k.totals = append(k.processes, p), append(k.counts, count), append(k.totals, total)
	k.reading.Go(func() {
		for from := bufio.NewScanner(stdout); from.Scan(); {
			count.Add(1)
		}
		k.ended.Add(1)
	})
}

// kill kills the processes with SIGKILL, some time after all work, and some of them a little
// earlier than the others.
func (k *killed) kill(t *testing.T) {
	t.Helper()
	k.wait(1)
	testkit.OK(t, os.WriteFile(k.gate, nil, 0o600))
	k.wait(2)
	for i, n := range rand.Perm(len(k.processes)) {
		if i < 3 {
			<-time.After(rand.N(100 * time.Millisecond))
		}
		_ = k.processes[n].command.Process.Kill()
	}
	k.reading.Wait() // before Wait closes what is read
	for n, p := range k.processes {
		p.kill()
		if status := p.command.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL || k.counts[n].Load() < 2 {
			t.Fatalf("process %d ended by itself, or did nothing: %v\n%s", n, status, p.log.String())
		}
		*k.totals[n] += int(k.counts[n].Load()) - 1
	}
}

// wait returns when each has printed so many lines. If one ends, or is too slow, kill tells why.
func (k *killed) wait(lines int64) {
	isBehind := func(n *atomic.Int64) bool { return n.Load() < lines }
	for end := time.Now().Add(30 * time.Second); slices.ContainsFunc(k.counts, isBehind); <-time.After(time.Millisecond) {
		if k.ended.Load() > 0 || time.Now().After(end) {
			return
		}
	}
}

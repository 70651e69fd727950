package signals_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// killed is the variable by which the process knows its database, and changed the line by which it tells of a
// change.
const killed, changed = "SIGNALS_KILLED", "changed"

// TestKilledInManyChanges kills a process that changes and tells, again and again: when it has just made
// a change, or its message has come and is not answered. Of each change a message comes, those about
// one user in order, and one that comes again has the same ID.
func TestKilledInManyChanges(t *testing.T) {
	if path := os.Getenv(killed); path != "" {
		changeUntilKilled(t, path)
		return
	}
	t.Parallel()
	changes, mostKills := 400, 12
	if !testing.Short() {
		changes, mostKills = 10_000, 100
	}
	victim := &victim{}
	r := newReceiver(t, func(received) int { victim.step(); return http.StatusOK })
	path := filepath.Join(t.TempDir(), "test.db")
	key := hex.EncodeToString(random.Bytes(32))
	starts := 0
	for done := false; !done; starts++ {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), killed+"="+path, "SIGNALS_KEY="+key, "SIGNALS_ADDRESS="+r.URL, "SIGNALS_CHANGES="+strconv.Itoa(changes), "SIGNALS_AHEAD="+strconv.Itoa(starts))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		after := math.MaxInt
		if starts < mostKills {
			after = 1 + rand.IntN(4*changes/mostKills) // each change is a step when it is made, and when its message comes
		}
		victim.begin(child.Process, after)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == changed {
				victim.step()
			}
		}
		err = child.Wait()
		if done = err == nil; !done && child.ProcessState.Exited() {
			t.Fatalf("the process has failed: %v", err)
		}
	}
	messages := r.wait(t, changes)
	t.Logf("%d processes were killed; %d messages of %d changes", starts-1, len(messages), changes)
	if starts-1 < mostKills/2 {
		t.Errorf("only %d processes were killed", starts-1)
	}
	type told struct{ user, group string }
	ids, last := map[told]string{}, map[string]int{}
	for _, m := range messages {
		var body struct {
			Data struct{ Sub, Group string }
		}
		if err := json.Unmarshal([]byte(m.body), &body); err != nil {
			t.Fatal(err)
		}
		of := told{body.Data.Sub, body.Data.Group}
		number, err := strconv.Atoi(of.group)
		switch known, again := ids[of]; {
		case err != nil:
			t.Fatal(err)
		case again && known != m.id:
			t.Errorf("the change %v has the IDs %s and %s", of, known, m.id)
		case !again && number < last[of.user]:
			t.Errorf("%s: %d after %d", of.user, number, last[of.user])
		}
		ids[of], last[of.user] = m.id, max(number, last[of.user])
	}
	if len(ids) != changes {
		t.Errorf("%d of %d changes were told", len(ids), changes)
	}
}

// victim is the process that is killed.
type victim struct {
	mu      sync.Mutex
	process *os.Process
	left    int
}

func (v *victim) begin(p *os.Process, steps int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.process, v.left = p, steps
}

// step is one of its steps; it is killed in the last.
func (v *victim) step() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.left--; v.left == 0 {
		_ = v.process.Kill()
	}
}

// changeUntilKilled goes on with the changes, and ends when all are told.
func changeUntilKilled(t *testing.T, path string) {
	key, err := hex.DecodeString(os.Getenv("SIGNALS_KEY"))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := strconv.Atoi(os.Getenv("SIGNALS_CHANGES"))
	if err != nil {
		t.Fatal(err)
	}
	w := worldAt(t, path, key, signals.Config{Endpoints: []signals.Endpoint{{Address: os.Getenv("SIGNALS_ADDRESS"), Secret: secret}}})
	before, err := strconv.Atoi(os.Getenv("SIGNALS_AHEAD"))
	w.ok(err)
	w.ahead.Store(int64(before) * int64(31*time.Second)) // what the one before has taken is free
	w.run()
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 })
	made, err := w.store.Events(t.Context(), storage.EventFilter{Name: event.StatusChanged, Limit: 1})
	w.ok(err)
	next := 0
	if len(made) > 0 {
		next, err = strconv.Atoi(made[0].Detail)
		w.ok(err)
		next++
	}
	for ; next < changes; next++ {
		user, status := fmt.Sprint("user", next%8), storage.Status{Group: strconv.Itoa(next), Verified: true}
		w.ok(w.audit.Step(t.Context(), func(ctx context.Context) error {
			return w.store.SetStatus(ctx, user, status, storage.AnyRevision)
		}, storage.Event{Name: event.StatusChanged, Subject: user, Detail: status.Group}))
		fmt.Println(changed)
	}
	w.marked(func(marks []storage.Mark) bool { return marks[0].Unread.IsZero() })
	w.until("", func(r signals.Receiver) bool { return r.Waiting == 0 })
}

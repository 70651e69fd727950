package faults

import (
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestReadOnlyDatabase makes PostgreSQL read-only while it is used, as it is when the
// process is left with a standby. Reads go on, writes answer 503, and all is well
// when the database takes writes again.
func TestReadOnlyDatabase(t *testing.T) {
	skipShort(t)
	t.Parallel()
	server := pgtest.Start(t)
	s := setup{Database: server.Schema(t), Grace: time.Hour}
	const count = 4
	populate(t, s, count)
	p := s.run(t)
	users := newUsers(s, count, func() string { return p.url })
	all(t, users, (*user).begin)

	server.Set(t, "default_transaction_read_only", "on")
	users[0].becomesReady(t, false)
	_, refused := workFor(t, users, readOnlyFor, 0, 1)
	all(t, users, (*user).checkReads)
	users[0].becomesReady(t, false)

	server.Set(t, "default_transaction_read_only", "off")
	users[0].becomesReady(t, true)
	done, late := workFor(t, users, 0, count, 0)
	t.Logf("%d times 503 while read-only; then %d steps, %d times 503", refused, done, late)
	all(t, users, (*user).check)
}

// becomesReady waits until the probe answers so. The sessions of a server hear of a
// change one after the other.
func (v *browser) becomesReady(t *testing.T, want bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		ready := testkit.Must(v.isReady())(t)
		if ready == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("ready: %t, for %v", ready, patience)
		}
	}
}

// isReady asks the probe that decides whether requests are sent to a process.
func (v *browser) isReady() (bool, error) {
	_, err := v.get("/health/ready")
	if errors.Is(err, errUnavailable) {
		return false, nil
	}
	return err == nil, err
}

package faults

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/internal/pgtest"
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
	members := newMembers(s, count, func() string { return p.url })
	all(t, members, (*member).begin)

	server.Set(t, "default_transaction_read_only", "on")
	_, refused := workFor(t, members, readOnlyFor)
	if refused == 0 {
		t.Error("nothing was refused")
	}
	all(t, members, (*member).checkReads)

	server.Set(t, "default_transaction_read_only", "off")
	done, late := workFor(t, members, time.Second)
	t.Logf("%d times 503 while read-only; then %d steps, %d times 503", refused, done, late)
	if done < count {
		t.Errorf("afterwards: %d steps", done)
	}
	all(t, members, (*member).check)
}

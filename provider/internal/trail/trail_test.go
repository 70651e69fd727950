package trail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func testKeys(t testing.TB, issuer string) *Keys {
	t.Helper()
	keys := testkit.Must(NewKeys(issuer, func(purpose string) ([]byte, error) {
		key := sha256.Sum256([]byte(purpose))
		return key[:], nil
	}))(t)
	return keys
}

var start = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

// log is an audit log in memory.
type log struct {
	keys     *Keys
	events   []storage.Event
	blocks   []storage.Block
	erasures []storage.Erasure
}

// newLog returns a log of so many lines in blocks of a size, with a few open ones.
func newLog(t testing.TB, lines, size int) *log {
	t.Helper()
	l := &log{keys: testKeys(t, "https://id.example.com/oidc")}
	names := []string{"sign_in", "sign_out", "consent", "account_disabled"}
	for i := range lines {
		e := storage.Event{
			ID: int64(2*i + 1), At: start.Add(time.Duration(i) * time.Second), Name: names[i%len(names)], Subject: fmt.Sprint("user-", i%7),
			ClientID: fmt.Sprint("app", i%3), Address: "192.0.2.0/24", Detail: "password",
		}
		if i%len(names) == 3 {
			e.Actor, e.Matter = "staff:sam", "m1"
		}
		l.events = append(l.events, e)
	}
	l.seal(t, size)
	return l
}

func (l *log) seal(t testing.TB, size int) {
	t.Helper()
	var last storage.Block
	if len(l.blocks) > 0 {
		last = l.blocks[len(l.blocks)-1]
	}
	open := slices.DeleteFunc(slices.Clone(l.events), func(e storage.Event) bool { return e.ID <= last.Last })
	for ; len(open) >= size; open = open[size:] {
		block := testkit.Must(l.keys.Seal(open[size-1].At)(last, open[:size]))(t)
		l.blocks, last = append(l.blocks, block), block
	}
}

func (l *log) clone() *log {
	return &log{l.keys, slices.Clone(l.events), slices.Clone(l.blocks), slices.Clone(l.erasures)}
}

// erase does to a person what a store does.
func (l *log) erase(subject, pseudonym string) {
	for i, e := range l.events {
		if e.Subject == subject && e.ID <= l.blocks[len(l.blocks)-1].Last {
			l.erasures = append(l.erasures, l.keys.Erase(e))
		}
		if e.Subject == subject {
			l.events[i].Subject, l.events[i].Address = pseudonym, ""
		}
	}
	l.append(storage.Event{Name: "account_deleted", Subject: pseudonym})
}

func (l *log) append(e storage.Event) {
	last := l.events[len(l.events)-1]
	e.ID, e.At = last.ID+2, last.At.Add(time.Hour)
	l.events = append(l.events, e)
}

// sweep removes the lines of the first n blocks, but so many of the last one.
func (l *log) sweep(n, left int) {
	for i := range n {
		l.blocks[i].Removed = true
	}
	removed := 0
	for _, b := range l.blocks[:n] {
		removed += b.Count
	}
	l.events = l.events[removed-left:]
}

// remove is sweep with the line that says so.
func (l *log) remove(n, left int) {
	l.append(storage.Event{Name: "events_removed", Detail: RemovedDetail(l.blocks[n-1].Until.Add(time.Second))})
	l.sweep(n, left)
}

func (l *log) Blocks(_ context.Context, match storage.BlockFilter) (found []storage.Block, _ error) {
	for _, b := range l.blocks {
		if b.Number > match.After && (match.Before == 0 || b.Number < match.Before) {
			found = append(found, b)
		}
	}
	if match.After == 0 {
		slices.Reverse(found)
	}
	return found[:min(len(found), match.Limit)], nil
}

func (l *log) BlockEvents(_ context.Context, number int64) ([]storage.Event, []storage.Erasure, error) {
	for _, b := range l.blocks {
		if b.Number == number {
			return l.between(b.First, b.Last), l.erasures, nil
		}
	}
	return nil, nil, storage.ErrNotFound
}

func (l *log) OpenEvents(_ context.Context, after int64, limit int) ([]storage.Event, error) {
	open := l.between(after+1, 1<<62)
	return open[:min(len(open), limit)], nil
}

func (l *log) Events(_ context.Context, match storage.EventFilter) ([]storage.Event, error) {
	before := l.between(-1<<62, match.BeforeID-1)
	slices.Reverse(before)
	return before[:min(len(before), match.Limit)], nil
}

func (l *log) between(first, last int64) (found []storage.Event) {
	for _, e := range l.events {
		if e.ID >= first && e.ID <= last {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b storage.Event) int { return int(a.ID - b.ID) })
	return found
}

func (l *log) verify(t testing.TB, anchors ...Checkpoint) Verdict {
	t.Helper()
	v := testkit.Must(l.keys.Verify(t.Context(), l, start.AddDate(1, 0, 0), nil, anchors...))(t)
	return v
}

func (l *log) checkpoint(t testing.TB, number int) Checkpoint {
	t.Helper()
	c := testkit.Must(l.keys.Open(l.blocks[number-1].Checkpoint))(t)
	return c
}

func TestVerify(t *testing.T) {
	l := newLog(t, 103, 10)
	t.Run("AcceptsWhatWasSealed", func(t *testing.T) {
		v := l.verify(t, l.checkpoint(t, 3), l.checkpoint(t, 10))
		if v.Finding != nil || v.Blocks != 10 || v.Lines != 100 || v.Open != 3 || v.Head != l.checkpoint(t, 10) {
			t.Errorf("verdict %+v, finding %v", v, v.Finding)
		}
	})
	t.Run("AcceptsAnEmptyLog", func(t *testing.T) {
		if v := (&log{keys: l.keys}).verify(t); v.Finding != nil || v.Blocks != 0 {
			t.Errorf("verdict %+v", v)
		}
	})
	t.Run("AcceptsErasures", func(t *testing.T) {
		l := l.clone()
		l.erase("user-3", "deleted-1")
		if v := l.verify(t); v.Finding != nil {
			t.Error(v.Finding)
		}
		l.seal(t, 2)
		l.erase("user-4", "deleted-2")
		if v := l.verify(t); v.Finding != nil {
			t.Error(v.Finding)
		}
	})
	t.Run("AcceptsRemovals", func(t *testing.T) {
		for left := range 4 { // of a removal that goes on, also of lines whose person was deleted
			l := l.clone()
			l.erase("user-3", "deleted-1")
			l.remove(4, 3*left)
			if v := l.verify(t, l.checkpoint(t, 2)); v.Finding != nil || v.Removed != 4 || v.Lines != 60 {
				t.Errorf("%d left: verdict %+v, finding %v", left, v, v.Finding)
			}
		}
		l := l.clone()
		l.events, l.blocks = l.events[:100], l.blocks[:10]
		l.remove(10, 3)
		l.events = l.events[2:] // the very last line of before
		if v := l.verify(t); v.Finding != nil || v.Removed != 10 {
			t.Errorf("verdict %+v, finding %v", v, v.Finding)
		}
	})
}

func TestForgeryIsFound(t *testing.T) {
	whole := newLog(t, 103, 10)
	find := func(id int64) int {
		return slices.IndexFunc(whole.events, func(e storage.Event) bool { return e.ID == id })
	}
	for name, c := range map[string]struct {
		forge func(l *log)
		want  Finding
	}{
		"LineRemoved":     {func(l *log) { l.events = slices.Delete(l.events, 42, 43) }, Finding{5, 87, LineMissing}},
		"LastLineRemoved": {func(l *log) { l.events = slices.Delete(l.events, 49, 50) }, Finding{5, 99, LineMissing}},
		"LineInserted": {func(l *log) {
			e := l.events[find(87)]
			e.ID = 88
			l.events = slices.Insert(l.events, find(87)+1, e)
		}, Finding{5, 88, LineAdded}},
		"LineInsertedBetweenBlocks": {func(l *log) {
			e := l.events[find(79)]
			e.ID = 80
			l.events = slices.Insert(l.events, find(79)+1, e)
		}, Finding{5, 80, LineAdded}},
		"LineInsertedBeforeTheFirst": {func(l *log) { l.events = slices.Insert(l.events, 0, storage.Event{ID: -5, At: start}) }, Finding{1, -5, LineAdded}},
		"LinesSwapped": {func(l *log) {
			a, b := find(85), find(91)
			l.events[a], l.events[b] = l.events[b], l.events[a]
			l.events[a].ID, l.events[b].ID = l.events[b].ID, l.events[a].ID
		}, Finding{5, 85, LineChanged}},
		"BlockDropped":        {func(l *log) { l.blocks = slices.Delete(l.blocks, 4, 5) }, Finding{5, 0, BlockMissing}},
		"FirstBlockDropped":   {func(l *log) { l.blocks = slices.Delete(l.blocks, 0, 1) }, Finding{1, 0, BlockMissing}},
		"BlockCounted":        {func(l *log) { l.blocks[4].Names = map[string]int{"sign_in": 10} }, Finding{5, 0, RecordChanged}},
		"BlockMovedInTime":    {func(l *log) { l.blocks[4].Until = start }, Finding{5, 0, RecordChanged}},
		"CheckpointOfAnother": {func(l *log) { l.blocks[4].Checkpoint = l.blocks[3].Checkpoint }, Finding{5, 0, RecordChanged}},
		"EdgeChanged":         {func(l *log) { l.blocks[4].Edge = l.blocks[3].Edge }, Finding{5, 0, RecordChanged}},
		"SealedByAnother": {func(l *log) {
			other := testKeys(t, "https://id.example.com/oidc")
			other.mac = []byte("guessed")
			l.keys = other
			l.blocks = nil
			l.seal(t, 10)
			l.keys = whole.keys
		}, Finding{1, 1, LineChanged}},
		"EditDressedAsErasure": {func(l *log) {
			l.erasures = append(l.erasures, l.keys.Erase(l.events[42]))
			l.events[42].Subject, l.events[42].Address = "deleted-9", ""
		}, Finding{5, 85, ErasedForNone}},
		"EditDressedAsErasureOfSomebodyDeleted": {func(l *log) {
			forged := l.keys.Erase(storage.Event{ID: l.events[42].ID, Subject: "user-1"})
			l.erasures = append(l.erasures, forged)
			l.events[42].Subject, l.events[42].Address = "deleted-9", ""
			l.append(storage.Event{Name: "account_deleted", Subject: "deleted-9"})
		}, Finding{5, 85, LineChanged}},
		"NetworkPutBackIntoAnErasedLine": {func(l *log) {
			l.erase("user-3", "deleted-1")
			l.events[3].Address = "198.51.100.0/24"
		}, Finding{1, 7, ErasedForNone}},
		"RemovalDressedAsSweep": {func(l *log) { l.sweep(4, 0) }, Finding{4, 0, RemovedForNone}},
		"SweepOfMoreThanTheLineSays": {func(l *log) {
			l.append(storage.Event{Name: "events_removed", Detail: RemovedDetail(l.blocks[2].Until.Add(time.Second))})
			l.sweep(4, 0)
		}, Finding{4, 0, RemovedForNone}},
		"SweepUpToTheFuture": {func(l *log) {
			l.append(storage.Event{Name: "events_removed", Detail: RemovedDetail(start.AddDate(5, 0, 0))})
			l.sweep(4, 0)
		}, Finding{4, 0, RemovedForNone}},
		"LineInsertedIntoTheLastRemovedBlock": {func(l *log) {
			l.remove(4, 0)
			l.events = slices.Insert(l.events, 0, storage.Event{ID: 70, At: start, Name: "account_disabled", Subject: "user-1", Actor: "staff:sam"})
		}, Finding{4, 70, LineAdded}},
		"LineInsertedWhereALineOfARemovedBlockWas": {func(l *log) {
			e := l.events[find(61)]
			l.remove(4, 0)
			e.Detail = "nothing"
			l.events = slices.Insert(l.events, 0, e)
		}, Finding{4, 61, LineAdded}},
		"LineInsertedIntoAnEarlierRemovedBlock": {func(l *log) {
			l.remove(4, 0)
			l.events = slices.Insert(l.events, 0, storage.Event{ID: 1, At: start, Name: "account_disabled"})
		}, Finding{5, 1, LineAdded}},
		"LineInsertedBeforeWhatIsLeftOfARemovedBlock": {func(l *log) {
			l.remove(4, 3)
			l.events = slices.Insert(l.events, 0, storage.Event{ID: 62, At: start, Name: "account_disabled"})
		}, Finding{4, 62, LineAdded}},
		"LineOfARemovedBlockChanged": {func(l *log) {
			l.remove(4, 3)
			l.events[1].Detail = "nothing"
		}, Finding{4, 77, LineAdded}},
		"LineInsertedWhereAllIsRemoved": {func(l *log) {
			l.events = l.events[:100]
			l.remove(10, 0)
			l.events = slices.Insert(l.events, 0, storage.Event{ID: 70, At: start, Name: "account_disabled"})
		}, Finding{10, 70, LineAdded}},
	} {
		t.Run(name, func(t *testing.T) {
			l := whole.clone()
			c.forge(l)
			v := l.verify(t)
			if v.Finding == nil || *v.Finding != c.want {
				t.Errorf("found %v, want %v", v.Finding, c.want)
			}
		})
	}
}

func TestAnchors(t *testing.T) {
	whole := newLog(t, 103, 10)
	t.Run("TellThatTheLogWasRolledBack", func(t *testing.T) {
		l := whole.clone()
		l.blocks, l.events = l.blocks[:6], l.events[:60]
		if f := l.verify(t, whole.checkpoint(t, 8)).Finding; f == nil || *f != (Finding{6, 0, RolledBack}) {
			t.Errorf("found %v", f)
		}
	})
	t.Run("TellThatTheLogIsAnother", func(t *testing.T) {
		l := whole.clone()
		l.events[42].Detail = "nothing"
		l.blocks = l.blocks[:4]
		l.seal(t, 10) // by who has the keys, too
		if f := l.verify(t).Finding; f != nil {
			t.Errorf("found %v without an anchor", f)
		}
		if f := l.verify(t, whole.checkpoint(t, 3)).Finding; f != nil {
			t.Errorf("found %v before the change", f)
		}
		if f := l.verify(t, whole.checkpoint(t, 8), whole.checkpoint(t, 6)).Finding; f == nil || *f != (Finding{6, 0, OtherHistory}) {
			t.Errorf("found %v", f)
		}
	})
}

func TestCheckpoint(t *testing.T) {
	l := newLog(t, 30, 10)
	signed := l.blocks[2].Checkpoint
	t.Run("IsASignedNote", func(t *testing.T) {
		verifier := testkit.Must(note.NewVerifier(l.keys.VerifierKey()))(t)
		if _, err := note.Open(signed, note.VerifierList(verifier)); err != nil {
			t.Error(err)
		}
		if !bytes.HasPrefix(signed, []byte("id.example.com/oidc/trail\n3\n")) {
			t.Errorf("checkpoint:\n%s", signed)
		}
	})
	t.Run("OpensAfterTheProviderHasMoved", func(t *testing.T) {
		if c, err := testKeys(t, "https://new.example.com/oidc").Open(signed); err != nil || c.Size != 3 {
			t.Errorf("checkpoint %+v, error %v", c, err)
		}
	})
	t.Run("OpensOnlyAsItWasSigned", func(t *testing.T) {
		for i := range signed {
			changed := slices.Clone(signed)
			changed[i] ^= 1
			if c, err := l.keys.Open(changed); err == nil {
				t.Errorf("byte %d changed: %+v", i, c)
			}
		}
	})
}

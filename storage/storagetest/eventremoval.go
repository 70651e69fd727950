package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// removeEvents removes events from before a time, some at a time, and returns the details of
// those that are left.
func removeEvents(t *testing.T, store storage.Store, before, now time.Time) (details string) {
	t.Helper()
	trimAll(t, store, storage.Trim{Kind: storage.OldEvents, Before: before, Now: now}, 1)
	for _, e := range must(store.Events(t.Context(), storage.EventFilter{}))(t) {
		details += e.Detail
	}
	return details
}

func (s *suite) eventRemoval(t *testing.T) {
	minute := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }
	now := minute(60)
	s.test(t, "GoesByBlocks", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 8)
		ok(t, errOf(store.DeleteAccount(t.Context(), "ann", "someone", func(storage.Event) storage.Erasure { return storage.Erasure{} })))
		equal(t, removeEvents(t, store, now, now), "76543210") // none is in a block
		for range 2 {
			ok(t, errOf(store.SealEvents(t.Context(), 3, now, sealAt(now))))
		}
		ok(t, errOf(store.DeleteAccount(t.Context(), "bob", "another", func(storage.Event) storage.Erasure { return storage.Erasure{} })))
		equal(t, removeEvents(t, store, minute(2), now), "76543210") // the third is from then
		equal(t, removeEvents(t, store, minute(3), now), "76543")
		got := blocks(t, store, storage.BlockFilter{})
		equal(t, []bool{got[0].Removed, got[1].Removed}, []bool{false, true})
		events, erased, err := store.BlockEvents(t.Context(), 1)
		ok(t, err)
		equal(t, [2]int{len(events), len(erased)}, [2]int{})
		_, erased, err = store.BlockEvents(t.Context(), 2)
		ok(t, err)
		equal(t, len(erased), 2)
		equal(t, removeEvents(t, store, now, now), "76")
	})
	s.test(t, "IsBounded", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 7)
		sealed(t, store, 6)
		for _, tc := range []struct{ limit, removed int }{{0, 0}, {-1, 0}, {4, 4}, {4, 2}, {4, 0}} {
			removed := must(store.Trim(t.Context(), storage.Trim{Kind: storage.OldEvents, Before: now, Now: now}, tc.limit))(t)
			equal(t, removed, tc.removed)
			equal(t, blocks(t, store, storage.BlockFilter{})[0].Removed, tc.limit > 0) // before the first of its events goes
		}
	})
	s.test(t, "LeavesTheLastEvent", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 2)
		sealed(t, store, 2)
		last := must(store.Events(t.Context(), storage.EventFilter{Limit: 1}))(t)
		equal(t, removeEvents(t, store, now, now), "1")
		appendEvents(t, store, 1)
		next := must(store.Events(t.Context(), storage.EventFilter{Limit: 1}))(t)
		if next[0].ID <= last[0].ID {
			t.Errorf("the ID %d comes after %d", next[0].ID, last[0].ID)
		}
		equal(t, removeEvents(t, store, now, now), "0")
	})
	t.Run("IsNotStoppedByAWrongClock", func(t *testing.T) {
		wrong := t0.AddDate(20, 0, 0)
		for _, tc := range []struct {
			name     string
			at, seal time.Time // of the second of four blocks
			want     string
		}{
			{"OfAnEvent", wrong, minute(1), "432"},
			{"OfTheOneThatSeals", minute(1), wrong, "432"},
			{"OfBoth", wrong, wrong, "4321"}, // it is as old as the third
		} {
			s.test(t, tc.name, func(t *testing.T, store storage.Store) {
				for i := range 5 {
					at, seal := minute(10*i), minute(10*i)
					if i == 1 {
						at, seal = tc.at, tc.seal
					}
					ok(t, store.AppendEvent(t.Context(), storage.Event{At: at, Name: "sign_in", Detail: fmt.Sprint(i)}))
					if i == 4 {
						break
					}
					ok(t, errOf(store.SealEvents(t.Context(), 1, t0, sealAt(seal))))
				}
				equal(t, removeEvents(t, store, minute(15), now), tc.want)
				equal(t, removeEvents(t, store, minute(25), now), "43")
				equal(t, removeEvents(t, store, minute(59), now), "4")
			})
		}
	})
}

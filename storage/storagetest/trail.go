package storagetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// sealAt closes a block at a time; its root is a digest of its events.
func sealAt(at time.Time) func(storage.Block, []storage.Event) (storage.Block, error) {
	return func(last storage.Block, events []storage.Event) (storage.Block, error) {
		block := storage.NextBlock(last, events)
		block.SealedAt, block.Root = at, rootOf(events)
		block.Edge, block.Checkpoint = []byte{1}, []byte("checkpoint\n")
		return block, nil
	}
}

// rootOf digests events as they were before something was erased in them.
func rootOf(events []storage.Event, erased ...storage.Erasure) storage.Digest {
	was := make(map[int64]storage.Erasure)
	for _, e := range erased {
		was[e.EventID] = e
	}
	var text []byte
	for _, e := range events {
		if before, ok := was[e.ID]; ok {
			e.Subject, e.Address = string(before.Subject), string(before.Address)
		}
		text = fmt.Appendln(text, e.ID, e.Subject, e.Address)
	}
	return sha256.Sum256(text)
}

// sealed closes the next block of so many events, or less.
func sealed(t *testing.T, store storage.Store, limit int) bool {
	t.Helper()
	return must(store.SealEvents(t.Context(), limit, t0.AddDate(10, 0, 0), sealAt(t0)))(t)
}

// appendEvents records events, a minute after each other, whose details count.
func appendEvents(t *testing.T, store storage.Store, n int) {
	t.Helper()
	for i := range n {
		ok(t, store.AppendEvent(t.Context(), storage.Event{
			At: t0.Add(time.Duration(i) * time.Minute), Name: []string{"sign_in", "consent"}[i%2],
			Subject: []string{"ann", "bob"}[i%2], Address: "192.0.2.1", Detail: fmt.Sprint(i),
		}))
	}
}

func blocks(t *testing.T, store storage.Store, match storage.BlockFilter) []storage.Block {
	t.Helper()
	return must(store.Blocks(t.Context(), match))(t)
}

func (s *suite) trail(t *testing.T) {
	s.test(t, "BlocksAreWhole", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 5)
		equal(t, sealed(t, store, 3), true)
		equal(t, sealed(t, store, 3), true)
		equal(t, sealed(t, store, 3), false)
		got := blocks(t, store, storage.BlockFilter{After: 0, Limit: 9})
		events := must(store.Events(t.Context(), storage.EventFilter{}))(t)
		first, second := got[1], got[0]
		equal(t, first, storage.Block{
			Number: 1, First: events[4].ID, Last: events[2].ID, Count: 3, From: t0, Until: t0.Add(2 * time.Minute), SealedAt: t0,
			Names: map[string]int{"sign_in": 2, "consent": 1}, Root: first.Root, Edge: []byte{1}, Checkpoint: []byte("checkpoint\n"),
		})
		equal(t, []int64{second.Number, second.First, second.Last, int64(second.Count)}, []int64{2, events[1].ID, events[0].ID, 2})
		for _, block := range got {
			lines, erased, err := store.BlockEvents(t.Context(), block.Number)
			ok(t, err)
			equal(t, rootOf(lines), block.Root)
			equal(t, len(erased), 0)
		}
		fails(t, errOf(store.BlockEvents(t.Context(), 3)), storage.ErrNotFound)
	})
	s.test(t, "FewEventsWaitForTheirTime", func(t *testing.T, store storage.Store) {
		seal := func(limit int, before time.Time) bool {
			return must(store.SealEvents(t.Context(), limit, before, sealAt(t0)))(t)
		}
		equal(t, seal(3, t0.Add(time.Hour)), false)
		ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0.AddDate(20, 0, 0), Name: "sign_in"})) // by a wrong clock
		appendEvents(t, store, 1)
		equal(t, seal(3, t0), false)
		equal(t, seal(2, t0), true)
		appendEvents(t, store, 1)
		equal(t, seal(2, t0.Add(time.Microsecond)), true)
		equal(t, seal(0, t0.Add(time.Hour)), false)
		equal(t, seal(-1, t0.Add(time.Hour)), false)
	})
	s.test(t, "ErrorSealsNothing", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 2)
		broken := errors.New("no key")
		_, err := store.SealEvents(t.Context(), 2, t0, func(storage.Block, []storage.Event) (storage.Block, error) { return storage.Block{}, broken })
		fails(t, err, broken)
		_, err = store.SealEvents(t.Context(), 2, t0, func(last storage.Block, events []storage.Event) (storage.Block, error) {
			block, err := sealAt(t0)(last, events)
			block.Last--
			return block, err
		})
		if err == nil {
			t.Error("a block leaves an event out")
		}
		equal(t, len(blocks(t, store, storage.BlockFilter{})), 0)
		equal(t, sealed(t, store, 2), true)
	})
	s.test(t, "BlocksAreFilteredByNumberAndTime", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 10)
		for range 5 {
			sealed(t, store, 2)
		}
		at := func(minute int) time.Time { return t0.Add(time.Duration(minute) * time.Minute) }
		for _, tc := range []struct {
			match storage.BlockFilter
			want  string
		}{
			{storage.BlockFilter{}, "54321"}, {storage.BlockFilter{Limit: 2}, "54"},
			{storage.BlockFilter{After: 2, Limit: 2}, "34"}, {storage.BlockFilter{Before: 3}, "21"},
			{storage.BlockFilter{After: 1, Before: 4}, "23"},
			{storage.BlockFilter{From: at(3)}, "5432"}, {storage.BlockFilter{To: at(4)}, "21"},
			{storage.BlockFilter{From: at(3), To: at(5)}, "32"}, {storage.BlockFilter{From: at(3), After: 2, Limit: 1}, "3"},
			{storage.BlockFilter{From: at(10)}, ""},
		} {
			got := ""
			for _, block := range blocks(t, store, tc.match) {
				got += fmt.Sprint(block.Number)
			}
			if got != tc.want {
				t.Errorf("%+v: blocks %s, want %s", tc.match, got, tc.want)
			}
		}
	})
	s.test(t, "OpenEventsAreInNoBlock", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 6)
		sealed(t, store, 3)
		open := must(store.OpenEvents(t.Context(), 0, 2))(t)
		equal(t, []string{open[0].Detail, open[1].Detail}, []string{"3", "4"})
		open = must(store.OpenEvents(t.Context(), open[1].ID, 2))(t)
		equal(t, len(open), 1)
		equal(t, open[0].Detail, "5")
	})
	t.Run("ErasureOfClosedBlocksIsKept", s.erasures)
	t.Run("Removal", s.eventRemoval)
}

// erasures tests what a deletion leaves of events.
func (s *suite) erasures(t *testing.T) {
	for name, remove := range map[string]func(storage.Store, storage.Erase) (bool, error){
		"DeleteAccount": func(store storage.Store, erase storage.Erase) (bool, error) {
			return store.DeleteAccount(t.Context(), "ann", "someone", erase)
		},
		"DeleteAccountThatIsDue": func(store storage.Store, erase storage.Erase) (bool, error) {
			return store.DeleteAccount(t.Context(), "ann", "someone", erase, t0.Add(time.Hour))
		},
	} {
		s.test(t, name, func(t *testing.T, store storage.Store) {
			createAccount(t, store, "ann")
			ok(t, store.SetDeletion(t.Context(), "ann", storage.Proof{}, t0, t0))
			appendEvents(t, store, 6)
			sealed(t, store, 4)
			erase := func(e storage.Event) storage.Erasure {
				return storage.Erasure{EventID: 99, Subject: []byte(e.Subject + e.Detail), Address: []byte(e.Address)}
			}
			equal(t, must(remove(store, erase))(t), true)
			events, erased, err := store.BlockEvents(t.Context(), 1)
			ok(t, err)
			equal(t, []string{events[0].Subject, events[1].Subject, events[2].Address, events[3].Address}, []string{"someone", "bob", "", "192.0.2.1"})
			equal(t, erased, []storage.Erasure{
				{EventID: events[0].ID, Subject: []byte("ann0"), Address: []byte("192.0.2.1")},
				{EventID: events[2].ID, Subject: []byte("ann2"), Address: []byte("192.0.2.1")},
			})
			sealed(t, store, 4)
			_, erased, err = store.BlockEvents(t.Context(), 2)
			ok(t, err)
			equal(t, len(erased), 0)
			_, err = store.DeleteAccount(t.Context(), "someone", "nobody", erase) // what was first is what was hashed
			ok(t, err)
			_, erased, err = store.BlockEvents(t.Context(), 1)
			ok(t, err)
			equal(t, erased[0].Subject, []byte("ann0"))
		})
	}
}

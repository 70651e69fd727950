package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) usedIDs(t *testing.T) {
	end := t0.Add(time.Minute)
	s.pair(t, "IsUsedOnce", func(t *testing.T, stores []storage.Store) {
		ok(t, stores[0].UseID(t.Context(), digest("id"), end, t0))
		for _, store := range stores {
			fails(t, store.UseID(t.Context(), digest("id"), end, t0), storage.ErrConflict)
			fails(t, store.UseID(t.Context(), digest("id"), end.Add(time.Hour), end.Add(-time.Microsecond)), storage.ErrConflict)
		}
		ok(t, stores[1].UseID(t.Context(), digest("another"), end, t0))
	})
	s.test(t, "MayBeUsedAnewWhenItHasExpired", func(t *testing.T, store storage.Store) {
		ok(t, store.UseID(t.Context(), digest("id"), end, t0))
		ok(t, store.UseID(t.Context(), digest("id"), end.Add(time.Minute), end))
		fails(t, store.UseID(t.Context(), digest("id"), end.Add(time.Hour), end), storage.ErrConflict)
	})
	s.test(t, "IsSweptAtItsEnd", func(t *testing.T, store storage.Store) {
		ok(t, store.UseID(t.Context(), digest("id"), end, t0))
		equal(t, sweepAll(t, store, end.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, end), 1)
	})
}

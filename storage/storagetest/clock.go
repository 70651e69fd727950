package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) clocks(t *testing.T) {
	const day = storage.ClockDoubt
	hear := func(t *testing.T, store storage.Store, now, agreed time.Time) {
		t.Helper()
		c, err := store.HearClock(t.Context(), now)
		ok(t, err)
		equal(t, c.Agreed, agreed)
	}
	var never time.Time
	agree := func(t *testing.T, store storage.Store) {
		t.Helper()
		hear(t, store, t0.Add(-day), never)
		hear(t, store, t0, t0)
	}
	t.Run("AgreesOnWhatHasBeenSaidForADay", func(t *testing.T) {
		store := s.store(t)
		hear(t, store, t0, never)
		hear(t, store, t0.Add(day-time.Microsecond), never)
		hear(t, store, t0.Add(day), t0.Add(day))
	})
	t.Run("GoesOnWithoutDoubt", func(t *testing.T) {
		store := s.store(t)
		agree(t, store)
		for i := range 4 {
			now := t0.Add(time.Duration(i) * storage.ClockStep)
			hear(t, store, now, now)
		}
	})
	t.Run("DoubtsALeapUntilItHasBeenSaidForADay", func(t *testing.T) {
		store := s.store(t)
		agree(t, store)
		leap := t0.Add(20 * day)
		hear(t, store, leap, t0)
		hear(t, store, leap.Add(day-time.Microsecond), t0)
		hear(t, store, leap.Add(day), leap.Add(day))
	})
	t.Run("GoesByTheSlowestClock", func(t *testing.T) {
		stores := s.stores(t, 2)
		agree(t, stores[0])
		for i := range 3 {
			now := t0.Add(time.Duration(i) * time.Minute)
			hear(t, stores[0], now, now)
			hear(t, stores[1], now.Add(time.Duration(20+i)*day), now) // each a day after the other
		}
		hear(t, stores[0], t0.Add(-day), t0.Add(-day))
	})
}

package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// AgreeOnTime has a store be as if processes had claimed the time for a day until now.
func AgreeOnTime(ctx context.Context, store storage.Clocks, now time.Time) error {
	const step = storage.ClockStep - time.Second // stores round
	for said := now.Add(-storage.ClockDoubt - 12*step); said.Before(now); said = said.Add(step) {
		if _, err := store.HearClock(ctx, said); err != nil {
			return err
		}
	}
	return errOf(store.HearClock(ctx, now))
}

// AgreeOnAnyTime has each time be certain of which a process asks, until one claims it: for
// tests that move a clock and have nothing run.
func AgreeOnAnyTime(ctx context.Context, store storage.Clocks) error {
	if _, err := store.HearClock(ctx, time.Unix(1, 0)); err != nil {
		return err
	}
	return AgreeOnTime(ctx, store, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
}

func (s *suite) clocks(t *testing.T) {
	const day = storage.ClockDoubt
	hear := func(t *testing.T, store storage.Store, now, certain time.Time) {
		t.Helper()
		c := must(store.HearClock(t.Context(), now))(t)
		equal(t, c.Certain(now), certain)
		equal(t, must(store.Clock(t.Context()))(t), c)
	}
	agree := func(t *testing.T, store storage.Store, now time.Time) {
		t.Helper()
		ok(t, AgreeOnTime(t.Context(), store, now))
	}
	var never time.Time
	s.test(t, "AgreesOnWhatHasBeenSaidForADay", func(t *testing.T, store storage.Store) {
		equal(t, must(store.Clock(t.Context()))(t), storage.Clock{})
		hear(t, store, t0, never)
		hear(t, store, t0.Add(day), never)
		agree(t, store, t0.Add(2*day))
		hear(t, store, t0.Add(2*day), t0.Add(2*day))
	})
	s.test(t, "GoesOnWithoutDoubt", func(t *testing.T, store storage.Store) {
		agree(t, store, t0)
		for i := range 4 {
			now := t0.Add(time.Duration(i) * storage.ClockStep)
			hear(t, store, now, now)
		}
	})
	s.test(t, "DoubtsALeapUntilItHasBeenSaidForADayWithoutAGap", func(t *testing.T, store storage.Store) {
		agree(t, store, t0)
		leap := t0.Add(20 * day)
		hear(t, store, leap, t0.Add(storage.ClockStep))
		hear(t, store, leap.Add(day), t0.Add(storage.ClockStep))
		hear(t, store, leap.Add(storage.ClockStep), t0.Add(2*storage.ClockStep))
		agree(t, store, leap.Add(2*day))
		hear(t, store, leap.Add(2*day), leap.Add(2*day))
	})
	s.pair(t, "GoesByTheSlowestClock", func(t *testing.T, stores []storage.Store) {
		agree(t, stores[0], t0)
		for i := range 3 {
			now := t0.Add(time.Duration(i) * time.Minute)
			hear(t, stores[0], now, now)
			hear(t, stores[1], now.Add(time.Duration(20+i)*day), now.Add(storage.ClockStep)) // each a day after the other
		}
		hear(t, stores[0], t0.Add(-day/48), t0.Add(-day/48))
	})
}

package sqlstore

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestNoKindDelaysTheOthers has each kind take all the time of a step.
func TestNoKindDelaysTheOthers(t *testing.T) {
	defer func(all []sweep) { sweeps = all }(sweeps)
	var turns [3]int
	sweeps = nil
	for i := range turns {
		sweeps = append(sweeps, func(*tx, time.Time, int) (int, error) {
			turns[i]++
			time.Sleep(sweepTime)
			return 1, nil
		})
	}
	synctest.Test(t, func(t *testing.T) {
		store := New(&steps{}, SQLite())
		for range 2 * len(turns) {
			if n, err := store.Sweep(t.Context(), time.Now(), 1000); n != 1 || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
	})
	if turns != [3]int{2, 2, 2} {
		t.Errorf("the kinds had %v turns, want 2 each", turns)
	}
}

// TestSweepEnds has kinds that end at different times, in steps that begin with another one each time.
func TestSweepEnds(t *testing.T) {
	defer func(all []sweep) { sweeps = all }(sweeps)
	rows := [...]int{3, 0, 70}
	sweeps = nil
	for i := range rows {
		sweeps = append(sweeps, func(_ *tx, _ time.Time, limit int) (int, error) {
			n := min(limit, rows[i])
			rows[i] -= n
			return n, nil
		})
	}
	synctest.Test(t, func(t *testing.T) { // where no time passes
		store := New(&steps{}, SQLite())
		for from, want := range []int{43, 30, 0} {
			store.sweepAt.Store(uint32(from))
			if n, err := store.Sweep(t.Context(), time.Now(), 40); n != want || err != nil {
				t.Errorf("%d, %v; want %d", n, err, want)
			}
		}
		if n, err := store.Sweep(t.Context(), time.Now(), 0); n != 0 || err != nil {
			t.Errorf("of none: %d, %v", n, err)
		}
	})
}

// steps runs steps that need no database.
type steps struct{ failingEngine }

func (*steps) Write(ctx context.Context, step Step) error { return step(ctx, nil) }

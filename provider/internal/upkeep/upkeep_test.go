package upkeep

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestInBatches(t *testing.T) {
	// batches counts the batches of 10 ms that are run, all but the last of which
	// remove something.
	batches := func(ctx context.Context, total int) int {
		n := 0
		new(Upkeep).inBatches(ctx, "rows", func() (int, error) {
			time.Sleep(10 * time.Millisecond)
			n++
			return total - n, nil
		})
		return n
	}
	t.Run("RestsSoThatOthersGetMostOfTheTime", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			if n := batches(t.Context(), 4); n != 4 {
				t.Errorf("%d batches, want 4", n)
			}
			const want = (4 + 3*rest) * 10 * time.Millisecond
			if took := time.Since(begin); took != want {
				t.Errorf("took %v, want %v", took, want)
			}
		})
	})
	t.Run("LeavesWhatDoesNotFitInARoundToTheNext", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if n := batches(ctx, 1_000_000); n < 2 {
				t.Errorf("%d batches in a second", n)
			}
			if took := time.Since(begin); took > time.Second+10*time.Millisecond {
				t.Errorf("ended after %v, want a second and at most one batch", took)
			}
		})
	})
}

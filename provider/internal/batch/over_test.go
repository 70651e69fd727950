package batch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
)

// records lists the numbers from 1 to n.
func records(n int) func(context.Context, int, int) ([]int, error) {
	return func(_ context.Context, after, limit int) (page []int, err error) {
		for i := after + 1; i <= n && len(page) < limit; i++ {
			page = append(page, i)
		}
		return page, nil
	}
}

func itself(n int) int { return n }

var errDamaged = errors.New("damaged")

func TestOver(t *testing.T) {
	t.Parallel()

	t.Run("AFailureDelaysNoOther", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var done []int
			n, err := batch.Over(t.Context(), nil, 2, records(7), itself, func(_ context.Context, i int) error {
				if i%2 == 1 {
					return fmt.Errorf("record %d: %w", i, errDamaged)
				}
				done = append(done, i)
				return nil
			})
			if want := []int{2, 4, 6}; !slices.Equal(done, want) || n != len(want) {
				t.Errorf("did %v and says %d, want %v", done, n, want)
			}
			if !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "record 7") {
				t.Errorf("error is %v, want one that names each", err)
			}
		})
	})

	t.Run("EndsWhereAllFail", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tried := 0
			_, err := batch.Over(t.Context(), nil, 5, records(100), itself, func(context.Context, int) error {
				tried++
				return errDamaged
			})
			if tried != 100 {
				t.Errorf("tried %d, want each of 100 once", tried)
			}
			if text := err.Error(); strings.Count(text, "damaged") != 10 || !strings.HasSuffix(text, "and 90 more") {
				t.Errorf("error is %q, want the first ten and a number", text)
			}
		})
	})

	t.Run("ASlowRecordKeepsNobodyFromTheirTurn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var cursor batch.Cursor[int]
			var done []int
			for range 3 { // the time of a round is over within each of the first two records
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				_, err := batch.Over(ctx, &cursor, 10, records(4), itself, func(ctx context.Context, i int) error {
					if i <= 2 {
						<-ctx.Done()
						return ctx.Err()
					}
					done = append(done, i)
					return nil
				})
				if batch.IsFailure(ctx, err) {
					t.Errorf("the end of a round is a failure: %v", err)
				}
				cancel()
			}
			if want := []int{3, 4}; !slices.Equal(done, want) {
				t.Errorf("did %v, want %v", done, want)
			}
		})
	})

	t.Run("TellsOfFailuresOfARoundThatEnds", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := batch.Over(ctx, nil, 10, records(4), itself, func(_ context.Context, i int) error {
			if i == 2 {
				cancel()
			}
			return errDamaged
		})
		if !batch.IsFailure(ctx, err) || !errors.Is(err, errDamaged) {
			t.Errorf("error is %v, want a failure", err)
		}
	})

	t.Run("GoesOnWhereEnoughWasDone", func(t *testing.T) {
		t.Parallel()
		var cursor batch.Cursor[int]
		var seen []int
		for range 3 {
			some := 0
			_, err := batch.Over(t.Context(), &cursor, 10, records(3), itself, func(_ context.Context, i int) error {
				if some++; some > 2 {
					return batch.ErrEnough
				}
				seen = append(seen, i)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if want := []int{1, 2, 3, 1, 2}; !slices.Equal(seen, want) {
			t.Errorf("saw %v, want %v", seen, want)
		}
	})

	t.Run("AListThatFailsEndsTheRound", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("storage is away")
		list := func(ctx context.Context, after, limit int) ([]int, error) {
			if after > 0 {
				return nil, broken
			}
			return records(9)(ctx, after, limit)
		}
		_, err := batch.Over(t.Context(), nil, 3, list, itself, func(context.Context, int) error { return errDamaged })
		if !errors.Is(err, broken) || !errors.Is(err, errDamaged) {
			t.Errorf("error is %v, want that of the list with the failures before it", err)
		}
	})

	t.Run("OneRoundAtATime", func(t *testing.T) {
		t.Parallel()
		var cursor batch.Cursor[int]
		n, err := batch.Over(t.Context(), &cursor, 3, records(1), itself, func(ctx context.Context, i int) error {
			n, err := batch.Over(ctx, &cursor, 3, records(9), itself, func(context.Context, int) error { return errDamaged })
			if n != 0 || err != nil {
				t.Errorf("a second round did %d with %v", n, err)
			}
			return nil
		})
		if n != 1 || err != nil {
			t.Errorf("the first did %d with %v", n, err)
		}
	})
}

// Package batch goes through many records in short steps, so that a store has time for
// others between them.
package batch

import (
	"context"
	"time"
)

// Size is how many records one step looks at. It only reads.
const Size = 1000

// Pause is how long to give way between two steps, each of which writes for about as long.
// It does not grow with how long a step has waited for its turn: a store with much to do
// would put the end off for ever.
const Pause = 10 * time.Millisecond

// Each looks through all records of a kind, and hands those that are found to a
// step that does as many of them as a short transaction can. After each it gives way, for
// the store has others to serve.
func Each[K comparable](ctx context.Context, find func(after K) (found []K, last K, err error), do func([]K) (done int, err error)) error {
	var none, after K
	for {
		found, last, err := find(after)
		if err != nil {
			return err
		}
		for len(found) > 0 {
			done, err := do(found)
			if err != nil {
				return err
			}
			found = found[done:]
			if err := Rest(ctx, Pause); err != nil {
				return err
			}
		}
		if last == none {
			return nil
		}
		after = last
	}
}

// RemoveAll removes up to limit records at a time until none is left, and gives way between
// two steps for as long as each took.
func RemoveAll(ctx context.Context, limit int, remove func(ctx context.Context, limit int) (removed int, err error)) error {
	for {
		begin := time.Now()
		removed, err := remove(ctx, limit)
		if err != nil || removed == 0 {
			return err
		}
		if err := Rest(ctx, time.Since(begin)); err != nil {
			return err
		}
	}
}

// Rest waits, unless ctx ends before.
func Rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

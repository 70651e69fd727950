package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// trailRaces tests that blocks hold what was recorded, whoever writes, erases and removes
// meanwhile.
func (s *suite) trailRaces(t *testing.T) {
	s.pair(t, "EventsAreInOneBlockEach", func(t *testing.T, stores []storage.Store) {
		var writing atomic.Int64
		var writers, others sync.WaitGroup
		const rounds, each, people = 4, 60, 8
		writing.Store(people)
		for i := range people {
			store := stores[i%2]
			writers.Go(func() {
				defer writing.Add(-1)
				for n := range rounds {
					who := fmt.Sprint("person ", i, " ", n)
					if err := recordAndErase(t.Context(), store, who, each); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for i := range 4 {
			others.Go(func() {
				for writing.Load() > 0 {
					if err := sealOrSweep(t.Context(), stores[i%2], i < 2); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		others.Wait()
		for sealed(t, stores[0], 500) {
		}
		isWhole(t, stores[0], rounds*(each+1)*people)
	})
}

func erasing(e storage.Event) storage.Erasure {
	return storage.Erasure{Subject: []byte(e.Subject), Address: []byte(e.Address)}
}

// recordAndErase records events of a person in a long step, which others overtake, and one in a
// short step, and then deletes the person.
func recordAndErase(ctx context.Context, store storage.Store, who string, n int) error {
	e := storage.Event{At: t0, Name: "sign_in", Subject: who, Address: "192.0.2.1"}
	err := withDeed(ctx, store, &storage.Deed{Events: slices.Repeat([]storage.Event{e}, n)})
	if err == nil {
		err = store.AppendEvent(ctx, e)
	}
	if err == nil {
		_, err = store.DeleteAccount(ctx, who, "someone", erasing)
	}
	return err
}

// sealOrSweep closes a block, or removes the first ones. That writers did not pause in time is
// an answer.
func sealOrSweep(ctx context.Context, store storage.Store, seal bool) error {
	if !seal {
		first, err := store.Blocks(ctx, storage.BlockFilter{Before: 4})
		if err != nil || len(first) < 3 {
			return err
		}
		return errOf(store.Trim(ctx, storage.Trim{Kind: storage.OldEvents, Before: t0.Add(time.Microsecond), Now: t0}, 20))
	}
	// Up to the end, where it may be early.
	_, err := store.SealEvents(ctx, 500, t0.Add(time.Hour), sealAt(t0))
	if errors.Is(err, storage.ErrUnavailable) {
		return nil
	}
	return err
}

// isWhole reports blocks that do not follow each other, or hold other events than when they
// were closed, with what was erased in them since.
func isWhole(t *testing.T, store storage.Store, want int) {
	t.Helper()
	count, last := 0, storage.Block{}
	for {
		match := storage.BlockFilter{After: last.Number, Limit: 1}
		if last.Number == 0 {
			match = storage.BlockFilter{Before: 2}
		}
		next := blocks(t, store, match)
		if len(next) == 0 {
			break
		}
		block := next[0]
		if block.Number != last.Number+1 || block.First <= last.Last {
			t.Fatalf("the block %d of %d to %d follows that to %d", block.Number, block.First, block.Last, last.Last)
		}
		count, last = count+block.Count, block
		lines, erased, err := store.BlockEvents(t.Context(), block.Number)
		ok(t, err)
		if !block.Removed && rootOf(lines, erased...) != block.Root {
			t.Errorf("the block %d has %d events, and others than when it was closed with %d", block.Number, len(lines), block.Count)
		}
	}
	equal(t, count, want)
}

package ratelimit

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/bonafide-id/bonafide/storage"
)

// mostWaiting is how many attempts wait for those of one bucket in this process: more are refused
// at once, so that nobody can have many requests stand still.
const mostWaiting = 16

// flights are the attempts of this process that have not ended, by bucket.
type flights struct {
	mu sync.Mutex
	of map[storage.Digest]*flight
}

// flight are the attempts of one bucket.
type flight struct {
	users int // that hold it, under the lock of flights

	mu       sync.Mutex
	turn     int
	counting map[int]struct{} // the turns that are at the store
	running  int              // that were allowed
	ended    int              // of these, so far
	waiting  int
	changed  chan struct{} // is closed when any of this changes
}

// hold returns the flight of a bucket, until release.
func (f *flights) hold(bucket storage.Digest) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[storage.Digest]*flight{}
	}
	if f.of[bucket] == nil {
		f.of[bucket] = &flight{counting: map[int]struct{}{}, changed: make(chan struct{})}
	}
	f.of[bucket].users++
	return f.of[bucket]
}

func (f *flights) release(bucket storage.Digest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of[bucket].users--; f.of[bucket].users == 0 {
		delete(f.of, bucket)
	}
}

// begin returns a turn at the store, and how many attempts have ended before.
func (f *flight) begin() (turn, ended int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn++
	f.counting[f.turn] = struct{}{}
	return f.turn, f.ended
}

// counted ends a turn at the store.
func (f *flight) counted(turn int, allowed bool) {
	f.change(func() {
		if delete(f.counting, turn); allowed {
			f.running++
		}
	})
}

// end is that of a running attempt.
func (f *flight) end() { f.change(func() { f.running--; f.ended++ }) }

func (f *flight) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.changed)
	f.changed = make(chan struct{})
}

// await reports whether one who was refused has to try again: another attempt has ended since.
// It waits for those that run, or are counted before the refusal is known: later ones could keep
// it waiting for ever.
func (f *flight) await(ctx context.Context, ended int) (again bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting == mostWaiting {
		return false, nil
	}
	f.waiting++
	defer func() { f.waiting-- }()
	last := f.turn
	before := func(turn int) bool { return turn <= last }
	for f.ended == ended {
		if f.running == 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(f.counting)), before) {
			return false, nil
		}
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if f.mu.Lock(); err != nil {
			return false, err
		}
	}
	return true, nil
}

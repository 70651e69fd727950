package ratelimit

import (
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

// flight are the attempts of one bucket. They are counted one after the other, so that who is
// refused knows for sure whether another one is still running.
type flight struct {
	users int // that hold it, under the lock of flights

	mu               sync.Mutex
	running, waiting int
	ended            chan struct{} // is closed when one ends
}

// hold returns the flight of a bucket, until release.
func (f *flights) hold(bucket storage.Digest) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[storage.Digest]*flight{}
	}
	if f.of[bucket] == nil {
		f.of[bucket] = &flight{ended: make(chan struct{})}
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

// end is that of a running attempt.
func (f *flight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running--
	close(f.ended)
	f.ended = make(chan struct{})
}

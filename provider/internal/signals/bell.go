package signals

import (
	"context"
	"sync"
	"time"
)

// Bell wakes who waits for something to have happened. Ringing costs nothing while nobody waits.
type Bell struct {
	mu      sync.Mutex
	waiting chan struct{}
}

// Ring wakes everybody.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}

// Hear returns a channel that is closed by the next Ring. Who calls it before a look misses nothing.
func (b *Bell) Hear() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}

// wait returns at a ring, after a time, or when ctx ends.
func wait(ctx context.Context, ring <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-ring:
	case <-timer.C:
	}
}

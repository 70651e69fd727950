// Package share bounds what a process holds at once, of which nobody may have all.
package share

import "sync"

// Pool is what there is of something, such as bytes of memory, in units. It is safe for
// concurrent use.
type Pool struct {
	all int64

	mu    sync.Mutex
	taken int64
	of    map[string]int64 // by the key of a Part
}

// NewPool returns a pool of so many units.
func NewPool(all int64) *Pool { return &Pool{all: all, of: map[string]int64{}} }

// Part is how much of a pool may be held at once for somebody, such as a network.
type Part struct {
	Key string
	Max int64
}

// Hold is what one request holds of a pool. It is for one goroutine.
type Hold struct {
	pool  *Pool
	parts []Part
	units int64
}

// Hold returns a Hold of nothing, which counts for all of these parts.
func (p *Pool) Hold(parts ...Part) *Hold { return &Hold{pool: p, parts: parts} }

// Take takes so many units more. It reports false, and takes none, if the pool or a part does
// not have them.
func (h *Hold) Take(units int64) bool {
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken+units > p.all {
		return false
	}
	for _, part := range h.parts {
		if p.of[part.Key]+units > part.Max {
			return false
		}
	}
	h.add(units)
	return true
}

// Release gives all of it back.
func (h *Hold) Release() {
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	h.add(-h.units)
}

func (h *Hold) add(units int64) {
	h.units += units
	h.pool.taken += units
	for _, part := range h.parts {
		if h.pool.of[part.Key] += units; h.pool.of[part.Key] == 0 {
			delete(h.pool.of, part.Key)
		}
	}
}

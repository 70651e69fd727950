// Package recent keeps for a moment what was read from the store.
package recent

import (
	"sync"
	"time"
)

// Cache remembers values by key, each for a fixed time. Its methods may be called
// by any number of goroutines.
//
// What is forgotten stays forgotten: a value whose reading began before Forget
// returned is never kept after it, so whoever forgets a key when a change to it has
// been made never meets the value from before the change.
type Cache[K comparable, V any] struct {
	age   time.Duration
	size  int
	clock func() time.Time

	mu      sync.RWMutex
	entries map[K]entry[V]
	changes uint64 // calls of Forget and Clear
}

type entry[V any] struct {
	value  V
	readAt time.Time
}

// New returns a cache that keeps up to size values, each for less than age.
func New[K comparable, V any](age time.Duration, size int, clock func() time.Time) *Cache[K, V] {
	return &Cache[K, V]{age: age, size: size, clock: clock, entries: map[K]entry[V]{}}
}

// Get returns the value of a key: the one that is kept, or what read returns. An
// error is returned and never kept. Several calls for one key may read at once.
func (c *Cache[K, V]) Get(key K, read func() (V, error)) (V, error) {
	now := c.clock()
	c.mu.RLock()
	e, ok := c.entries[key]
	changes := c.changes
	c.mu.RUnlock()
	// A clock that was set back must not make a value last.
	if ok && now.Sub(e.readAt) < c.age && !now.Before(e.readAt) {
		return e.value, nil
	}
	value, err := read()
	if err != nil {
		var none V
		return none, err
	}
	c.keep(key, entry[V]{value, now}, changes)
	return value, nil
}

// keep stores an entry unless something was forgotten since its reading began. When
// there is no room all the others go: those that are asked for come back, and the
// rest is too old.
func (c *Cache[K, V]) keep(key K, e entry[V], changes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes {
		return
	}
	if len(c.entries) >= c.size {
		clear(c.entries)
	}
	c.entries[key] = e
}

// Forget drops the value of a key.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
	c.changes++
}

// Clear drops all values.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	c.changes++
}

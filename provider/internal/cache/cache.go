// Package cache keeps values for a fixed time, and has the rule of forgetting them.
package cache

import (
	"sync"
	"time"
)

// Age is how long a provider may use data that it has read from the store. After it, a change
// by another process is in force here.
const Age = time.Second

// Cache remembers values by key, each for a fixed time. Its methods may be called
// by any number of goroutines.
//
// A value whose reading began before Forget returned is never kept. So whoever changes a
// value and then forgets its key never gets the former value.
type Cache[K comparable, V any] struct {
	age   time.Duration
	size  int
	clock func() time.Time

	mu       sync.RWMutex
	entries  map[K]entry[V]
	readings map[K]*reading
}

type entry[V any] struct {
	value  V
	readAt time.Time
}

// reading is shared by all concurrent readings of a key.
type reading struct {
	readers   int
	forgotten bool
}

// New returns a cache that keeps up to size values, each for less than age.
func New[K comparable, V any](age time.Duration, size int, clock func() time.Time) *Cache[K, V] {
	return &Cache[K, V]{
		age: age, size: size, clock: clock,
		entries: map[K]entry[V]{}, readings: map[K]*reading{},
	}
}

// Get returns the cached value of a key, or else that of read. It returns an error and never
// keeps it. Concurrent calls for one key may all read.
func (c *Cache[K, V]) Get(key K, read func() (V, error)) (value V, err error) {
	if value, ok := c.Recent(key, c.clock()); ok {
		return value, nil
	}
	keep := false
	end := c.Begin(key)
	defer func() { end(value, keep) }() // also when read panics
	value, err = read()
	keep = err == nil
	return value, err
}

// Recent returns the value of a key if one is kept. now is what the clock says; who asks for
// several values at one moment reads it once.
func (c *Cache[K, V]) Recent(key K, now time.Time) (value V, ok bool) {
	c.mu.RLock()
	e, ok := c.entries[key]
	c.mu.RUnlock()
	// A clock that is set back must not make a value last longer.
	if !ok || now.Sub(e.readAt) >= c.age || now.Before(e.readAt) {
		return value, false
	}
	return e.value, true
}

// Begin announces a reading of a key's value, or a write that makes it. Call end with the
// value afterwards: it is kept unless the key was forgotten meanwhile, or keep is false.
func (c *Cache[K, V]) Begin(key K) (end func(value V, keep bool)) {
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.readings[key]
	if r == nil {
		r = &reading{}
		c.readings[key] = r
	}
	r.readers++
	return func(value V, keep bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.readers--; r.readers == 0 && !r.forgotten {
			delete(c.readings, key)
		}
		if keep && !r.forgotten {
			c.keep(key, entry[V]{value, now})
		}
	}
}

// keep stores an entry. A full cache drops all others: those in use come back, and the rest is
// too old.
func (c *Cache[K, V]) keep(key K, e entry[V]) {
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
	if r := c.readings[key]; r != nil {
		r.forgotten = true
		delete(c.readings, key)
	}
}

// Clear drops all values.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	for _, r := range c.readings {
		r.forgotten = true
	}
	clear(c.readings)
}

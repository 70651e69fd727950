package api

import "sync"

// manyMisses is how many people a client may look for in a row who are not here, before the host
// is told.
const manyMisses = 20

// misses counts for each client, in this process, who was not found.
type misses struct {
	mu  sync.Mutex
	row map[string]int
}

// count counts a find, and reports whether the host has to be told.
func (m *misses) count(client string, hit bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if hit {
		delete(m.row, client)
		return false
	}
	m.row[client]++
	return m.row[client]%manyMisses == 0
}

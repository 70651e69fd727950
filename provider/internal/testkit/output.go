package testkit

import (
	"bytes"
	"sync"
)

// Output is what programs and loggers print, which may be read meanwhile.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the output.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

// String returns what has been written.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

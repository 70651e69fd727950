package outbound

import (
	"context"
	"sync"
)

// hosts limits concurrent calls per host: a slow host, under however many URLs, does not
// delay calls to others.
type hosts struct {
	mu   sync.Mutex
	busy map[string]*host
}

// host is a host with calls in progress or waiting.
type host struct {
	calls   chan struct{}
	callers int // in progress or waiting
}

// enter waits until one more call to a host is allowed. The caller calls leave after it.
func (h *hosts) enter(ctx context.Context, name string) (leave func(), err error) {
	called := h.of(name)
	select {
	case called.calls <- struct{}{}:
		return func() {
			<-called.calls
			h.forget(name, called)
		}, nil
	case <-ctx.Done():
		h.forget(name, called)
		return nil, ctx.Err()
	}
}

func (h *hosts) of(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	called := h.busy[name]
	if called == nil {
		called = &host{calls: make(chan struct{}, maxConns)}
		h.busy[name] = called
	}
	called.callers++
	return called
}

// forget removes a host without callers.
func (h *hosts) forget(name string, called *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if called.callers--; called.callers == 0 {
		delete(h.busy, name)
	}
}

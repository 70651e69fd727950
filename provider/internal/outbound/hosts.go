package outbound

import (
	"context"
	"sync"
)

// hosts gives each host a share of the calls of a process: one that is slow, under however
// many addresses, would hold up the calls to all others.
type hosts struct {
	mu   sync.Mutex
	busy map[string]*host
}

// host is one that is being called.
type host struct {
	calls   chan struct{}
	callers int // that call it or wait to
}

// enter waits for a place among the calls to a host. Call leave afterwards.
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

// forget keeps nothing of a host that nobody calls.
func (h *hosts) forget(name string, called *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if called.callers--; called.callers == 0 {
		delete(h.busy, name)
	}
}

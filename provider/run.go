package provider

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Run does the background work: it rotates signing keys, encrypts again what former secrets
// encrypt, sends logout tokens (Client.BackchannelLogoutURI), deletes accounts whose users
// have requested it (Lifetimes.DeletionGrace), and removes data of deleted applications
// (Clients.Delete) and expired records. It permanently removes only what has expired by the
// clocks of all processes, and, after a leap in time, a day later. It returns nil when ctx
// ends or the provider is closed. Every process should have one Run. A provider without one
// works, but its keys never change, its tables only grow, and logout tokens and recoveries wait.
func (p *Provider) Run(ctx context.Context) error {
	p.running.Add(1)
	defer p.running.Done()
	if p.closing.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.closing, cancel)()
	p.upkeep.Run(ctx)
	return nil
}

// RunWith has Run call f, too, so that a companion needs no Run of its own. The context of
// f ends when Run is to end; Run waits for f, and Close for Run. While Run runs, f starts
// at once.
func (p roomsOf) RunWith(f func(ctx context.Context)) { p.upkeep.RunWith(f) }

// Close ends Run and all watching, waits for it, and closes the store. Later requests get
// 503.
func (p *Provider) Close() error {
	p.close()
	p.running.Wait()
	p.activity.Close()
	p.uses.Close()
	p.outbound.Close()
	p.signals.Outbound.Close()
	if p.objects != nil {
		p.objects.Close()
	}
	p.strangers.Close()
	if err := p.store.Close(); err != nil {
		return fmt.Errorf("provider: close store: %w", err)
	}
	return nil
}

// healthTimeout limits a readiness check: a probe that hangs is a probe that fails.
const healthTimeout = 2 * time.Second

// Health returns a handler for health probes: GET /live answers 200 while the process
// serves; GET /ready answers 200 while the store reads and writes and the provider is open,
// and else 503. It reveals nothing else. The provider has no route to it; the host mounts
// it where its probes can reach it.
func (p *Provider) Health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { answerProbe(w, true) })
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
		defer cancel()
		answerProbe(w, p.closing.Err() == nil && p.store.Ping(ctx) == nil)
	})
	return mux
}

func answerProbe(w http.ResponseWriter, healthy bool) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if !healthy {
		h.Set("Retry-After", "2")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("unavailable\n"))
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

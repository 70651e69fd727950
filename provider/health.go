package provider

import (
	"context"
	"net/http"
	"time"
)

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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// openProbes puts the probes and the metrics of production behind a listener of their own,
// which is not for the world, and those of the sandbox below /sandbox: a sandbox that is ill
// must not take production out of a load balancer.
func (s *service) openProbes(server *http.Server, metrics []http.Handler) {
	mux := http.NewServeMux()
	for i, under := range []string{"", "/sandbox"}[:len(s.providers)] {
		mux.Handle(under+"/", http.StripPrefix(under, s.providers[i].Health()))
		mux.Handle("GET "+under+"/metrics", metrics[i])
	}
	server.Handler = mux
}

// askReady asks the service that runs from this config whether it is ready, for a
// container that has no other program to ask with.
func (c *config) askReady(ctx context.Context, out io.Writer) error {
	if c.ProbeListen == "" {
		return errors.New("probe_listen: is not set, so there is nobody to ask")
	}
	host, port, err := net.SplitHostPort(c.ProbeListen)
	if err != nil {
		return fmt.Errorf("probe_listen: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/ready", nil)
	if err != nil {
		return fmt.Errorf("probe_listen: %w", err)
	}
	direct := http.Client{Transport: &http.Transport{Proxy: nil}} // whatever HTTP_PROXY says
	answer, err := direct.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", answer.Status)
	}
	_, _ = fmt.Fprintln(out, "ready")
	return nil
}

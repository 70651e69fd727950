package faults

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// TestReplicas restarts one of three processes after the other, behind a load balancer
// that knows of it only by connections that fail. Its users see pages and redirects, or
// are told to come back in a moment; no session is lost, and nothing that was
// acknowledged.
func TestReplicas(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := setup{Database: pgtest.Shared(t).Schema(t)}
	const count = 12
	populate(t, s, count)
	processes := make([]*process, 3)
	for i := range processes {
		processes[i] = s.run(t)
	}
	b := newBalancer(t, processes)
	users := newUsers(s, count, func() string { return b.url })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	worked := make(chan error, 1)
	go func() { worked <- each(users, func(u *user) error { return u.work(ctx, func(bool) {}) }) }()
	for n := range replicaRestarts {
		<-time.After(replicaUpFor)
		i := n % len(processes)
		if _, err := processes[i].stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		processes[i] = s.run(t)
		b.replace(i, processes[i])
	}
	cancel()
	if err := <-worked; err != nil {
		t.Fatal(err)
	}
	done, refused := 0, 0
	for _, u := range users {
		done, refused = done+u.done, refused+u.refused
	}
	t.Logf("%d restarts: %d steps, %d times 503, answers %v", replicaRestarts, done, refused, b.counted())
	workFor(t, users, 0, count, 0)
	for _, status := range slices.Sorted(maps.Keys(b.counted())) {
		if !slices.Contains([]int{http.StatusOK, http.StatusSeeOther, http.StatusServiceUnavailable}, status) {
			t.Errorf("answered with %d", status)
		}
	}
	checkEverywhere(t, users)
}

// balancer hands requests to processes in turn, and answers with 503 for one that is
// not there.
type balancer struct {
	url string

	mu       sync.Mutex
	targets  []*url.URL
	next     int
	statuses map[int]int
}

func newBalancer(t *testing.T, processes []*process) *balancer {
	t.Helper()
	b := &balancer{targets: make([]*url.URL, len(processes)), statuses: map[int]int{}}
	for i, p := range processes {
		b.replace(i, p)
	}
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(b.pick())
			r.Out.Host = r.In.Host
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		},
		ModifyResponse: func(r *http.Response) error {
			// Whoever does not know which of two passwords is in force tries both.
			if r.StatusCode != http.StatusUnauthorized || r.Request.URL.Path != "/signin" {
				b.count(r.StatusCode)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			b.count(http.StatusServiceUnavailable)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
	}
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	mux.HandleFunc("/outbox", b.outbox)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *balancer) replace(i int, p *process) {
	target, err := url.Parse(p.url)
	if err != nil {
		panic(err) // it has just served
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets[i] = target
}

func (b *balancer) pick() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.targets[b.next%len(b.targets)]
}

func (b *balancer) count(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statuses[status]++
}

func (b *balancer) counted() map[int]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.statuses)
}

// outbox looks for a mail at every process. One that was sent by a process which has
// been restarted since is lost, as it would not be with a mail server.
func (b *balancer) outbox(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	targets := slices.Clone(b.targets)
	b.mu.Unlock()
	for _, target := range targets {
		answer, err := http.Get(target.String() + r.URL.RequestURI())
		if err != nil {
			continue
		}
		mail, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && len(mail) > 0 {
			_, _ = w.Write(mail)
			return
		}
	}
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

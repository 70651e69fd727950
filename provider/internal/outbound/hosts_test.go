package outbound

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSlowHostHoldsUpNobodyElse has one host answer never, at as many addresses as there are
// calls of a process.
func TestSlowHostHoldsUpNobodyElse(t *testing.T) {
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false)
	quick := serve(t, ok, false)
	c := newClient(t, Options{AllowPrivate: true, Timeout: time.Minute})
	ctx, leave := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for i := range maxCalls {
		calls.Go(func() { _, _ = c.Get(ctx, slow.URL+"/"+strconv.Itoa(i), "") })
	}
	waiting := func() int {
		c.hosts.mu.Lock()
		defer c.hosts.mu.Unlock()
		if h := c.hosts.busy["127.0.0.1"]; h != nil {
			return h.callers
		}
		return 0
	}
	for waiting() < maxCalls || slow.requests.Load() < maxConns {
		runtime.Gosched()
	}
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if body, err := c.Get(soon, strings.Replace(quick.URL, "127.0.0.1", "localhost", 1), ""); err != nil || string(body) != "hello" {
		t.Errorf("another host: %q, %v", body, err)
	}
	if n := slow.requests.Load(); n != maxConns {
		t.Errorf("%d calls to the slow host at a time", n)
	}
	leave()
	calls.Wait()
	if len(c.hosts.busy) != 0 {
		t.Errorf("%d hosts are kept", len(c.hosts.busy))
	}
}

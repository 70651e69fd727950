package lab

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Nginx is one in front of a fixture, with what Debian's has by default.
type Nginx struct {
	w    *Fixture
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Header is sent with each request, as browsers do that the fixture's are not.
	Header http.Header

	mu      sync.Mutex
	longest int
}

// Nginx starts one with these directives in its server block, in which UPSTREAM is the address of
// the fixture. The test is skipped where there is none.
func (w *Fixture) Nginx(server string) *Nginx {
	t := w.T
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx"
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("nginx is not installed")
		}
		t.Skip("nginx is not installed")
	}
	folder, address, user := t.TempDir(), testkit.Address(t), ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	text := fmt.Sprintf(`%s daemon off; pid nginx.pid; error_log stderr crit; worker_processes 1; events {}
http {
	access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
	server { listen %s; %s }
}`, user, address, strings.ReplaceAll(server, "UPSTREAM", w.Server.URL))
	w.OK(os.WriteFile(filepath.Join(folder, "nginx.conf"), []byte(text), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	run := exec.CommandContext(ctx, program, "-p", folder, "-c", "nginx.conf", "-e", "stderr")
	run.Stdout, run.Stderr = t.Output(), t.Output()
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	w.OK(run.Start())
	t.Cleanup(func() {
		cancel()
		_ = run.Wait() // it was told to end
	})
	return &Nginx{w: w, dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		for {
			c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err == nil || ctx.Err() != nil {
				return c, err
			}
			time.Sleep(10 * time.Millisecond) // until it listens
		}
	}}
}

// Browser returns a browser whose requests go through it.
func (n *Nginx) Browser() *Browser {
	b := n.w.NewBrowser()
	transport := &http.Transport{DialContext: n.dial}
	n.w.T.Cleanup(transport.CloseIdleConnections)
	b.HTTP.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		for name, values := range n.Header {
			r.Header[name] = values
		}
		response, err := transport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if next := response.Header.Get("Location"); strings.HasPrefix(next, "/") {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.longest = max(n.longest, len(next))
		}
		return response, nil
	})
	return b
}

// Longest is the length of the longest address to which the provider has sent a browser within
// itself, in bytes.
func (n *Nginx) Longest() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.longest
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

package operations

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/internal/freeport"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// nginx starts one in front of a provider, as docs/operate.md has it, and returns what makes a browser go through it.
func nginx(t *testing.T, w *lab.Fixture) func(*lab.Browser) *lab.Browser {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !exists(program) {
			if os.Getenv("CI") == "true" {
				t.Fatal("nginx is not installed")
			}
			t.Skip("nginx is not installed")
		}
	}
	folder, address := t.TempDir(), freeport.Address(t)
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	text := fmt.Sprintf(`%s daemon off; pid nginx.pid; error_log stderr crit; worker_processes 1; events {}
http {
	access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
	server {
		listen %s;
		location / {
			proxy_pass %s;
			proxy_set_header Host $http_host;
			proxy_set_header X-Forwarded-For $remote_addr;
		}
	}
}`, user, address, w.Server.URL)
	if err := os.WriteFile(filepath.Join(folder, "nginx.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	run := exec.CommandContext(ctx, program, "-p", folder, "-c", "nginx.conf", "-e", "stderr")
	run.Stdout, run.Stderr = t.Output(), t.Output()
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = run.Wait() // it was told to end
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		for {
			c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err == nil || ctx.Err() != nil {
				return c, err
			}
			time.Sleep(10 * time.Millisecond) // until it listens
		}
	}
	return func(b *lab.Browser) *lab.Browser {
		b.HTTP.Transport = &http.Transport{DialContext: dial}
		t.Cleanup(b.HTTP.CloseIdleConnections)
		return b
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Whole sign-ins go through nginx with the buffers that it has by default, whatever an application sends, and so do its
// errors and sign-outs.
func TestSignInBehindNginx(t *testing.T) {
	t.Parallel()
	w := lab.New(t, behindProxy).WithClients().WithUsers()
	app, _ := w.AddApp("bob")
	through := nginx(t, w)
	for _, c := range []struct{ state, claim int }{{10, 0}, {2500, 2500}, {4096, 3000}} {
		state := strings.Repeat("s", c.state)
		asked := lab.AuthorizeURL(lab.Std("state", state, "prompt", "consent", "claims", `{"id_token":{"`+strings.Repeat("x", c.claim)+`":null}}`)...)
		b := through(w.NewBrowser())
		p := b.Submit(b.Open(asked), "email", "alice@example.com", "password", lab.AlicePass)
		if got := lab.Response(t, b.Submit(p, "action", "allow")).Get("state"); got != state {
			t.Errorf("a state of %d bytes came back as one of %d", len(state), len(got))
		}
		b = through(w.NewBrowser())
		p = b.Submit(b.Open(asked), "email", "bob@example.com", "password", lab.BobPass)
		p = b.Submit(p, "code", app.Code())
		if got := lab.Response(t, b.Submit(p, "action", "allow")).Get("state"); got != state {
			t.Errorf("second step: a state of %d bytes came back as one of %d", len(state), len(got))
		}
		if got := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Std("state", state, "scope", "none")...))); got.Get("state") != state || got.Get("error") == "" {
			t.Errorf("an error with a state of %d bytes: %.200v", len(state), got)
		}
		leave := url.Values{"client_id": {"std"}, "post_logout_redirect_uri": {"https://rp.test/bye"}, "state": {state}}
		address := "/signout?" + leave.Encode()
		if c.state == 4096 { // by a form of another site
			address = b.Post("/oauth/logout", leave).Next()
		}
		if p = b.Submit(b.Get(address)); !strings.HasSuffix(p.Header.Get("Location")+p.Next(), "https://rp.test/bye?state="+state) {
			t.Errorf("a sign-out with a state of %d bytes: %s", len(state), p.Status)
		}
		w.Advance(time.Minute) // for the next code
	}
}

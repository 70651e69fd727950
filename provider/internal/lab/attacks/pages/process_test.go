package pages

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestTwoProcesses has people leave for an upstream from one process and come back to another,
// which share a database and a secret: a visit is in the browser, and is used once for both.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newCampus(t, authoritative)
	other := w.Twin(func(c *provider.Config) {
		c.AllowPrivateNetworks = true
		c.Upstreams = []provider.Upstream{{
			ID: "campus", Title: "State University", Connector: connector(w.up), AuthoritativeFor: []string{"example.com"},
		}}
	})
	var second atomic.Bool
	w.Server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if second.Load() {
			other.Provider.ServeHTTP(rw, r)
			return
		}
		w.Provider.ServeHTTP(rw, r)
	})
	// visit leaves from one process and returns to the other, and returns the address of the return.
	visit := func(t *testing.T, b *lab.Browser, subject, email string) string {
		t.Helper()
		second.Store(false)
		w.is(subject, email, true)
		back := callback("campus", w.values(b, b.Open("/signin"), "campus"))
		second.Store(true)
		b.Open(back)
		return back
	}
	t.Run("BeginsAnAccount", func(t *testing.T) {
		b := w.NewBrowser()
		back := visit(t, b, "s1", "new@example.com")
		for _, process := range []bool{true, false} {
			second.Store(process)
			if !signedInAs(b, "new@example.com") {
				t.Error("nobody is signed in")
			}
			if p := b.Open(back); p.StatusCode != http.StatusBadRequest {
				t.Errorf("the same return again: %s", p.Status)
			}
		}
	})
	t.Run("Connects", func(t *testing.T) {
		second.Store(false)
		b := w.is("s2", "alice@example.com", true).NewBrowser()
		p := b.Open(callback("campus", w.values(b, b.Open("/signin"), "campus")))
		if !strings.Contains(p.Request.URL.Path, "/signin/connect") {
			t.Fatalf("%s %s", p.Status, p.Request.URL)
		}
		second.Store(true)
		p = agree(b, p)
		second.Store(false)
		b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
		if len(w.links("alice")) != 1 || !signedInAs(b, "alice@example.com") {
			t.Errorf("%+v", w.links("alice"))
		}
		again := w.NewBrowser()
		if visit(t, again, "s2", "alice@example.com"); !signedInAs(again, "alice@example.com") {
			t.Error("the connection does not sign in")
		}
	})
}

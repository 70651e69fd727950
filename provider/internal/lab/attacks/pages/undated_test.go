package pages

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// undated is a connector that does not say when somebody has authenticated, as those of Google,
// Apple and GitHub: a session there that was left open answers for whoever sits before it.
type undated struct{ known }

func (u undated) Finish(ctx context.Context, c upstream.Callback) (upstream.Identity, error) {
	who, err := u.known.Finish(ctx, c)
	who.AuthTime = time.Time{}
	return who, err
}

func isUndated(u *provider.Upstream) {
	if k, ok := u.Connector.(known); ok {
		u.Connector = undated{k}
	}
}

// asks reports that a page asks for the password, and whether it offers the campus beside it.
func asks(t *testing.T, p lab.Page, offersCampus bool) {
	t.Helper()
	if p.Request.URL.Path != "/signin" || !strings.Contains(p.Text, `name="password"`) || strings.Contains(p.Text, "/signin/with/campus") != offersCampus {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
}

func opens(t *testing.T, p lab.Page) {
	t.Helper()
	if p.StatusCode != http.StatusOK || p.Request.URL.Path != "/account/totp" {
		t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
	}
}

// TestOpenSessionElsewhere takes over a session that somebody has left open at an upstream: where
// the owner has to be present, it is no proof of that.
func TestOpenSessionElsewhere(t *testing.T) {
	t.Parallel()
	w := newCampus(t, isUndated, authoritative)
	w.connect(w.is("s1", "a@campus.test", true).NewBrowser().SignIn("alice@example.com", lab.AlicePass))
	t.Run("AfterTheSignIn", func(t *testing.T) {
		b := w.NewBrowser()
		if w.arrive(b, b.Open("/signin")); !signedInAs(b, "alice@example.com") {
			t.Fatal("nobody is signed in")
		}
		p := b.Open("/account/totp")
		asks(t, p, false)
		opens(t, b.Submit(p, "password", lab.AlicePass))
	})
	t.Run("AtTheQuestion", func(t *testing.T) {
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		w.Advance(6 * time.Minute)
		p := b.Open("/account/totp")
		asks(t, p, true)
		p = w.arrive(b, p)
		if p.Request.URL.Path == "/account/totp" || !strings.Contains(p.Text, `name="password"`) {
			t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
		}
		if q := b.Open("/account/totp"); q.Request.URL.Path != "/signin" {
			t.Fatalf("%s %s", q.Status, q.Request.URL)
		}
		b.Submit(p, "password", lab.AlicePass)
		opens(t, b.Open("/account/totp"))
	})
	t.Run("ForAnApplicationThatAsksForNow", func(t *testing.T) {
		for _, now := range [][]string{{"max_age", "60"}, {"max_age", "0"}, {"prompt", "login"}} {
			b := w.NewBrowser()
			p := w.arrive(b, b.Open(lab.AuthorizeURL(append([]string{"client_id", "std", "scope", "openid"}, now...)...)))
			asks(t, p, false)
			if p = b.Submit(p, "password", lab.AlicePass); strings.Contains(p.Text, `value="allow"`) {
				p = b.Submit(p, "action", "allow")
			}
			if lab.CodeOf(p) == "" {
				t.Errorf("%v: %s %s\n%s", now, p.Status, p.Request.URL, p.Text)
			}
		}
	})
	t.Run("IsTheOnlyWayOfTheAccount", func(t *testing.T) {
		b := w.is("s2", "new@example.com", true).NewBrowser()
		if w.arrive(b, b.Open("/signin")); !signedInAs(b, "new@example.com") {
			t.Fatal("nobody is signed in")
		}
		opens(t, b.Open("/account/totp"))
		w.Advance(6 * time.Minute)
		p := b.Open("/account/totp")
		if p.Request.URL.Path != "/signin" {
			t.Fatalf("%s %s", p.Status, p.Request.URL)
		}
		opens(t, w.arrive(b, p))
	})
}

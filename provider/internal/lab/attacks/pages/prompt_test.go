package pages

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestConnectionWithinADemandForNow has an application ask for an authentication of now. Who proves
// it while an identity is connected on the way is not asked again.
func TestConnectionWithinADemandForNow(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string][]string{"Login": {"prompt", "login"}, "MaxAge": {"max_age", "60"}, "Zero": {"max_age", "0"}} {
		request := lab.AuthorizeURL(append([]string{"client_id", "std", "scope", "openid"}, asked...)...)
		for before, arrives := range map[string]func(w *campus, b *lab.Browser) lab.Page{
			"Nobody": func(_ *campus, b *lab.Browser) lab.Page { return b.Open(request) },
			"Another": func(_ *campus, b *lab.Browser) lab.Page {
				b.SignIn("bob@example.com", lab.BobPass)
				return b.Submit(b.Open(request), "action", "switch")
			},
			"Herself": func(w *campus, b *lab.Browser) lab.Page {
				b.SignIn("alice@example.com", lab.AlicePass)
				w.Advance(2 * time.Minute)
				return b.Submit(b.Open(request), "action", "switch")
			},
		} {
			t.Run(name+"/"+before, func(t *testing.T) {
				t.Parallel()
				w := newCampus(t)
				b := w.is("s1", "alice@example.com", true).NewBrowser()
				p := agree(b, w.arrive(b, arrives(w, b)))
				p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
				if len(w.links("alice")) != 1 || !strings.Contains(p.Request.URL.Path, "/oauth/consent") {
					t.Fatalf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
				}
			})
		}
	}
}

// TestAccountIsChosen tests that the upstream lets the person choose an account where the
// application, or the person, wants another one, and does not otherwise.
func TestAccountIsChosen(t *testing.T) {
	t.Parallel()
	w := newCampus(t)
	request := func(more ...string) string {
		return lab.AuthorizeURL(append([]string{"client_id", "std", "scope", "openid"}, more...)...)
	}
	asked := func(b *lab.Browser, p lab.Page) string {
		u, err := url.Parse(sentTo(b, leave(b, p, "campus")))
		w.OK(err)
		return u.Query().Get("prompt")
	}
	b := w.NewBrowser()
	if got := asked(b, b.Open(request())); got != "" {
		t.Errorf("of whoever signs in: %q", got)
	}
	if got := asked(b, b.Open(request("prompt", "select_account"))); got != "select_account" {
		t.Errorf("of an application that wants a choice: %q", got)
	}
	b = w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	if got := asked(b, b.Submit(b.Open(request()), "action", "switch")); got != "select_account" {
		t.Errorf("of a person who wants another account: %q", got)
	}
	b = w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	if got := asked(b, b.Submit(b.Open(request("prompt", "select_account")), "action", "switch")); got != "select_account" {
		t.Errorf("of both: %q", got)
	}
}

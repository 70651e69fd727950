package pages

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// demands are requests that no session of before may answer.
var demands = map[string][]string{
	"login":          {"prompt", "login"},
	"login consent":  {"prompt", "login consent"},
	"select_account": {"prompt", "select_account"},
	"max_age=0":      {"max_age", "0"},
	"max_age=1":      {"max_age", "1"},
}

// holding is the same browser with the cookie of a session, or "" for none.
func holding(b *lab.Browser, value string) *lab.Browser {
	b.T.Helper()
	c := b.Thief()
	for _, cookie := range c.HTTP.Jar.Cookies(b.ServerURL()) {
		if strings.HasSuffix(cookie.Name, string(session.Session)) {
			age := 0
			if value == "" {
				age = -1
			}
			c.HTTP.Jar.SetCookies(b.ServerURL(), []*http.Cookie{{Name: cookie.Name, Value: value, Path: "/", MaxAge: age}})
		}
	}
	return c
}

// isAsked reports whether a page asks who is there, or for the password, and no more.
func isAsked(p lab.Page) bool {
	return p.StatusCode == http.StatusOK && lab.CodeOf(p) == "" && !strings.Contains(p.Text, `value="allow"`) &&
		(p.Request.URL.Path == "/signin" || p.Request.URL.Path == "/oauth/select-account")
}

// TestFreshSignIn brings the cookie of an old session along at every moment but the first.
func TestFreshSignIn(t *testing.T) {
	t.Parallel()
	rounds := 7 // of five demands with three cookies
	if testing.Short() {
		rounds = 1
	}
	onBothDatabases(t, lab.Unlimited, func(t *testing.T, w, elsewhere *lab.Fixture) {
		w.WithUsers()
		alice := w.Alice()
		alice.Allow(lab.Ask()...)
		earlier := alice.Cookie(session.Session)
		w.Advance(2 * time.Hour)
		bob := holding(alice, "").SignIn("bob@example.com", lab.BobPass).Cookie(session.Session)
		w.Advance(2 * time.Hour)
		again := holding(alice, "").SignIn("alice@example.com", lab.AlicePass).Cookie(session.Session)
		w.Advance(2 * time.Second)
		old := map[string]string{"Earlier": earlier, "Bobs": bob, "Again": again}
		if !holding(alice, bob).IsSignedIn() || !holding(alice, earlier).IsSignedIn() {
			t.Fatal("the sessions are over")
		}
		orders := map[string]func(demand []string, then string) lab.Page{
			"WithheldAtFirst": func(demand []string, then string) lab.Page {
				flow := lab.FlowOf(t, holding(alice, "").Get(lab.AuthorizeURL(lab.Ask(demand...)...)))
				return holding(alice, then).Open(resume(flow))
			},
			"WithheldAtFirstAtAnotherProcess": func(demand []string, then string) lab.Page {
				b := holding(alice, "")
				flow := lab.FlowOf(t, b.Get(lab.AuthorizeURL(lab.Ask(demand...)...)))
				b = holding(alice, then)
				b.Fixture = elsewhere
				return b.Open(resume(flow))
			},
			"SwappedOnTheWay": func(demand []string, then string) lab.Page {
				first := again
				if then == again {
					first = earlier
				}
				flow := lab.FlowOf(t, holding(alice, first).Get(lab.AuthorizeURL(lab.Ask(demand...)...)))
				return holding(alice, then).Open(resume(flow))
			},
			"BroughtToTheSignInPage": func(demand []string, then string) lab.Page {
				flow := lab.FlowOf(t, holding(alice, "").Get(lab.AuthorizeURL(lab.Ask(demand...)...)))
				b := holding(alice, then)
				b.Get("/signin?flow=" + flow)
				return b.Open(resume(flow))
			},
			"AfterAnotherTab": func(demand []string, then string) lab.Page {
				flow := lab.FlowOf(t, holding(alice, "").Get(lab.AuthorizeURL(lab.Ask(demand...)...)))
				b := holding(alice, then)
				b.Open(lab.AuthorizeURL(lab.Ask()...))
				return b.Open(resume(flow))
			},
			"AtTheConsentPage": func(demand []string, then string) lab.Page {
				flow := lab.FlowOf(t, holding(alice, "").Get(lab.AuthorizeURL(lab.Ask(demand...)...)))
				return holding(alice, then).Open("/oauth/consent?flow=" + flow)
			},
		}
		for order, attack := range orders {
			t.Run(order, func(t *testing.T) {
				for name, demand := range demands {
					for whose, then := range old {
						survivors := 0
						for _, passed := range lab.Race(rounds, func(int) bool { return !isAsked(attack(demand, then)) }) {
							if passed {
								survivors++
							}
						}
						if survivors > 0 {
							t.Errorf("%s, %s: %d of %d get on without a password", name, whose, survivors, rounds)
						}
					}
				}
			})
		}
	})
}

// A sign-in on a page of the flow counts whichever clock it was made by: whoever has just
// given the password is not asked for it again.
func TestFreshSignInByAClockThatIsSlow(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	slow := w.Twin(func(c *provider.Config) { c.Clock = func() time.Time { return w.Now().Add(-30 * time.Second) } })
	b := w.Alice()
	b.Allow(lab.Ask()...)
	for name, demand := range demands {
		p := holding(b, "").Open(lab.AuthorizeURL(lab.Ask(demand...)...))
		elsewhere := holding(b, "")
		elsewhere.Fixture = slow
		p = elsewhere.SubmitOnce(p, "email", "alice@example.com", "password", lab.AlicePass)
		signedIn := holding(b, elsewhere.Cookie(session.Session))
		if p := signedIn.Follow(p); lab.CodeOf(p) == "" && !strings.Contains(p.Text, `value="allow"`) {
			t.Errorf("%s: asked again at %s", name, p.Request.URL.Path)
		}
	}
}

package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
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
func (b *browser) holding(value string) *browser {
	b.t.Helper()
	c := b.thief()
	for _, cookie := range c.http.Jar.Cookies(b.serverURL()) {
		if strings.HasSuffix(cookie.Name, string(session.Session)) {
			age := 0
			if value == "" {
				age = -1
			}
			c.http.Jar.SetCookies(b.serverURL(), []*http.Cookie{{Name: cookie.Name, Value: value, Path: "/", MaxAge: age}})
		}
	}
	return c
}

// isAsked reports whether a page asks who is there, or for the password, and no more.
func isAsked(p page) bool {
	return p.StatusCode == http.StatusOK && codeOf(p) == "" && !strings.Contains(p.body, `value="allow"`) &&
		(p.Request.URL.Path == "/signin" || p.Request.URL.Path == "/oauth/select-account")
}

// TestFreshSignIn brings the cookie of an old session along at every moment but the first.
func TestFreshSignIn(t *testing.T) {
	t.Parallel()
	const rounds = 7 // of five demands with three cookies
	onBothDatabases(t, unlimited, func(t *testing.T, w, elsewhere *fixture) {
		w.withUsers()
		alice := w.alice()
		alice.allow(ask()...)
		earlier := alice.cookie(session.Session)
		w.advance(2 * time.Hour)
		bob := alice.holding("").signIn("bob@example.com", bobPass).cookie(session.Session)
		w.advance(2 * time.Hour)
		again := alice.holding("").signIn("alice@example.com", alicePass).cookie(session.Session)
		w.advance(2 * time.Second)
		old := map[string]string{"Earlier": earlier, "Bobs": bob, "Again": again}
		if !alice.holding(bob).isSignedIn() || !alice.holding(earlier).isSignedIn() {
			t.Fatal("the sessions are over")
		}
		orders := map[string]func(demand []string, then string) page{
			"WithheldAtFirst": func(demand []string, then string) page {
				flow := flowOf(t, alice.holding("").get(authorizeURL(ask(demand...)...)))
				return alice.holding(then).open(resume(flow))
			},
			"WithheldAtFirstAtAnotherProcess": func(demand []string, then string) page {
				b := alice.holding("")
				flow := flowOf(t, b.get(authorizeURL(ask(demand...)...)))
				b = alice.holding(then)
				b.w = elsewhere
				return b.open(resume(flow))
			},
			"SwappedOnTheWay": func(demand []string, then string) page {
				first := again
				if then == again {
					first = earlier
				}
				flow := flowOf(t, alice.holding(first).get(authorizeURL(ask(demand...)...)))
				return alice.holding(then).open(resume(flow))
			},
			"BroughtToTheSignInPage": func(demand []string, then string) page {
				flow := flowOf(t, alice.holding("").get(authorizeURL(ask(demand...)...)))
				b := alice.holding(then)
				b.get("/signin?flow=" + flow)
				return b.open(resume(flow))
			},
			"AfterAnotherTab": func(demand []string, then string) page {
				flow := flowOf(t, alice.holding("").get(authorizeURL(ask(demand...)...)))
				b := alice.holding(then)
				b.open(authorizeURL(ask()...))
				return b.open(resume(flow))
			},
			"AtTheConsentPage": func(demand []string, then string) page {
				flow := flowOf(t, alice.holding("").get(authorizeURL(ask(demand...)...)))
				return alice.holding(then).open("/oauth/consent?flow=" + flow)
			},
		}
		for order, attack := range orders {
			t.Run(order, func(t *testing.T) {
				for name, demand := range demands {
					for whose, then := range old {
						survivors := 0
						for _, passed := range race(rounds, func(int) bool { return !isAsked(attack(demand, then)) }) {
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
	w := newFixture(t).withClients().withUsers()
	slow := w.twin(func(c *provider.Config) { c.Clock = func() time.Time { return w.now().Add(-30 * time.Second) } })
	b := w.alice()
	b.allow(ask()...)
	for name, demand := range demands {
		p := b.holding("").open(authorizeURL(ask(demand...)...))
		elsewhere := b.holding("")
		elsewhere.w = slow
		p = elsewhere.submitOnce(p, "email", "alice@example.com", "password", alicePass)
		signedIn := b.holding(elsewhere.cookie(session.Session))
		if p := signedIn.follow(p); codeOf(p) == "" && !strings.Contains(p.body, `value="allow"`) {
			t.Errorf("%s: asked again at %s", name, p.Request.URL.Path)
		}
	}
}

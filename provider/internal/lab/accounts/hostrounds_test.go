package accounts

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// signsInAfresh asks for the password whenever it has to, by a clock that is ahead.
func signsInAfresh(ahead time.Duration) lab.SignInPage {
	return func(before provider.SignedIn, asked url.Values) provider.SignedIn {
		if before.UserID != "" && asked.Get("prompt") != "login" {
			return before
		}
		return provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(ahead)}
	}
}

func TestHostIsVisitedTwiceAtMost(t *testing.T) {
	t.Parallel()
	var signedIn provider.SignedIn
	w := lab.NewHosted(t, func() provider.SignedIn { return signedIn })
	if err := w.Clients().Save(t.Context(), provider.Client{ID: "own", Name: "Our Own", Secret: lab.ClientSecret, Dialect: provider.Standard,
		RedirectURIs: []string{lab.CallbackURI}, SkipConsent: true}); err != nil {
		t.Fatal(err)
	}
	hints := map[string]map[string]string{}
	for _, client := range []string{"std", "own"} {
		hints[client] = map[string]string{"": ""}
		for _, user := range []string{"alice", "bob"} {
			signedIn = provider.SignedIn{UserID: user, AuthTime: time.Now().Add(-time.Hour)}
			b := w.NewBrowser()
			p, _ := lab.Journey(t, b, lab.AuthorizeURL(lab.Ask("client_id", client)...), &signedIn, signsInAfresh(0))
			_, tokens := b.Token(lab.Std("client_id", client, "code", lab.Response(t, p).Get("code"))...)
			hints[client][user] = lab.Member(t, tokens, "id_token")
		}
	}
	hosts := map[string]lab.SignInPage{
		"Proper": signsInAfresh(0), "Slow": signsInAfresh(-10 * time.Second), "Fast": signsInAfresh(10 * time.Second),
		"Content": func(before provider.SignedIn, _ url.Values) provider.SignedIn { return before },
		"Another": func(provider.SignedIn, url.Values) provider.SignedIn {
			return provider.SignedIn{UserID: "mallory", AuthTime: time.Now()}
		},
		"Nobody": func(provider.SignedIn, url.Values) provider.SignedIn { return provider.SignedIn{} },
	}
	// Some of all combinations; the steps themselves are tried in every one.
	n := 0
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		t.Run(name, func(t *testing.T) {
			for _, prompt := range []string{"", "none", "login", "consent", "select_account", "create", "login consent", "login select_account", "create login", "consent select_account"} {
				for _, op := range []string{"", "signin", "signup"} {
					for _, maxAge := range []string{"", "0", "1", "3600"} {
						for _, hint := range []string{"", "alice", "bob"} {
							if n++; n%5 != 0 {
								continue
							}
							client := []string{"std", "own"}[n/5%2]
							signedIn = provider.SignedIn{}
							if n/10%3 > 0 {
								signedIn = provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(-time.Hour)}
							}
							address := lab.AuthorizeURL(lab.Ask("client_id", client, "prompt", prompt, "op", op, "max_age", maxAge, "id_token_hint", hints[client][hint])...)
							p, visits := lab.Journey(t, w.NewBrowser(), address, &signedIn, hosts[name])
							answer := lab.Response(t, p)
							if visits > 2 || (answer.Get("code") == "") == (answer.Get("error") == "") {
								t.Fatalf("%s: %d visits, %v", address, visits, answer)
							}
							proper := name == "Proper" || name == "Slow" || name == "Fast"
							if proper && prompt != "none" && hint != "bob" && answer.Get("code") == "" {
								t.Fatalf("%s: %v", address, answer)
							}
						}
					}
				}
			}
		})
	}
}

// A host of two machines that do not share their sessions answers one way here and
// another there.
func TestHostThatContradictsItselfSendsNobodyRound(t *testing.T) {
	t.Parallel()
	alice, bob, nobody := "alice", "bob", ""
	for name, c := range map[string]struct{ answers [2]string }{
		"OneAndNobody": {[2]string{alice, nobody}}, "NobodyAndOne": {[2]string{nobody, alice}},
		"OneAndAnother": {[2]string{alice, bob}}, "AnotherAndOne": {[2]string{bob, alice}},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			began := time.Now().Add(-time.Hour)
			w := lab.NewHosted(t, func() provider.SignedIn {
				return provider.SignedIn{UserID: c.answers[requests.Add(1)%2], AuthTime: began}
			})
			// Bob has allowed what alice will be asked for.
			same := c.answers
			c.answers = [2]string{bob, bob}
			w.NewBrowser().Allow(lab.Ask()...)
			c.answers = same
			for _, prompt := range []string{"", "login", "consent", "select_account"} {
				b := w.NewBrowser()
				p := b.Get(lab.AuthorizeURL(lab.Ask("prompt", prompt)...))
				for range 20 {
					location, _ := url.Parse(p.Header.Get("Location"))
					if location.Host == "host.test" {
						p = b.Get(location.Query().Get("return_to"))
					} else if location.Host == "" && location.Path != "" {
						p = b.Get(location.String())
					}
				}
				if location := p.Header.Get("Location"); p.StatusCode != http.StatusOK && !strings.HasPrefix(location, lab.CallbackURI) {
					t.Errorf("prompt=%s: after 20 redirects at %s, on its way to %.60s", prompt, p.Request.URL.Path, location)
				}
			}
		})
	}
}

func TestAccountPageSendsNobodyRound(t *testing.T) {
	t.Parallel()
	w := lab.NewHosted(t, func() provider.SignedIn { return provider.SignedIn{} })
	b := w.NewBrowser()
	location, err := url.Parse(b.Get("/account").Header.Get("Location"))
	if err != nil || location.Host != "host.test" {
		t.Fatalf("not sent to sign in: %v, %v", location, err)
	}
	returnTo := location.Query().Get("return_to")
	if !w.Pages().IsReturnTo(returnTo) {
		t.Errorf("%s is not taken for our own", returnTo)
	}
	p := b.Get(returnTo)
	lab.Shown(t, p, http.StatusOK)
	if !strings.Contains(p.Text, `href="/account"`) {
		t.Error("the page offers no way to sign in")
	}
}

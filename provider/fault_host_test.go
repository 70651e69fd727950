package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// hostUsers is a host with users of its own whose functions a test can spoil.
type hostUsers struct {
	person, signedIn atomic.Pointer[func() error]
}

func (h *hostUsers) configure(c *provider.Config) {
	spoilt := func(p *atomic.Pointer[func() error]) error {
		if f := p.Load(); f != nil {
			return (*f)()
		}
		return nil
	}
	c.Users = provider.Users{
		SignInURL: "/login",
		SignedIn: func(*http.Request) (provider.SignedIn, error) {
			return provider.SignedIn{UserID: "u-1", AuthTime: time.Now().Add(-time.Minute)}, spoilt(&h.signedIn)
		},
		Person: func(context.Context, string, []string, []string) (provider.Person, error) {
			return provider.Person{
				Attributes: map[string]any{"fname": "Ada", "email": "ada@example.com"},
				Statuses:   []provider.Status{{Group: "military", Verified: true, Subgroups: []string{"Veteran"}}},
			}, spoilt(&h.person)
		},
	}
}

// impatient serves the provider with a shorter limit on each request than its own.
func (w *fixture) impatient() *fixture {
	quick := &fixture{t: w.t, Provider: w.Provider, store: w.store, mails: w.mails, log: w.log}
	quick.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
		defer cancel()
		w.Provider.ServeHTTP(rw, r.WithContext(ctx))
	}))
	w.t.Cleanup(quick.server.Close)
	return quick
}

func TestFunctionOfTheHost(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	defer close(released)
	for name, spoil := range map[string]func() error{
		"Fails":  func() error { return errors.New("ldap: canary-of-the-host") },
		"Panics": func() error { panic("canary-of-the-host") },
		"Exits":  func() error { runtime.Goexit(); return nil },
		"Hangs":  func() error { <-released; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			host := &hostUsers{}
			w := newFixture(t, host.configure).withClients()
			b := w.newBrowser()
			tokens := b.standardTokens()
			implicit := authorizeURL("scope", "openid military", "response_type", "id_token")
			b.v3Tokens("scope", "openid military")
			code := b.allow(ask()...).Get("code")
			consent := b.open(authorizeURL(ask("prompt", "consent")...))
			impatient := w.impatient()
			hasty := impatient.newBrowser()
			hasty.http.Jar = b.http.Jar

			host.person.Store(&spoil)
			pages := map[string]page{
				"userinfo":   hasty.bearer(userinfoPath, text(t, tokens, "access_token")),
				"attributes": hasty.bearer(attributesPath, text(t, tokens, "access_token")),
			}
			pages["token"], _ = hasty.token(std("code", code)...)
			pages["refresh"], _ = hasty.refresh(text(t, tokens, "refresh_token"))
			for name, p := range pages {
				t.Run(name, func(t *testing.T) {
					refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
					if strings.Contains(p.body, "canary") {
						t.Errorf("it shows what happened: %s", p.body)
					}
				})
			}
			unavailable(t, hasty.get(consent.Request.URL.RequestURI()))
			unavailable(t, hasty.get(implicit))
			host.person.Store(nil)

			host.signedIn.Store(&spoil)
			unavailable(t, hasty.get(authorizeURL(ask()...)))
			unavailable(t, hasty.submitOnce(consent, "action", "allow"))
			host.signedIn.Store(nil)

			if p, _ := b.token(std("code", code)...); p.StatusCode != http.StatusOK {
				t.Errorf("the code afterwards: %s %s", p.Status, p.body)
			}
			if got := response(t, b.submit(consent, "action", "allow")); got.Get("code") == "" {
				t.Errorf("the consent afterwards: %v", got)
			}
			told := map[string]string{"Exits": "ended its goroutine", "Hangs": "deadline exceeded"}[name]
			if told == "" {
				told = "canary-of-the-host"
			}
			if !strings.Contains(w.log.String(), told) {
				t.Error("the log does not tell")
			}
		})
	}
}

func TestHostReturnsWhatItShouldNot(t *testing.T) {
	t.Parallel()
	answer := provider.Person{
		Attributes: map[string]any{"fname": "Ada", "ssn": "078-05-1120", "sub": "admin", "iss": "https://evil.test"},
		Statuses:   []provider.Status{{Group: "secret-group", Verified: true}},
	}
	w := newFixture(t, func(c *provider.Config) {
		(&hostUsers{}).configure(c)
		c.Users.Person = func(context.Context, string, []string, []string) (provider.Person, error) { return answer, nil }
	}).withClients()
	b := w.newBrowser()
	tokens := b.standardTokens()
	_, id := jwt(t, text(t, tokens, "id_token"))
	if id["ssn"] != nil || id["sub"] != "u-1" || id["iss"] != w.Issuer() {
		t.Errorf("claims: %v", id)
	}
	if p := b.bearer(attributesPath, text(t, tokens, "access_token")); strings.Contains(p.body, "ssn") || strings.Contains(p.body, "secret-group") {
		t.Errorf("attributes: %s", p.body)
	}
	answer.Attributes = map[string]any{"fname": 7} // a number in place of a name
	if p := b.bearer(attributesPath, text(t, tokens, "access_token")); p.StatusCode != http.StatusOK || strings.Contains(p.body, "fname") {
		t.Errorf("a value of another type: %s %s", p.Status, p.body)
	}
}

// spoiltMailer panics, hangs or fails.
type spoiltMailer func() error

func (m spoiltMailer) Send(context.Context, provider.Mail) error { return m() }

func TestMailerThatDoesNotWork(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	defer close(released)
	for name, spoil := range map[string]spoiltMailer{
		"Fails":  func() error { return errors.New("smtp: canary-of-the-mailer") },
		"Panics": func() error { panic("canary-of-the-mailer") },
		"Hangs":  func() error { <-released; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, func(c *provider.Config) { c.Mailer = spoil }).withClients().withUsers()
			b := w.impatient().newBrowser()
			for _, path := range []string{"/signup", "/reset"} {
				p := b.submitOnce(b.get(path), "email", "carol@example.com", "password", "meadow-copper-lantern-19", "given_name", "C")
				if p.StatusCode >= 500 && p.StatusCode != http.StatusServiceUnavailable || strings.Contains(p.body, "canary") {
					t.Errorf("%s: %s\n%s", path, p.Status, p.body)
				}
			}
			w.alice().standardTokens()
		})
	}
}

func TestOnEventThatDoesNotWorkDoesNoHarm(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	defer close(released)
	var spoil atomic.Pointer[func()]
	w := newFixture(t, func(c *provider.Config) {
		c.OnEvent = func(provider.Event) {
			if f := spoil.Load(); f != nil {
				(*f)()
			}
		}
	}).withClients().withUsers()
	for says, f := range map[string]func(){
		"canary-of-the-hook": func() { panic("canary-of-the-hook") }, "ended its goroutine": runtime.Goexit, "deadline exceeded": func() { <-released },
	} {
		spoil.Store(&f)
		b := w.alice()
		spoil.Store(nil)
		b.standardTokens()
		if !strings.Contains(w.log.String(), "OnEvent did not return") || !strings.Contains(w.log.String(), says) {
			t.Errorf("the log does not tell %q", says)
		}
	}
}

func TestPanicShowsNothingAndStopsNobody(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	b := w.alice()
	token := text(t, b.standardTokens(), "access_token")
	w.advance(2 * time.Second)
	store.breakBefore(func(context.Context, string) error { panic("canary-of-a-bug") })
	p := b.bearer(userinfoPath, token)
	refused(t, p, http.StatusInternalServerError, "server_error")
	q := b.get(authorizeURL())
	if q.StatusCode != http.StatusInternalServerError || q.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%s %v", q.Status, q.Header)
	}
	for _, shown := range []string{p.body, q.body} {
		if strings.Contains(shown, "canary") || strings.Contains(shown, "goroutine") || strings.Contains(shown, ".go:") {
			t.Errorf("the answer shows: %s", shown)
		}
	}
	store.down(nil)
	works(t, b, token, true)
	if !strings.Contains(w.log.String(), "canary-of-a-bug") {
		t.Error("the log does not tell")
	}
}

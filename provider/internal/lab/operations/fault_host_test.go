package operations

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
	"github.com/bonafide-id/bonafide/provider/internal/lab"
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
func impatient(w *lab.Fixture) *lab.Fixture {
	quick := &lab.Fixture{T: w.T, Provider: w.Provider, Store: w.Store, Mails: w.Mails, Log: w.Log}
	quick.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
		defer cancel()
		w.Provider.ServeHTTP(rw, r.WithContext(ctx))
	}))
	w.T.Cleanup(quick.Server.Close)
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
			w := lab.New(t, host.configure).WithClients()
			b := w.NewBrowser()
			tokens := b.StandardTokens()
			implicit := lab.AuthorizeURL("scope", "openid military", "response_type", "id_token")
			b.V3Tokens("scope", "openid military")
			code := b.Allow(lab.Ask()...).Get("code")
			consent := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "consent")...))
			impatient := impatient(w)
			hasty := impatient.NewBrowser()
			hasty.HTTP.Jar = b.HTTP.Jar

			host.person.Store(&spoil)
			pages := map[string]lab.Page{
				"userinfo":   hasty.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")),
				"attributes": hasty.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")),
			}
			pages["token"], _ = hasty.Token(lab.Std("code", code)...)
			pages["refresh"], _ = hasty.Refresh(lab.Member(t, tokens, "refresh_token"))
			for name, p := range pages {
				t.Run(name, func(t *testing.T) {
					lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
					if strings.Contains(p.Text, "canary") {
						t.Errorf("it shows what happened: %s", p.Text)
					}
				})
			}
			lab.Unavailable(t, hasty.Get(consent.Request.URL.RequestURI()))
			lab.Unavailable(t, hasty.Get(implicit))
			host.person.Store(nil)

			host.signedIn.Store(&spoil)
			lab.Unavailable(t, hasty.Get(lab.AuthorizeURL(lab.Ask()...)))
			lab.Unavailable(t, hasty.SubmitOnce(consent, "action", "allow"))
			host.signedIn.Store(nil)

			if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
				t.Errorf("the code afterwards: %s %s", p.Status, p.Text)
			}
			if got := lab.Response(t, b.Submit(consent, "action", "allow")); got.Get("code") == "" {
				t.Errorf("the consent afterwards: %v", got)
			}
			told := map[string]string{"Exits": "ended its goroutine", "Hangs": "deadline exceeded"}[name]
			if told == "" {
				told = "canary-of-the-host"
			}
			if !strings.Contains(w.Log.String(), told) {
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
	w := lab.New(t, func(c *provider.Config) {
		(&hostUsers{}).configure(c)
		c.Users.Person = func(context.Context, string, []string, []string) (provider.Person, error) { return answer, nil }
	}).WithClients()
	b := w.NewBrowser()
	tokens := b.StandardTokens()
	_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
	if id["ssn"] != nil || id["sub"] != "u-1" || id["iss"] != w.Issuer() {
		t.Errorf("claims: %v", id)
	}
	if p := b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")); strings.Contains(p.Text, "ssn") || strings.Contains(p.Text, "secret-group") {
		t.Errorf("attributes: %s", p.Text)
	}
	answer.Attributes = map[string]any{"fname": 7} // a number in place of a name
	if p := b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")); p.StatusCode != http.StatusOK || strings.Contains(p.Text, "fname") {
		t.Errorf("a value of another type: %s %s", p.Status, p.Text)
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
			w := lab.New(t, func(c *provider.Config) { c.Mailer = spoil }).WithClients().WithUsers()
			b := impatient(w).NewBrowser()
			for _, path := range []string{"/signup", "/reset"} {
				p := b.SubmitOnce(b.Get(path), "email", "carol@example.com", "password", "meadow-copper-lantern-19", "given_name", "C")
				if p.StatusCode >= 500 && p.StatusCode != http.StatusServiceUnavailable || strings.Contains(p.Text, "canary") {
					t.Errorf("%s: %s\n%s", path, p.Status, p.Text)
				}
			}
			w.Alice().StandardTokens()
		})
	}
}

func TestOnEventThatDoesNotWorkDoesNoHarm(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	defer close(released)
	var spoil atomic.Pointer[func()]
	w := lab.New(t, func(c *provider.Config) {
		c.OnEvent = func(provider.Event) {
			if f := spoil.Load(); f != nil {
				(*f)()
			}
		}
	}).WithClients().WithUsers()
	for says, f := range map[string]func(){
		"canary-of-the-hook": func() { panic("canary-of-the-hook") }, "ended its goroutine": runtime.Goexit, "deadline exceeded": func() { <-released },
	} {
		spoil.Store(&f)
		b := w.Alice()
		spoil.Store(nil)
		b.StandardTokens()
		if !strings.Contains(w.Log.String(), "OnEvent did not return") || !strings.Contains(w.Log.String(), says) {
			t.Errorf("the log does not tell %q", says)
		}
	}
}

func TestPanicShowsNothingAndStopsNobody(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w, b := lab.WithAlice(t, lab.Faulty(&store))
	token := lab.Member(t, b.StandardTokens(), "access_token")
	w.Advance(2 * time.Second)
	store.BreakBefore(func(context.Context, string) error { panic("canary-of-a-bug") })
	p := b.Bearer(lab.UserinfoPath, token)
	lab.Refused(t, p, http.StatusInternalServerError, "server_error")
	q := b.Get(lab.AuthorizeURL())
	if q.StatusCode != http.StatusInternalServerError || q.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%s %v", q.Status, q.Header)
	}
	for _, shown := range []string{p.Text, q.Text} {
		if strings.Contains(shown, "canary") || strings.Contains(shown, "goroutine") || strings.Contains(shown, ".go:") {
			t.Errorf("the answer shows: %s", shown)
		}
	}
	store.Down(nil)
	lab.Works(t, b, token, true)
	if !strings.Contains(w.Log.String(), "canary-of-a-bug") {
		t.Error("the log does not tell")
	}
}

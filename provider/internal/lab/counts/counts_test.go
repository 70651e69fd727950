//go:build cgo && !race

package counts

import (
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const (
	clientID     = "counted"
	clientSecret = "correct-horse-battery-staple-0123456789"
	redirectURI  = "https://app.example.com/callback"

	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// site is a provider as a host runs it, with a user who is signed in and has allowed
// an application before.
type site struct {
	t       testing.TB
	browser *browser
	program *browser // the application: no cookies
	passed  time.Duration
	begin   time.Time

	last tokens
}

// now stands still but for what a test lets pass.
func (s *site) now() time.Time { return s.begin.Add(s.passed) }

func newSite(t testing.TB, change ...func(*provider.Config)) *site {
	t.Helper()
	store := testkit.Must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "counted.db")))(t)
	s := &site{t: t, begin: time.Now()}
	cfg := provider.Config{
		BaseURL: "http://localhost:8080", Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"), Store: store,
		Clock: s.now, Logger: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&cfg)
	}
	p := testkit.Must(provider.New(t.Context(), cfg))(t)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	testkit.OK(t, p.Clients().Save(t.Context(), provider.Client{
		ID: clientID, Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{redirectURI},
		GrantTypes: []string{"authorization_code", "refresh_token"},
	}))
	id := testkit.Must(p.Accounts().Save(t.Context(), provider.Account{Email: "alice@example.com", EmailVerified: true, Password: "glacier-tulip-orbit-42"}))(t)
	testkit.OK(t, p.People().SetAttributes(t.Context(), id, map[string]any{"fname": "Alice", "lname": "Example", "zip": "22030"}))
	testkit.OK(t, p.People().SetStatus(t.Context(), id, provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}))
	s.browser = &browser{t, p, map[string]string{}}
	s.program = &browser{t, p, map[string]string{}}
	s.browser.signIn(authorizePath, map[string]string{"email": "alice@example.com", "password": "glacier-tulip-orbit-42", "action": "allow"})
	return s
}

var authorizePath = "/oauth/authorize?" + url.Values{
	"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid login military"},
	"state": {"af0ifjsldkj"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
}.Encode()

// flow is what one sign-in asks of a provider: authorization, token, userinfo.
func (s *site) flow(c *counter) {
	a := c.do(s.browser.request(http.MethodGet, authorizePath, ""))
	for strings.HasPrefix(a.header.Get("Location"), "/") {
		a = c.do(s.browser.request(http.MethodGet, a.header.Get("Location"), ""))
	}
	to, err := url.Parse(a.header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" {
		s.t.Fatalf("no code: %d %q\n%s", a.status, to, a.body.String())
	}
	s.token(c, url.Values{
		"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")},
		"redirect_uri": {redirectURI}, "code_verifier": {verifier},
	})
	s.userinfo(c)
}

func (s *site) token(c *counter, form url.Values) {
	r := s.program.request(http.MethodPost, "/oauth/token", form.Encode())
	r.SetBasicAuth(clientID, clientSecret)
	var err error
	if s.last, err = c.do(r).tokens(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) refresh(c *counter) {
	s.token(c, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {s.last.Refresh}})
}

func (s *site) userinfo(c *counter) {
	s.ok(c.do(s.program.request(http.MethodGet, "/api/public/v3/userinfo", "", "Authorization", "Bearer "+s.last.Access)))
}

func (s *site) introspect(c *counter) {
	r := s.program.request(http.MethodPost, "/oauth/introspect", url.Values{"token": {s.last.Access}}.Encode())
	r.SetBasicAuth(clientID, clientSecret)
	a := c.do(r)
	if s.ok(a); !strings.Contains(a.body.String(), `"active":true`) {
		s.t.Fatalf("not active: %s", a.body.String())
	}
}

func (s *site) get(path string) func(*counter) {
	return func(c *counter) { s.ok(c.do(s.program.request(http.MethodGet, path, ""))) }
}

func (s *site) ok(a *answer) {
	if a.status != http.StatusOK {
		s.t.Fatalf("%d %s", a.status, a.body.String())
	}
}

// cold is an operation of which nothing is remembered.
func (s *site) cold(operation func(*counter)) func(*counter) {
	return func(c *counter) {
		s.passed += time.Second
		operation(c)
	}
}

// operations are what is counted, by the name that it has among the figures.
func (s *site) operations() map[string]func(*counter) {
	return map[string]func(*counter){
		"flow":                s.flow,
		"flow, cold":          s.cold(s.flow),
		"refresh":             s.refresh,
		"introspection":       s.introspect,
		"introspection, cold": s.cold(s.introspect),
		"userinfo":            s.userinfo,
		"userinfo, cold":      s.cold(s.userinfo),
		"discovery":           s.get("/oidc/.well-known/openid-configuration"),
		"key set":             s.get("/oidc/.well-known/jwks"),
	}
}

func TestCounts(t *testing.T) { newSite(t).compare(t) }

// compare compares what is counted with the figures.
func (s *site) compare(t *testing.T) {
	t.Helper()
	alone(t)
	operations := s.operations()
	for _, f := range figures {
		s.flow(&counter{handler: s.program.handler}) // with fresh tokens
		got := median(s.program.handler, operations[f.name])
		t.Logf("%-22s %d, %d, %d", f.name, got.allocs, got.bytes, got.calls)
		if wrong := f.compare(got); wrong != "" {
			t.Errorf("%s takes %s", f.name, wrong)
		}
		delete(operations, f.name)
	}
	for name := range operations {
		t.Errorf("%s has no figure", name)
	}
}

// kept is where what is allocated escapes to.
var kept *[1]byte

// TestCountsNoticeOneAllocationTooMany has a handler allocate as much more as the margin
// allows, and one more than that.
func TestCountsNoticeOneAllocationTooMany(t *testing.T) {
	alone(t)
	s := newSite(t)
	operations := s.operations()
	for _, name := range []string{"refresh", "discovery"} {
		s.flow(&counter{handler: s.program.handler})
		f := figure{name, median(s.program.handler, operations[name])}
		more := int(f.allocs * margin() / 100)
		costs := func(extra int) string {
			return f.compare(median(s.program.handler, func(c *counter) {
				first := true
				c.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for range extra {
						if first {
							kept = new([1]byte)
						}
					}
					first = false
					s.program.handler.ServeHTTP(w, r)
				})
				operations[name](c)
			}))
		}
		if wrong := costs(more); wrong != "" {
			t.Errorf("%s: %d more are too many: %s", name, more, wrong)
		}
		if costs(more+1) == "" {
			t.Errorf("%s: %d more are not noticed", name, more+1)
		}
	}
}

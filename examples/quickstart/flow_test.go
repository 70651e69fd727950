package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider"
)

const (
	mariaPassword = "quiet-otter-paints-dawn"
	tessPassword  = "paper-comet-hums-softly"
)

// shared runs what `go run ./examples/quickstart` runs, on free ports, for all tests that leave its people as
// they are: whoever is asked for consent is a newcomer, or nobody else's.
var shared = sync.OnceValues(func() (*running, error) {
	folder, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		return nil, err
	}
	text, err := onFreePorts()
	if err != nil {
		return nil, err
	}
	cfg, err := parseConfig(text, folder)
	if err != nil {
		return nil, err
	}
	r, err := runUnrehearsed(context.Background(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	stop := r.stop
	r.stop = func() error { return errors.Join(stop(), os.RemoveAll(folder)) }
	return r, nil
})

func sharedQuickstart(t *testing.T) *running {
	t.Helper()
	r := must(shared())(t)
	return r
}

const newcomerPassword = "silver-canoe-drifts-far"

// newcomer makes an account of production, and returns its address.
func (r *running) newcomer(t *testing.T) (email string) {
	t.Helper()
	email = strings.ToLower(t.Name()) + "@example.com"
	must(r.providers[0].Accounts().Save(t.Context(), provider.Account{Email: email, EmailVerified: true, Password: newcomerPassword}))(t)
	return email
}

// signIn goes from the sample site to its result page.
func signIn(b *browser.Browser, site, path, email, password string) {
	b.Open(site + path)
	b.Submit("email", email, "password", password)
	b.Submit("action", "allow")
}

func TestThreeWaysToSignIn(t *testing.T) {
	s := sharedQuickstart(t)
	site := s.cfg.SampleClient.BaseURL
	for _, way := range []struct {
		name, path   string
		shows, hides []string
	}{
		{"v3 OAuth", "/start/v3-oauth?scope=military&eid=cart-42",
			[]string{"OAuth 2, as in v3", "refresh_expires_in", "604800", "military", "Veteran", "✓ verified", "cart-42", "Okafor"},
			[]string{"ID token", "Userinfo", "2001"}},
		{"v3 OpenID Connect", "/start/v3-openid?scope=identity",
			[]string{"OpenID Connect, as in v3", "ID token", "RS256", "sample-v3", "Userinfo", "A JWT in a JSON string",
				`"street1":"118 Harbor Road"`, "Comirnaty", "1990-04-02"},
			[]string{"Subgroups"}},
		{"standard", "/start/standard?scope=student",
			[]string{"OpenID Connect", "ID token", "sample-standard", "Plain JSON", "student", "University", "email_verified", "given_name", "family_name"},
			[]string{"refresh_token", "Veteran"}},
	} {
		t.Run(way.name, func(t *testing.T) {
			b := browser.New(t)
			signIn(b, site, way.path, "maria@example.com", mariaPassword)
			if b.URL.String() != site+"/result" || b.Status != http.StatusOK {
				t.Fatalf("the flow ends at %s (%d)\n%s", b.URL, b.Status, b.Body)
			}
			for _, text := range append(way.shows, "Welcome, Maria", "access_token", "bearer", "8f14e45f-ceea-467f-9575-1a2b3c4d5e6f") {
				b.Shows(text)
			}
			for _, text := range way.hides {
				b.Hides(text)
			}
			b.Open("/")
			b.Shows("You are signed in")
			b.Open("/result")
			b.Submit()
			b.Open("/result")
			if b.URL.Path != "/" {
				t.Errorf("signed out, the result is still at %s", b.URL)
			}
		})
	}
}

func TestUnverifiedStatusIsShownAsSuch(t *testing.T) {
	s := sharedQuickstart(t)
	b := browser.New(t)
	signIn(b, s.cfg.SampleClient.BaseURL, "/start/v3-oauth?scope=nurse", "noah@example.com", "copper-lantern-rides-north")
	b.Shows("✕ not verified")
	b.Hides("✓ verified")
}

func TestSandboxIsAWorldOfItsOwn(t *testing.T) {
	s := sharedQuickstart(t)
	site := s.cfg.SampleClient.BaseURL
	b := browser.New(t)
	signIn(b, site, "/start/standard?service=sandbox&scope=responder", "tess@example.com", tessPassword)
	b.Shows("Welcome, Tess")
	b.Shows("Firefighter, EMT")
	b.Shows(s.cfg.Sandbox.BaseURL + "/oidc")
	if canSignIn(t, s.cfg.BaseURL, "tess@example.com", tessPassword) {
		t.Error("a user of the sandbox can sign in to production")
	}
	if canSignIn(t, s.cfg.Sandbox.BaseURL, "maria@example.com", mariaPassword) {
		t.Error("a user of production can sign in to the sandbox")
	}
	for _, id := range keyIDs(t, s.cfg.BaseURL) {
		for _, other := range keyIDs(t, s.cfg.Sandbox.BaseURL) {
			if id == other {
				t.Errorf("production and sandbox share the key %s", id)
			}
		}
	}
}

func TestNewUserCanSignUpFromTheSampleSite(t *testing.T) {
	s := sharedQuickstart(t)
	b := browser.New(t)
	b.Open(s.cfg.SampleClient.BaseURL + "/start/v3-openid?op=signup")
	if !strings.HasSuffix(b.URL.Path, "/signup") {
		t.Fatalf("op=signup leads to %s", b.URL)
	}
	b.Submit("email", "ines@example.com", "new_password", "amber-kettle-waits-still")
	code := s.mailedCode(t)
	b.Submit("code", code)
	b.Submit("action", "allow")
	if b.URL.Path != "/result" {
		t.Fatalf("signing up ends at %s (%d)\n%s", b.URL, b.Status, b.Body)
	}
	b.Shows("ines@example.com")
	b.Shows("✕ not verified")
}

// mailedCode returns the code in the last mail that was printed.
func (r *running) mailedCode(t *testing.T) string {
	t.Helper()
	words := strings.Fields(r.out.String())
	for i := len(words) - 1; i >= 0; i-- {
		if len(words[i]) == 8 && strings.Trim(words[i], "0123456789") == "" {
			return words[i]
		}
	}
	t.Fatalf("no code was printed:\n%s", r.out)
	return ""
}

func TestRefusalIsToldInPlainWordsWithAWayBack(t *testing.T) {
	s := sharedQuickstart(t)
	site := s.cfg.SampleClient.BaseURL
	b := browser.New(t)
	b.Open(site + "/start/v3-oauth?scope=military")
	b.Submit("email", s.newcomer(t), "password", newcomerPassword)
	b.Submit("action", "deny")
	b.Shows("You have not been signed in")
	b.Shows("access_denied")
	b.Shows("/start/v3-oauth?scope=military&service=live")
	b.Open("/result")
	if b.URL.Path != "/" {
		t.Errorf("who refused is signed in at %s", b.URL)
	}
	stranger := browser.New(t)
	stranger.Open(site + "/start/standard?prompt=none")
	stranger.Shows("Nobody is signed in")
	stranger.Open(site + "/start/v3-openid?scope=pilots")
	stranger.Shows("does not know this scope")
}

func TestSigningOutEverywhereEndsTheSessionAtTheProvider(t *testing.T) {
	s := sharedQuickstart(t)
	site := s.cfg.SampleClient.BaseURL
	b := browser.New(t)
	signIn(b, site, "/start/v3-openid", s.newcomer(t), newcomerPassword)
	b.Submit("everywhere", "yes")
	if b.URL.String() != site+"/" {
		t.Fatalf("signing out ends at %s (%d)", b.URL, b.Status)
	}
	b.Open(site + "/start/v3-openid?prompt=none")
	b.Shows("Nobody is signed in")
}

func TestPopupHandsOverToThePageBehindIt(t *testing.T) {
	s := sharedQuickstart(t)
	b := browser.New(t)
	signIn(b, s.cfg.SampleClient.BaseURL, "/start/v3-openid?display=popup", s.newcomer(t), newcomerPassword)
	if b.URL.Path != "/callback" {
		t.Fatalf("the popup ends at %s", b.URL)
	}
	b.Shows(`src="` + s.cfg.BaseURL + `/widget/callback.js" data-next="/result"`)
}

// begun is a flow that a browser has begun at the sample site.
type begun struct {
	t     *testing.T
	site  string
	http  *http.Client
	query url.Values // the authorization request
}

func beginFlow(t *testing.T, s *running) begun {
	t.Helper()
	jar := must(cookiejar.New(nil))(t)
	b := begun{t: t, site: s.cfg.SampleClient.BaseURL, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	response, _ := b.get("/start/standard")
	location := must(response.Location())(t)
	b.query = location.Query()
	return b
}

func (b begun) get(path string) (response *http.Response, body string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.site+path, nil)
	ok(b.t, err)
	response, err = b.http.Do(r)
	ok(b.t, err)
	defer func() { _ = response.Body.Close() }()
	text := must(io.ReadAll(response.Body))(b.t)
	return response, string(text)
}

// answer sends the browser to the redirect URI and returns where it goes from there,
// or "" when it stays.
func (b begun) answer(pairs ...string) string {
	b.t.Helper()
	q := url.Values{"code": {"made-up"}}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	response, _ := b.get("/callback?" + q.Encode())
	return response.Header.Get("Location")
}

func TestRequestCarriesStateNonceAndPKCE(t *testing.T) {
	s := sharedQuickstart(t)
	a, b := beginFlow(t, s).query, beginFlow(t, s).query
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(a.Get(name)) < 22 || a.Get(name) == b.Get(name) {
			t.Errorf("%s is %q, then %q", name, a.Get(name), b.Get(name))
		}
	}
	if got := a.Get("code_challenge_method"); got != "S256" {
		t.Errorf("code_challenge_method is %q", got)
	}
}

func TestAnswerThatNobodyAskedForIsRefused(t *testing.T) {
	s := sharedQuickstart(t)
	issuer := s.cfg.BaseURL + "/oidc"
	mine, theirs := beginFlow(t, s), beginFlow(t, s)
	if to := mine.answer("iss", issuer); to != "" {
		t.Errorf("an answer without state leads to %s", to)
	}
	if to := mine.answer("iss", issuer, "state", theirs.query.Get("state")); to != "" {
		t.Errorf("an answer to another browser leads to %s", to)
	}
	if to := mine.answer("iss", issuer, "state", mine.query.Get("state")); to != "/problem" {
		t.Errorf("a made-up code leads to %q", to)
	}
	if to := mine.answer("iss", issuer, "state", mine.query.Get("state")); to != "" {
		t.Errorf("the same state a second time leads to %s", to)
	}
}

func TestAnswerOfAnotherIssuerIsThrownAway(t *testing.T) {
	s := sharedQuickstart(t)
	for _, iss := range []string{"", "https://evil.test/oidc", s.cfg.Sandbox.BaseURL + "/oidc"} {
		b := beginFlow(t, s)
		if to := b.answer("iss", iss, "state", b.query.Get("state")); to != "/problem" {
			t.Errorf("iss=%s leads to %q", iss, to)
		}
		if _, body := b.get("/problem"); !strings.Contains(body, "Another service answered") {
			t.Errorf("iss=%s is told as:\n%s", iss, body)
		}
	}
}

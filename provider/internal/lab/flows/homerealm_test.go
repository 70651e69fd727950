package flows

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// campusPath is where a campus says that its people sign in.
const campusPath = "https://login.uni.example/authorize"

// campus is an upstream provider that is asked for people, and lets nobody in but whom it knows.
type campus struct {
	knows  upstream.Identity
	mu     sync.Mutex
	asked  []upstream.Request
	broken bool
}

func (c *campus) Start(_ context.Context, r upstream.Request) (string, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return "", nil, upstream.ErrUnavailable
	}
	c.asked = append(c.asked, r)
	return campusPath + "?" + url.Values{"state": {r.State}}.Encode(), nil, nil
}

func (c *campus) Finish(context.Context, upstream.Callback) (upstream.Identity, error) {
	if c.knows.Subject != "" {
		return c.knows, nil
	}
	return upstream.Identity{}, upstream.ErrDenied
}

// hints are those of the last request, and the state.
func (c *campus) hints() (email, domain, state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.asked[len(c.asked)-1]
	return last.LoginHint, last.DomainHint, last.State
}

func newCampus(t *testing.T, change ...func(*provider.Config)) (*lab.Fixture, *campus) {
	t.Helper()
	c := &campus{}
	w := lab.New(t, append([]func(*provider.Config){func(cfg *provider.Config) {
		cfg.Upstreams = []provider.Upstream{
			{ID: "campus", Title: "State University", Connector: c, Domains: []string{"uni.example"}},
			{ID: "staff", Title: "Staff", Connector: c, Domains: []string{"staff.example"}, Clients: []string{"std"}},
		}
	}}, change...)...).WithClients()
	for _, a := range []provider.Account{
		{ID: "ada", Email: "ada@uni.example", EmailVerified: true, Password: lab.AlicePass},
		{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.AlicePass},
	} {
		w.AddAccount(a)
	}
	return w, c
}

// sentTo reports whether an answer sends the browser to the campus.
func sentTo(p lab.Page) bool { return strings.HasPrefix(p.Header.Get("Location"), campusPath) }

func TestHomeRealm(t *testing.T) {
	t.Parallel()
	w, c := newCampus(t)

	t.Run("AnAddressIsSentHome", func(t *testing.T) {
		for name, form := range map[string][]string{
			"WithoutPassword":     {"email", "ada@uni.example"},
			"ByTheButton":         {"email", "ada@uni.example", "action", "home"},
			"WhateverIsTyped":     {"email", "ada@uni.example", "action", "home", "password", "x"},
			"OfNobody":            {"email", "nobody@uni.example"},
			"InAnyCase":           {"email", "Ada@UNI.example"},
			"AsAPasswordIsMissed": {"email", "ada@uni.example", "password", ""},
		} {
			b := w.NewBrowser()
			p := b.SubmitOnce(b.Open("/signin"), form...)
			email, domain, _ := c.hints()
			if !sentTo(p) || email != form[1] || domain != "uni.example" {
				t.Errorf("%s: %s to %q with %q and %q", name, p.Status, p.Header.Get("Location"), email, domain)
			}
		}
	})

	t.Run("OthersStayHere", func(t *testing.T) {
		for name, c := range map[string]struct {
			form []string
			want int
			said string
		}{
			"PasswordMissing":      {[]string{"email", "alice@example.com"}, http.StatusUnprocessableEntity, "Enter your password"},
			"NoHome":               {[]string{"email", "alice@example.com", "action", "home"}, http.StatusUnprocessableEntity, "No school or workplace"},
			"NoAddress":            {[]string{"action", "home"}, http.StatusUnprocessableEntity, "Enter your email address"},
			"Subdomain":            {[]string{"email", "ada@students.uni.example", "action", "home"}, http.StatusUnprocessableEntity, "No school or workplace"},
			"AnotherBehindTheHome": {[]string{"email", "ada@uni.example@evil.example", "action", "home"}, http.StatusUnprocessableEntity, "No school or workplace"},
			"WrongPassword":        {[]string{"email", "ada@uni.example", "password", "not-hers-at-all"}, http.StatusUnauthorized, "Wrong email address or password"},
		} {
			b := w.NewBrowser()
			p := b.SubmitOnce(b.Open("/signin"), c.form...)
			if p.StatusCode != c.want || sentTo(p) || !strings.Contains(p.Text, c.said) {
				t.Errorf("%s: %s to %q", name, p.Status, p.Header.Get("Location"))
			}
		}
	})

	t.Run("APasswordSignsInAsBefore", func(t *testing.T) {
		b := w.NewBrowser()
		if p := b.Attempt("ada@uni.example", lab.AlicePass); sentTo(p) || !b.IsSignedIn() {
			t.Errorf("%s to %q", p.Status, p.Header.Get("Location"))
		}
	})

	t.Run("AnApplicationOfItsOwn", func(t *testing.T) {
		for client, want := range map[string]bool{"std": true, "std2": false} {
			ask := lab.Ask("client_id", client)
			if client == "std2" {
				ask = lab.Ask("client_id", client, "redirect_uri", "https://other.test/cb")
			}
			b := w.NewBrowser()
			p := b.SubmitOnce(b.Open(lab.AuthorizeURL(ask...)), "email", "ada@staff.example", "action", "home")
			if sentTo(p) != want {
				t.Errorf("%s: %s to %q", client, p.Status, p.Header.Get("Location"))
			}
		}
	})
}

// TestHomeRealmFollowsHints: an application that knows its users spares them the screen.
func TestHomeRealmFollowsHints(t *testing.T) {
	t.Parallel()
	w, c := newCampus(t)
	for name, hint := range map[string]struct {
		ask           []string
		want          bool
		email, domain string
	}{
		"Domain":                 {[]string{"domain_hint", "uni.example"}, true, "", "uni.example"},
		"DomainInCapitals":       {[]string{"domain_hint", "UNI.Example"}, true, "", "UNI.Example"},
		"Address":                {[]string{"login_hint", "ada@uni.example"}, true, "ada@uni.example", "uni.example"},
		"Nobody":                 {[]string{"login_hint", "nobody@uni.example"}, true, "nobody@uni.example", "uni.example"},
		"DomainBeforeAddress":    {[]string{"domain_hint", "uni.example", "login_hint", "alice@example.com"}, true, "alice@example.com", "uni.example"},
		"UnknownDomain":          {[]string{"domain_hint", "evil.example"}, false, "", ""},
		"UnknownDomainOfAda":     {[]string{"domain_hint", "evil.example", "login_hint", "ada@uni.example"}, true, "ada@uni.example", "uni.example"},
		"Address no domain":      {[]string{"domain_hint", "ada@uni.example"}, false, "", ""},
		"Script":                 {[]string{"domain_hint", `"><script>alert(1)</script>`}, false, "", ""},
		"OfAnotherApplication":   {[]string{"domain_hint", "staff.example", "client_id", "std2", "redirect_uri", "https://other.test/cb"}, false, "", ""},
		"SignUp":                 {[]string{"domain_hint", "uni.example", "prompt", "create"}, false, "", ""},
		"Address of no upstream": {[]string{"login_hint", "alice@example.com"}, false, "", ""},
	} {
		b := w.NewBrowser()
		p := b.Open(lab.AuthorizeURL(lab.Ask(hint.ask...)...))
		if sentTo(p) != hint.want {
			t.Errorf("%s: %s to %q", name, p.Status, p.Header.Get("Location"))
			continue
		}
		if !hint.want {
			if strings.Contains(p.Text, "<script>alert") {
				t.Errorf("%s is markup on the page", name)
			}
			continue
		}
		email, domain, state := c.hints()
		if diff := cmp.Diff([]string{hint.email, hint.domain}, []string{email, domain}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		// Whoever comes back without having signed in finds the screen, and not the campus again.
		p = b.Open("/signin/with/campus/callback?" + url.Values{"state": {state}, "error": {"access_denied"}}.Encode())
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "name=\"password\"") {
			t.Errorf("%s: back from there, %s to %q", name, p.Status, p.Header.Get("Location"))
		}
	}
}

// TestHomeRealmIsNoCondition: with an upstream that is away its people get the screen, once.
func TestHomeRealmIsNoCondition(t *testing.T) {
	t.Parallel()
	w, c := newCampus(t)
	c.broken = true
	p := w.NewBrowser().Open(lab.AuthorizeURL(lab.Ask("domain_hint", "uni.example")...))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "isn’t answering") {
		t.Errorf("%s to %q\n%s", p.Status, p.Header.Get("Location"), p.Text)
	}
}

// TestHomeRealmLeadsInNoCircle: who connects an account that is elsewhere to one here signs in
// here, and is not sent to where they have come from.
func TestHomeRealmLeadsInNoCircle(t *testing.T) {
	t.Parallel()
	w, c := newCampus(t)
	c.knows = upstream.Identity{Issuer: "https://login.uni.example", Subject: "1", Email: "ada@uni.example", EmailVerified: true}
	b := w.NewBrowser()
	if p := b.SubmitOnce(b.Open("/signin"), "email", "ada@uni.example"); !sentTo(p) {
		t.Fatalf("%s to %q", p.Status, p.Header.Get("Location"))
	}
	_, _, state := c.hints()
	p := b.Open("/signin/with/campus/callback?" + url.Values{"state": {state}, "code": {"c"}}.Encode())
	link := connectLink.FindStringSubmatch(p.Text)
	if link == nil {
		t.Fatalf("nothing leads on from %s\n%s", p.Request.URL.Path, p.Text)
	}
	p = b.Open(html.UnescapeString(link[1]))
	if strings.Contains(p.Text, `value="home"`) {
		t.Error("the sign-in that connects sends addresses home")
	}
	for _, action := range []string{"", "home"} {
		if p := b.SubmitOnce(p, "email", "ada@uni.example", "action", action); sentTo(p) || p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%q: %s to %q", action, p.Status, p.Header.Get("Location"))
		}
	}
	p = b.Submit(p, "email", "ada@uni.example", "password", lab.AlicePass)
	if !b.IsSignedIn() || !w.Saw(event.LinkAdded) {
		t.Errorf("%s at %s", p.Status, p.Request.URL.Path)
	}
}

// connectLink leads from the page that offers to connect an account to the sign-in.
var connectLink = regexp.MustCompile(`class="button primary" href="([^"]*)"`)

// TestHomeRealmSaysNothingOfAccounts: for whoever types addresses, one that an account has and
// one that nobody has are the same, and no account is looked for.
func TestHomeRealmSaysNothingOfAccounts(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w, _ := newCampus(t, lab.Faulty(&store))
	store.BreakBefore(func(_ context.Context, method string) error {
		if strings.Contains(method, "Account") || strings.Contains(method, "Link") || strings.Contains(method, "Authenticators") || method == "AllowAttempt" {
			return errors.New("somebody has looked for an account")
		}
		return nil
	})
	answer := func(email, action string) []string {
		b := w.NewBrowser()
		p := b.SubmitOnce(b.Open("/signin"), "email", email, "action", action)
		to, _, _ := strings.Cut(p.Header.Get("Location"), "?")
		return []string{p.Status, to, strings.ReplaceAll(hidden.ReplaceAllString(p.Text, ""), email, "")}
	}
	for _, c := range [][3]string{
		{"ada@uni.example", "eve@uni.example", ""}, {"ada@uni.example", "eve@uni.example", "home"},
		{"alice@example.com", "nobodyx@example.com", ""}, {"alice@example.com", "nobodyx@example.com", "home"},
	} {
		known, unknown := answer(c[0], c[2]), answer(c[1], c[2])
		if diff := cmp.Diff(known, unknown); diff != "" {
			t.Errorf("%s and %s differ (-known +unknown):\n%s", c[0], c[1], diff)
		}
		if strings.HasPrefix(known[0], "5") {
			t.Errorf("%s: %s", c[0], known[0])
		}
	}
}

// hidden are the fields that are another in each page.
var hidden = regexp.MustCompile(`<input type="hidden"[^>]*>`)

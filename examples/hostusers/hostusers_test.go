package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const (
	adaPassword  = "violet-anchor-sings-low"
	clientSecret = "rUq3-Zt7wYkP0sVx9LmB2nHdGf5CjEa8"
)

// club is the example behind real HTTP, with an application that is a client of it.
type club struct {
	t        *testing.T
	base     string
	members  *members
	oauth2   oauth2.Config
	verifier *oidc.IDTokenVerifier
	provider *oidc.Provider

	// answer is what the application received at its redirect URI.
	answer url.Values
}

func TestMain(m *testing.M) {
	providertest.Cheapen()
	os.Exit(m.Run())
}

// ok ends the test where there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newClub(t *testing.T) *club {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	c := &club{t: t, base: server.URL}
	var err error
	c.members, err = newMembers(member{
		ID: "m-1007", Email: "ada@example.com", FirstName: "Ada", LastName: "Bergström", Level: "Gold",
	}, adaPassword)
	ok(t, err)
	s := newSite(c.members, server.URL)
	handler = s
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "identity.db"))
	ok(t, err)
	p, err := newIdentity(t.Context(), server.URL, []byte("n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU"), store, s)
	ok(t, err)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	c.registerApplication(p)
	return c
}

// registerApplication starts an application and registers it.
func (c *club) registerApplication(p *provider.Provider) {
	c.t.Helper()
	application := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { c.answer = r.URL.Query() }))
	c.t.Cleanup(application.Close)
	err := p.Clients().Save(c.t.Context(), provider.Client{
		ID: "hut", Name: "Mountain Hut", Secret: clientSecret, Dialect: provider.Standard,
		RedirectURIs: []string{application.URL + "/callback"}, PostLogoutRedirectURIs: []string{application.URL + "/bye"},
	})
	ok(c.t, err)
	c.provider, err = oidc.NewProvider(c.t.Context(), p.Issuer())
	ok(c.t, err)
	c.verifier = c.provider.Verifier(&oidc.Config{ClientID: "hut"})
	c.oauth2 = oauth2.Config{
		ClientID: "hut", ClientSecret: clientSecret, Endpoint: c.provider.Endpoint(),
		RedirectURL: application.URL + "/callback", Scopes: []string{oidc.ScopeOpenID, "membership"},
	}
}

// authorizeURL returns where the application sends a browser.
func (c *club) authorizeURL(verifier string, options ...oauth2.AuthCodeOption) string {
	return c.oauth2.AuthCodeURL("state-1", append(options, oidc.Nonce("nonce-1"), oauth2.S256ChallengeOption(verifier))...)
}

// redeem exchanges the code that the application has received.
func (c *club) redeem(verifier string) (*oauth2.Token, *oidc.IDToken) {
	c.t.Helper()
	if c.answer.Get("code") == "" || c.answer.Get("state") != "state-1" {
		c.t.Fatalf("the application received %v", c.answer)
	}
	token, err := c.oauth2.Exchange(c.t.Context(), c.answer.Get("code"), oauth2.VerifierOption(verifier))
	ok(c.t, err)
	raw, _ := token.Extra("id_token").(string)
	id, err := c.verifier.Verify(c.t.Context(), raw)
	ok(c.t, err)
	if id.Nonce != "nonce-1" {
		c.t.Fatalf("nonce is %q", id.Nonce)
	}
	return token, id
}

// status asks userinfo for the status claim.
func (c *club) status(token *oauth2.Token) []any {
	c.t.Helper()
	info, err := c.provider.UserInfo(c.t.Context(), oauth2.StaticTokenSource(token))
	ok(c.t, err)
	var claims struct{ Status []any }
	ok(c.t, info.Claims(&claims))
	return claims.Status
}

func TestHostSignsItsOwnMembersIn(t *testing.T) {
	c, b := newClub(t), browser.New(t)
	verifier := oauth2.GenerateVerifier()

	b.Open(c.authorizeURL(verifier, oauth2.SetAuthURLParam("login_hint", "ada@example.com")))
	if b.URL.Path != "/login" {
		t.Fatalf("a browser without a session is at %s, not at the host's sign-in page", b.URL)
	}
	b.Shows(`value="ada@example.com"`)
	b.Submit("password", "not hers")
	b.Shows("not right")
	b.Submit("password", adaPassword)
	b.Shows("Mountain Hut")
	b.Shows("Ada Bergström")
	b.Submit("action", "allow")

	_, id := c.redeem(verifier)
	if id.Subject != "m-1007" {
		t.Errorf("subject is %q", id.Subject)
	}
	var claims map[string]any
	ok(t, id.Claims(&claims))
	got := map[string]any{}
	for _, name := range []string{"uuid", "email", "fname", "lname", "amr", "status"} {
		got[name] = claims[name]
	}
	want := map[string]any{
		"uuid": "m-1007", "email": "ada@example.com", "fname": "Ada", "lname": "Bergström", "amr": []any{"pwd"},
		"status": []any{map[string]any{"group": "club", "subgroups": []any{"Gold"}, "verified": true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

func TestStatusThatTheHostRevokesIsGoneFromTheNextAnswer(t *testing.T) {
	c, b := newClub(t), browser.New(t)
	verifier := oauth2.GenerateVerifier()
	b.Open(c.authorizeURL(verifier))
	b.Submit("email", "ada@example.com", "password", adaPassword)
	b.Submit("action", "allow")
	token, _ := c.redeem(verifier)

	member := []any{map[string]any{"group": "club", "subgroups": []any{"Gold"}, "verified": true}}
	if diff := cmp.Diff(member, c.status(token)); diff != "" {
		t.Fatalf("status of a member (-want +got):\n%s", diff)
	}
	b.Open(c.base + "/")
	b.Submit("level", "")
	b.Shows("ended")
	former := []any{map[string]any{"group": "club", "subgroups": []any{}, "verified": false}}
	if diff := cmp.Diff(former, c.status(token)); diff != "" {
		t.Errorf("status of a former member, with the same token (-want +got):\n%s", diff)
	}
}

func TestMemberWhoLeavesIsUnknownToTheNextAnswer(t *testing.T) {
	c, b := newClub(t), browser.New(t)
	verifier := oauth2.GenerateVerifier()
	b.Open(c.authorizeURL(verifier))
	b.Submit("email", "ada@example.com", "password", adaPassword)
	b.Submit("action", "allow")
	token, _ := c.redeem(verifier)

	c.members.mu.Lock()
	delete(c.members.byID, "m-1007")
	c.members.mu.Unlock()
	if _, err := c.provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token)); err == nil {
		t.Error("userinfo still answers")
	}
}

func TestPromptLoginMakesTheHostAskAgain(t *testing.T) {
	c, b := newClub(t), browser.New(t)
	verifier := oauth2.GenerateVerifier()
	b.Open(c.authorizeURL(verifier))
	b.Submit("email", "ada@example.com", "password", adaPassword)
	b.Submit("action", "allow")
	_, first := c.redeem(verifier)

	// With the session alone the application is answered at once.
	c.answer = nil
	b.Open(c.authorizeURL(verifier))
	c.redeem(verifier)

	c.answer = nil
	asked := time.Now().Truncate(time.Second)
	b.Open(c.authorizeURL(verifier, oauth2.SetAuthURLParam("prompt", "login")))
	if b.URL.Path != "/login" || c.answer != nil {
		t.Fatalf("the host did not ask again: the browser is at %s", b.URL)
	}
	b.Shows("once more")
	// Going back to the provider without signing in leads to the same page.
	b.Open(b.URL.Query().Get("return_to"))
	if b.URL.Path != "/login" || c.answer != nil {
		t.Fatalf("the sign-in page can be skipped: the browser is at %s", b.URL)
	}
	b.Submit("email", "ada@example.com", "password", adaPassword)
	_, again := c.redeem(verifier)
	if when := authTime(t, again); when.Before(asked) || when.Before(authTime(t, first)) {
		t.Errorf("auth_time is %v, the request came at %v", when, asked)
	}
}

func TestSignOutOfAnApplicationEndsAtTheApplication(t *testing.T) {
	c, b := newClub(t), browser.New(t)
	b.Open(c.base + "/login")
	b.Submit("email", "ada@example.com", "password", adaPassword)

	application, _ := url.Parse(c.oauth2.RedirectURL)
	application.Path = "/bye"
	ask := url.Values{"client_id": {"hut"}, "post_logout_redirect_uri": {application.String()}, "state": {"state-2"}}
	b.Open(c.base + "/id/signout?" + ask.Encode())
	b.Submit()
	if b.URL.Path != "/logout" {
		t.Fatalf("the browser is at %s, not at the host's sign-out page", b.URL)
	}
	b.Submit()
	if b.URL.Path != "/bye" || c.answer.Get("state") != "state-2" {
		t.Errorf("the browser is at %s, the application received %v", b.URL, c.answer)
	}
	b.Open(c.base + "/")
	if b.URL.Path != "/login" {
		t.Error("still signed in")
	}
}

func authTime(t *testing.T, id *oidc.IDToken) time.Time {
	t.Helper()
	var claims struct {
		AuthTime json.Number `json:"auth_time"`
	}
	ok(t, id.Claims(&claims))
	seconds, err := claims.AuthTime.Int64()
	ok(t, err)
	return time.Unix(seconds, 0)
}

func TestSignInPageIsNoOpenRedirect(t *testing.T) {
	c := newClub(t)
	for _, returnTo := range []string{
		"https://evil.test/", "//evil.test", c.base + "/id/oauth/authorize?flow=made-up", c.base + "/id/../logout",
	} {
		b := browser.New(t)
		b.Open(c.base + "/login?" + url.Values{"return_to": {returnTo}}.Encode())
		b.Submit("email", "ada@example.com", "password", adaPassword)
		if got := b.URL.String(); got != c.base+"/" {
			t.Errorf("return_to %s leads to %s", returnTo, got)
		}
	}
}

func TestOtherSitesCannotPostTheFormsOfTheHost(t *testing.T) {
	c := newClub(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/membership", nil)
	ok(t, err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultClient.Do(r)
	ok(t, err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("status is %s", response.Status)
	}
}

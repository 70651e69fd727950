package flows

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// offered returns the scope values of a page on which one is to be picked.
func offered(t testing.TB, p lab.Page) []string {
	t.Helper()
	if p.StatusCode != http.StatusOK || p.Request.URL.Path != "/oauth/select-scope" {
		t.Fatalf("nothing to pick: %s %s %q\n%s", p.Status, p.Request.URL, p.Header.Get("Location"), p.Text)
	}
	lab.Safe(t, p)
	var values []string
	for _, part := range strings.Split(p.Text, `name="scope" value="`)[1:] {
		value, _, _ := strings.Cut(part, `"`)
		values = append(values, value)
	}
	return values
}

func TestSeveralScopesLetTheUserPickOne(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "few", Dialect: provider.V3, Name: "Few Groups", Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid", "student", "military"}}))
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "one", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid", "military"}}))

	t.Run("ExactlyOneIsGranted", func(t *testing.T) {
		for scope, granted := range map[string]string{
			"military student": "military", "military,student": "military", "student, military": "military",
			"openid military,student": "openid military", "military openid student": "military openid", "openid,student,military": "openid military",
		} {
			b := w.Alice()
			p := b.Open(lab.AuthorizeURL("scope", scope))
			if got := offered(t, p); len(got) != 2 || !slices.Contains(got, "military") || !slices.Contains(got, "student") {
				t.Fatalf("%q offers %q", scope, got)
			}
			if !strings.Contains(p.Text, "Veterans Shop") || !strings.Contains(p.Text, "Military status") || !strings.Contains(p.Text, "Postal code, Military") {
				t.Errorf("the page says neither who asks nor for what:\n%s", p.Text)
			}
			p = b.Submit(p, "scope", "military")
			if p.StatusCode == http.StatusOK { // not when it has been allowed before
				if strings.Contains(p.Text, "student status") || !strings.Contains(p.Text, "military status") {
					t.Errorf("another scope is to be allowed:\n%s", p.Text)
				}
				p = b.Submit(p, "action", "allow")
			}
			_, tokens := b.Token("code", lab.Response(t, p).Get("code"))
			if tokens["scope"] != granted {
				t.Errorf("%q is granted as %q, want %q", scope, tokens["scope"], granted)
			}
			_, attributes := b.JSON(b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")))
			if status := attributes["status"].([]any); len(status) != 1 {
				t.Errorf("%q releases %v", scope, status)
			}
		}
	})
	t.Run("OpenIDAloneOffersWhatIsRegistered", func(t *testing.T) {
		b := w.Alice()
		if got := offered(t, b.Open(lab.AuthorizeURL("scope", "openid", "client_id", "few"))); !slices.Equal(got, []string{"student", "military"}) {
			t.Errorf("offers %q", got)
		}
		if got := offered(t, b.Open(lab.AuthorizeURL("scope", "openid"))); !slices.Contains(got, "identity") || slices.Contains(got, "openid") || slices.Contains(got, "offline_access") {
			t.Errorf("without a registration it offers %q", got)
		}
		_, tokens := b.Token("client_id", "one", "code", b.Allow("scope", "openid", "client_id", "one").Get("code"))
		if tokens["scope"] != "openid military" {
			t.Errorf("the only one is granted as %v", tokens)
		}
	})
	t.Run("TheStartPageIsTheSame", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		address := strings.Replace(strings.Replace(lab.AuthorizeURL("scope", "military,student"), "/oauth/authorize", "/groups", 1), "scope=", "scopes=", 1)
		b := w.Alice()
		p := b.Submit(b.Open(address), "scope", "military")
		if answer := lab.Response(t, b.Submit(p, "action", "allow")); answer.Get("code") == "" || answer.Get("state") != "xyz" {
			t.Errorf("answered %v", answer)
		}
	})
	t.Run("ComesBeforeTheSignIn", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser()
		p := b.Submit(b.Open(lab.AuthorizeURL("scope", "military student")), "scope", "military")
		p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
		if answer := lab.Response(t, b.Submit(p, "action", "allow")); answer.Get("code") == "" {
			t.Errorf("answered %v", answer)
		}
	})
	t.Run("WhoGoesBackPicksAnother", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		choice := b.Open(lab.AuthorizeURL("scope", "openid military student"))
		if p := b.Submit(choice, "scope", "military"); !strings.Contains(p.Text, "military status") {
			t.Fatalf("no consent screen:\n%s", p.Text)
		}
		p := b.Submit(choice, "scope", "student")
		if !strings.Contains(p.Text, "student status") || strings.Contains(p.Text, "military status") {
			t.Fatalf("not the other:\n%s", p.Text)
		}
		_, tokens := b.Token("code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))
		if tokens["scope"] != "openid student" {
			t.Errorf("granted %v", tokens["scope"])
		}
		// The request has had its answer.
		if p := b.Submit(choice, "scope", "military"); p.Header.Get("Location") != "" {
			p = b.Submit(p, "action", "allow")
			if strings.HasPrefix(p.Header.Get("Location"), lab.CallbackURI) {
				t.Errorf("answered twice: %s", p.Header.Get("Location"))
			}
		}
	})
	t.Run("NoneIsARefusal", func(t *testing.T) {
		b := w.NewBrowser()
		lab.Told(t, w, b.Submit(b.Open(lab.AuthorizeURL("scope", "military student")), "action", "deny"), "access_denied")
	})
	t.Run("SilentlyNothingIsPicked", func(t *testing.T) {
		for _, b := range []*lab.Browser{w.Alice(), w.NewBrowser()} {
			lab.Told(t, w, b.Open(lab.AuthorizeURL("scope", "military student", "prompt", "none")), "interaction_required")
			lab.Told(t, w, b.Open(lab.AuthorizeURL("scope", "openid", "prompt", "none")), "interaction_required")
		}
	})
	t.Run("WhatMayNotBeAskedForIsNotOffered", func(t *testing.T) {
		b := w.Alice()
		for client, scopes := range map[string][]string{
			"few": {"military identity", "military,identity", "openid military nosuch", "military,"},
			"v3":  {"military nosuch", "military,nosuch", "openid,nosuch", "military\u00a0student", "military student,identity\tteacher", ""},
		} {
			for _, scope := range scopes {
				p := b.Open(lab.AuthorizeURL("scope", scope, "client_id", client))
				if scope == "military," { // a separator at the end separates nothing
					if p.StatusCode != http.StatusOK || p.Request.URL.Path != "/oauth/consent" {
						t.Errorf("%q: %s %s", scope, p.Status, p.Request.URL)
					}
					continue
				}
				if got := p.Header.Get("Location"); !strings.Contains(got, "error=invalid_") {
					t.Errorf("%s asks for %q: %s %q", client, scope, p.Status, got)
				}
			}
		}
	})
	t.Run("TheStandardDialectTakesNoCommasAndOffersNothing", func(t *testing.T) {
		b := w.Alice()
		_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "openid military student")...).Get("code"))...)
		if tokens["scope"] != "openid military student" {
			t.Errorf("granted %v", tokens["scope"])
		}
		if p := b.Open(lab.AuthorizeURL(lab.Ask("scope", "military,student")...)); !strings.Contains(p.Header.Get("Location"), "error=invalid_scope") {
			t.Errorf("a comma: %s %q", p.Status, p.Header.Get("Location"))
		}
	})
}

// What is posted was offered to this browser by the sealed request, or it is worth nothing.
func TestPickedScopeCannotBeForged(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	choice := b.Open(lab.AuthorizeURL("scope", "openid military student"))
	for _, scope := range []string{
		"identity", "openid", "offline_access", "", "military student", "military,student", "MILITARY", "nosuch", "military ", "student\x00", "student&scope=identity",
	} {
		p := b.Submit(choice, "scope", scope)
		lab.Shown(t, p, http.StatusBadRequest)
	}
	t.Run("Twice", func(t *testing.T) {
		action, fields := choice.Form(t)
		fields["scope"] = []string{"military", "identity"}
		lab.Shown(t, b.Post(action, fields), http.StatusBadRequest)
	})
	t.Run("InTheAddress", func(t *testing.T) {
		p := b.Get(choice.Request.URL.String() + "&scope=identity")
		if got := offered(t, p); slices.Contains(got, "identity") {
			t.Errorf("offers %q", got)
		}
		_, fields := choice.Form(t)
		p = b.Open("/oauth/authorize?scope=identity&picked=identity&flow=" + url.QueryEscape(fields.Get("flow")))
		offered(t, p)
	})
	t.Run("ByAnotherSite", func(t *testing.T) {
		action, fields := choice.Form(t)
		fields.Set("scope", "military")
		p := b.Send(http.MethodPost, action, fields.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site")
		lab.Shown(t, p, http.StatusForbidden)
		fields.Del("csrf")
		lab.Shown(t, b.Post(action, fields), http.StatusForbidden)
	})
	t.Run("InAnotherBrowser", func(t *testing.T) {
		other := w.NewBrowser()
		lab.Shown(t, other.Get(choice.Request.URL.String()), http.StatusBadRequest)
		action, fields := choice.Form(t)
		fields.Set("scope", "military")
		if p := other.Post(action, fields); p.StatusCode != http.StatusForbidden && p.StatusCode != http.StatusBadRequest {
			t.Errorf("answered %s %q", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("AfterItWasTakenFromTheApplication", func(t *testing.T) {
		c := provider.Client{ID: "less", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid", "military", "student", "teacher"}}
		w.OK(w.Clients().Save(t.Context(), c))
		begun := b.Open(lab.AuthorizeURL("scope", "openid", "client_id", "less"))
		consent := b.Submit(begun, "scope", "student")
		c.Scopes = []string{"openid", "military", "teacher"}
		w.OK(w.Clients().Save(t.Context(), c))
		w.Advance(2e9)
		lab.Shown(t, b.Submit(begun, "scope", "student"), http.StatusBadRequest)
		if got := offered(t, b.Submit(consent, "action", "allow")); slices.Contains(got, "student") {
			t.Errorf("offers %q", got)
		}
	})
}

// A scope value is whatever RFC 6749 section 3.3 allows, and stays one text on its way.
func TestScopeValuesMayBeAddresses(t *testing.T) {
	t.Parallel()
	const (
		address = "http://idmanagement.gov/ns/assurance/ial/2/aal/2"
		odd     = "urn:x?a=1&b=%0d%0aSet-Cookie:x=y;#<script>alert(1)</script>'$`{}|^~"
		comma   = "level,2"
	)
	w := lab.New(t, func(c *provider.Config) {
		for _, name := range []string{address, odd, comma} {
			c.Scopes = append(c.Scopes, catalogue.Scope{Name: name, Attributes: []string{"uuid", "fname"}})
		}
		c.Scopes = append(c.Scopes, catalogue.Scope{Name: "2", Title: "Two"})
	}).WithUsers()
	for _, c := range []provider.Client{
		{ID: "v3", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{address, odd, comma}},
		{ID: "std", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, ResponseTypes: []string{"code", "token"}},
	} {
		w.OK(w.Clients().Save(t.Context(), c))
	}
	b := w.Alice()
	for _, scope := range []string{address, odd, comma} {
		for _, client := range []string{"v3", "std"} {
			p := b.Open(lab.AuthorizeURL("client_id", client, "scope", scope, "response_type", "token"))
			lab.Safe(t, p)
			if strings.Contains(p.Text, "<script>alert") {
				t.Errorf("a script of a scope value:\n%s", p.Text)
			}
			if !strings.Contains(p.Text, "Alice") {
				t.Errorf("the screen does not say what %s releases:\n%s", scope, p.Text)
			}
			p = b.Submit(p, "action", "allow")
			answer := lab.Response(t, p)
			if answer.Get("scope") != scope || len(answer["scope"]) != 1 || p.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: answered %v %v", client, answer, p.Header)
			}
			if p := b.Bearer(lab.AttributesPath, answer.Get("access_token")); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "Alice") {
				t.Errorf("%s: attributes %s %s", client, p.Status, p.Text)
			}
			if p := b.Bearer(lab.UserinfoPath, answer.Get("access_token")); client == "v3" && p.StatusCode != http.StatusOK {
				t.Errorf("userinfo %s %s", p.Status, p.Text)
			} else if client == "std" {
				lab.Refused(t, p, http.StatusForbidden, "insufficient_scope")
			}
		}
	}
	_, discovery := b.JSON(b.Get(lab.DiscoveryPath))
	if supported := discovery["scopes_supported"].([]any); !slices.Contains(supported, any(odd)) {
		t.Errorf("discovery has %v", supported)
	}
	if got := offered(t, b.Open(lab.AuthorizeURL("scope", address+" "+comma))); !slices.Contains(got, address) || !slices.Contains(got, comma) || len(got) != 2 {
		t.Errorf("offers %q", got)
	}
}

func TestWhatIsNoScopeValueIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "a b", "a\tb", "a\nb", `a"b`, `a\b`, "café", "a\x7f", strings.Repeat("x", 256), "openid"} {
		store := lab.New(t).Store
		_, err := provider.New(t.Context(), provider.Config{BaseURL: "http://localhost", Secret: lab.Secret(t), Store: store, Scopes: []catalogue.Scope{{Name: name}}})
		if err == nil || !strings.Contains(err.Error(), "Scopes[0].Name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

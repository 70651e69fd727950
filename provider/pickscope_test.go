package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// offered returns the scope values of a page on which one is to be picked.
func offered(t testing.TB, p page) []string {
	t.Helper()
	if p.StatusCode != http.StatusOK || p.Request.URL.Path != "/oauth/select-scope" {
		t.Fatalf("nothing to pick: %s %s %q\n%s", p.Status, p.Request.URL, p.Header.Get("Location"), p.body)
	}
	safe(t, p)
	var values []string
	for _, part := range strings.Split(p.body, `name="scope" value="`)[1:] {
		value, _, _ := strings.Cut(part, `"`)
		values = append(values, value)
	}
	return values
}

func TestSeveralScopesLetTheUserPickOne(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.ok(w.SaveClient(t.Context(), provider.Client{ID: "few", Name: "Few Groups", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Scopes: []string{"openid", "student", "military"}}))
	w.ok(w.SaveClient(t.Context(), provider.Client{ID: "one", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Scopes: []string{"openid", "military"}}))

	t.Run("ExactlyOneIsGranted", func(t *testing.T) {
		for scope, granted := range map[string]string{
			"military student": "military", "military,student": "military", "student, military": "military",
			"openid military,student": "openid military", "military openid student": "military openid", "openid,student,military": "openid military",
		} {
			b := w.alice()
			p := b.open(authorizeURL("scope", scope))
			if got := offered(t, p); len(got) != 2 || !slices.Contains(got, "military") || !slices.Contains(got, "student") {
				t.Fatalf("%q offers %q", scope, got)
			}
			if !strings.Contains(p.body, "Veterans Shop") || !strings.Contains(p.body, "Military status") || !strings.Contains(p.body, "whether you belong to this group") {
				t.Errorf("the page says neither who asks nor for what:\n%s", p.body)
			}
			p = b.submit(p, "scope", "military")
			if p.StatusCode == http.StatusOK { // not when it has been allowed before
				if strings.Contains(p.body, "student status") || !strings.Contains(p.body, "military status") {
					t.Errorf("another scope is to be allowed:\n%s", p.body)
				}
				p = b.submit(p, "action", "allow")
			}
			_, tokens := b.token("code", response(t, p).Get("code"))
			if tokens["scope"] != granted {
				t.Errorf("%q is granted as %q, want %q", scope, tokens["scope"], granted)
			}
			_, attributes := b.json(b.bearer(attributesPath, text(t, tokens, "access_token")))
			if status := attributes["status"].([]any); len(status) != 1 {
				t.Errorf("%q releases %v", scope, status)
			}
		}
	})
	t.Run("OpenIDAloneOffersWhatIsRegistered", func(t *testing.T) {
		b := w.alice()
		if got := offered(t, b.open(authorizeURL("scope", "openid", "client_id", "few"))); !slices.Equal(got, []string{"student", "military"}) {
			t.Errorf("offers %q", got)
		}
		if got := offered(t, b.open(authorizeURL("scope", "openid"))); !slices.Contains(got, "identity") || slices.Contains(got, "openid") || slices.Contains(got, "offline_access") {
			t.Errorf("without a registration it offers %q", got)
		}
		_, tokens := b.token("client_id", "one", "code", b.allow("scope", "openid", "client_id", "one").Get("code"))
		if tokens["scope"] != "openid military" {
			t.Errorf("the only one is granted as %v", tokens)
		}
	})
	t.Run("TheStartPageIsTheSame", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		address := strings.Replace(strings.Replace(authorizeURL("scope", "military,student"), "/oauth/authorize", "/groups", 1), "scope=", "scopes=", 1)
		b := w.alice()
		p := b.submit(b.open(address), "scope", "military")
		if answer := response(t, b.submit(p, "action", "allow")); answer.Get("code") == "" || answer.Get("state") != "xyz" {
			t.Errorf("answered %v", answer)
		}
	})
	t.Run("ComesBeforeTheSignIn", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser()
		p := b.submit(b.open(authorizeURL("scope", "military student")), "scope", "military")
		p = b.submit(p, "email", "alice@example.com", "password", alicePass)
		if answer := response(t, b.submit(p, "action", "allow")); answer.Get("code") == "" {
			t.Errorf("answered %v", answer)
		}
	})
	t.Run("WhoGoesBackPicksAnother", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		choice := b.open(authorizeURL("scope", "openid military student"))
		if p := b.submit(choice, "scope", "military"); !strings.Contains(p.body, "military status") {
			t.Fatalf("no consent screen:\n%s", p.body)
		}
		p := b.submit(choice, "scope", "student")
		if !strings.Contains(p.body, "student status") || strings.Contains(p.body, "military status") {
			t.Fatalf("not the other:\n%s", p.body)
		}
		_, tokens := b.token("code", response(t, b.submit(p, "action", "allow")).Get("code"))
		if tokens["scope"] != "openid student" {
			t.Errorf("granted %v", tokens["scope"])
		}
		// The request has had its answer.
		if p := b.submit(choice, "scope", "military"); p.Header.Get("Location") != "" {
			p = b.submit(p, "action", "allow")
			if strings.HasPrefix(p.Header.Get("Location"), callbackURI) {
				t.Errorf("answered twice: %s", p.Header.Get("Location"))
			}
		}
	})
	t.Run("NoneIsARefusal", func(t *testing.T) {
		b := w.newBrowser()
		told(t, w, b.submit(b.open(authorizeURL("scope", "military student")), "action", "deny"), "access_denied")
	})
	t.Run("SilentlyNothingIsPicked", func(t *testing.T) {
		for _, b := range []*browser{w.alice(), w.newBrowser()} {
			told(t, w, b.open(authorizeURL("scope", "military student", "prompt", "none")), "interaction_required")
			told(t, w, b.open(authorizeURL("scope", "openid", "prompt", "none")), "interaction_required")
		}
	})
	t.Run("WhatMayNotBeAskedForIsNotOffered", func(t *testing.T) {
		b := w.alice()
		for client, scopes := range map[string][]string{
			"few": {"military identity", "military,identity", "openid military nosuch", "military,"},
			"v3":  {"military nosuch", "military,nosuch", "openid,nosuch", "military\u00a0student", "military student,identity\tteacher", ""},
		} {
			for _, scope := range scopes {
				p := b.open(authorizeURL("scope", scope, "client_id", client))
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
		b := w.alice()
		_, tokens := b.token(std("code", b.allow(ask("scope", "openid military student")...).Get("code"))...)
		if tokens["scope"] != "openid military student" {
			t.Errorf("granted %v", tokens["scope"])
		}
		if p := b.open(authorizeURL(ask("scope", "military,student")...)); !strings.Contains(p.Header.Get("Location"), "error=invalid_scope") {
			t.Errorf("a comma: %s %q", p.Status, p.Header.Get("Location"))
		}
	})
}

// What is posted was offered to this browser by the sealed request, or it is worth nothing.
func TestPickedScopeCannotBeForged(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	choice := b.open(authorizeURL("scope", "openid military student"))
	for _, scope := range []string{
		"identity", "openid", "offline_access", "", "military student", "military,student", "MILITARY", "nosuch", "military ", "student\x00", "student&scope=identity",
	} {
		p := b.submit(choice, "scope", scope)
		shown(t, p, http.StatusBadRequest)
	}
	t.Run("Twice", func(t *testing.T) {
		action, fields := choice.form(t)
		fields["scope"] = []string{"military", "identity"}
		shown(t, b.post(action, fields), http.StatusBadRequest)
	})
	t.Run("InTheAddress", func(t *testing.T) {
		p := b.get(choice.Request.URL.String() + "&scope=identity")
		if got := offered(t, p); slices.Contains(got, "identity") {
			t.Errorf("offers %q", got)
		}
		_, fields := choice.form(t)
		p = b.open("/oauth/authorize?scope=identity&picked=identity&flow=" + url.QueryEscape(fields.Get("flow")))
		offered(t, p)
	})
	t.Run("ByAnotherSite", func(t *testing.T) {
		action, fields := choice.form(t)
		fields.Set("scope", "military")
		p := b.send(http.MethodPost, action, fields.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site")
		shown(t, p, http.StatusForbidden)
		fields.Del("csrf")
		shown(t, b.post(action, fields), http.StatusForbidden)
	})
	t.Run("InAnotherBrowser", func(t *testing.T) {
		other := w.newBrowser()
		shown(t, other.get(choice.Request.URL.String()), http.StatusBadRequest)
		action, fields := choice.form(t)
		fields.Set("scope", "military")
		if p := other.post(action, fields); p.StatusCode != http.StatusForbidden && p.StatusCode != http.StatusBadRequest {
			t.Errorf("answered %s %q", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("AfterItWasTakenFromTheApplication", func(t *testing.T) {
		c := provider.Client{ID: "less", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Scopes: []string{"openid", "military", "student", "teacher"}}
		w.ok(w.SaveClient(t.Context(), c))
		begun := b.open(authorizeURL("scope", "openid", "client_id", "less"))
		consent := b.submit(begun, "scope", "student")
		c.Scopes = []string{"openid", "military", "teacher"}
		w.ok(w.SaveClient(t.Context(), c))
		w.advance(2e9)
		shown(t, b.submit(begun, "scope", "student"), http.StatusBadRequest)
		if got := offered(t, b.submit(consent, "action", "allow")); slices.Contains(got, "student") {
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
	w := newFixture(t, func(c *provider.Config) {
		for _, name := range []string{address, odd, comma} {
			c.Scopes = append(c.Scopes, provider.Scope{Name: name, Attributes: []string{"uuid", "fname"}})
		}
		c.Scopes = append(c.Scopes, provider.Scope{Name: "2", Title: "Two"})
	}).withUsers()
	for _, c := range []provider.Client{
		{ID: "v3", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Scopes: []string{address, odd, comma}},
		{ID: "std", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, ResponseTypes: []string{"code", "token"}},
	} {
		w.ok(w.SaveClient(t.Context(), c))
	}
	b := w.alice()
	for _, scope := range []string{address, odd, comma} {
		for _, client := range []string{"v3", "std"} {
			p := b.open(authorizeURL("client_id", client, "scope", scope, "response_type", "token"))
			safe(t, p)
			if strings.Contains(p.body, "<script>alert") {
				t.Errorf("a script of a scope value:\n%s", p.body)
			}
			if !strings.Contains(p.body, "Alice") {
				t.Errorf("the screen does not say what %s releases:\n%s", scope, p.body)
			}
			p = b.submit(p, "action", "allow")
			answer := response(t, p)
			if answer.Get("scope") != scope || len(answer["scope"]) != 1 || p.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: answered %v %v", client, answer, p.Header)
			}
			if p := b.bearer(attributesPath, answer.Get("access_token")); p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Alice") {
				t.Errorf("%s: attributes %s %s", client, p.Status, p.body)
			}
			if p := b.bearer(userinfoPath, answer.Get("access_token")); client == "v3" && p.StatusCode != http.StatusOK {
				t.Errorf("userinfo %s %s", p.Status, p.body)
			} else if client == "std" {
				refused(t, p, http.StatusForbidden, "insufficient_scope")
			}
		}
	}
	_, discovery := b.json(b.get(discoveryPath))
	if supported := discovery["scopes_supported"].([]any); !slices.Contains(supported, any(odd)) {
		t.Errorf("discovery has %v", supported)
	}
	if got := offered(t, b.open(authorizeURL("scope", address+" "+comma))); !slices.Contains(got, address) || !slices.Contains(got, comma) || len(got) != 2 {
		t.Errorf("offers %q", got)
	}
}

func TestWhatIsNoScopeValueIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "a b", "a\tb", "a\nb", `a"b`, `a\b`, "café", "a\x7f", strings.Repeat("x", 256), "openid"} {
		store := newFixture(t).store
		_, err := provider.New(t.Context(), provider.Config{BaseURL: "http://localhost", Secret: testSecret(t), Store: store, Scopes: []provider.Scope{{Name: name}}})
		if err == nil || !strings.Contains(err.Error(), "Scopes[0].Name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

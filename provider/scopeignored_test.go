package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
)

// registered saves a standard client for the tests of scopes.
func (w *fixture) registered(c provider.Client) {
	w.t.Helper()
	c.Secret, c.Dialect, c.RedirectURIs = clientSecret, provider.Standard, []string{callbackURI}
	if err := w.SaveClient(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
}

func TestScopesThatMeanNothingAreIgnored(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers().withEveryResponseType()
	refresh := []string{"authorization_code", "refresh_token"}
	w.registered(provider.Client{ID: "few", GrantTypes: refresh, Scopes: []string{"profile", "email"}})
	w.registered(provider.Client{ID: "once", Scopes: []string{"profile", "email"}})
	for name, test := range map[string]struct {
		client, asked, granted string
		refreshToken           bool
	}{
		"All":             {"std", "openid profile email address phone offline_access unknown_scope", "openid profile email address phone offline_access", true},
		"OfAnotherServer": {"std", "openid https://graph.test/.default profile", "openid profile", true},
		"OnlySignIn":      {"std", "openid magic", "openid", true},
		"Offline":         {"few", "openid offline_access profile", "openid offline_access profile", true},
		"WithoutTheGrant": {"once", "openid profile offline_access", "openid profile", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.alice()
			p := b.open(authorizeURL(ask("client_id", test.client, "scope", test.asked, "prompt", "consent")...))
			if told := strings.Contains(p.body, "Keep access when you’re not using"); told != strings.Contains(test.granted, "offline_access") {
				t.Errorf("the screen speaks of offline access: %v", told)
			}
			_, tokens := b.token("client_id", test.client, "code", response(t, b.submit(p, "action", "allow")).Get("code"))
			if tokens["scope"] != test.granted || (tokens["refresh_token"] != nil) != test.refreshToken {
				t.Fatalf("granted %v, refresh token %v", tokens["scope"], tokens["refresh_token"] != nil)
			}
			_, seen := b.json(b.post("/oauth/introspect", url.Values{"client_id": {test.client}, "client_secret": {clientSecret}, "token": {text(t, tokens, "access_token")}}))
			if seen["scope"] != test.granted {
				t.Errorf("introspection says %v", seen)
			}
			data, err := w.Person(t.Context(), "alice")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range data.Consents {
				if c.ClientID == test.client && slices.ContainsFunc(c.Scopes, func(s string) bool { return strings.Contains(s, "magic") || strings.Contains(s, "unknown") }) {
					t.Errorf("consent is to %v", c.Scopes)
				}
			}
			if !test.refreshToken {
				return
			}
			// Libraries ask again for what they asked for at first.
			_, again := b.token("client_id", test.client, "grant_type", "refresh_token", "refresh_token", text(t, tokens, "refresh_token"), "scope", test.asked, "redirect_uri", "")
			if again["scope"] != test.granted {
				t.Errorf("after a refresh: %v", again)
			}
		})
	}
	t.Run("Implicit", func(t *testing.T) {
		answer := w.alice().allow(ask("client_id", "every", "response_type", "id_token token", "nonce", "n", "scope", "openid email magic offline_access")...)
		if answer.Get("scope") != "openid email" {
			t.Errorf("%v", answer)
		}
	})
	t.Run("NotWhenNoneIsLeft", func(t *testing.T) {
		b := w.alice()
		for _, asked := range []string{"magic", "magic more", "offline_access"} {
			told(t, w, b.get(authorizeURL(ask("client_id", "once", "scope", asked)...)), "invalid_scope")
		}
	})
	t.Run("NotWhatExistsAndMayNotBeAskedFor", func(t *testing.T) {
		told(t, w, w.alice().get(authorizeURL(ask("client_id", "few", "scope", "openid profile military magic")...)), "invalid_scope")
	})
	t.Run("NotInV3", func(t *testing.T) {
		told(t, w, w.alice().get(authorizeURL("scope", "openid magic")), "invalid_scope")
	})
	t.Run("OfflineAccessIsAskedFor", func(t *testing.T) {
		b := w.newBrowser().signIn("bob@example.com", bobPass)
		b.allow(ask("scope", "openid profile")...)
		told(t, w, b.get(authorizeURL(ask("scope", "openid profile offline_access", "prompt", "none")...)), "consent_required")
	})
}

func TestLeanIDTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.registered(provider.Client{ID: "lean", LeanIDTokens: true, GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code", "id_token", "id_token token", "code id_token"}})
	if c, err := w.Client(t.Context(), "lean"); err != nil || !c.LeanIDTokens {
		t.Fatalf("%+v, %v", c, err)
	}
	b := w.alice()
	all := map[string]any{"email": "alice@example.com", "email_verified": true, "eid": "order-7"}
	parameters := func(pairs ...string) []string {
		return ask(append([]string{"client_id", "lean", "scope", "openid email", "eid", "order-7", "nonce", "n"}, pairs...)...)
	}
	for responseType, want := range map[string]map[string]any{"id_token": all, "id_token token": {}, "code id_token": {}} {
		_, id := jwt(t, b.allow(parameters("response_type", responseType)...).Get("id_token"))
		delete(id, "c_hash")
		if diff := cmp.Diff(want, withoutProtocol(id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", responseType, diff)
		}
	}
	p, tokens := b.token("client_id", "lean", "code", b.allow(parameters("claims", `{"id_token":{"zip":null}}`)...).Get("code"))
	if p.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	for range 2 { // as issued, and after a refresh
		_, id := jwt(t, text(t, tokens, "id_token"))
		if diff := cmp.Diff(map[string]any{"zip": "22030"}, withoutProtocol(id)); diff != "" {
			t.Errorf("code (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(all, withoutProtocol(b.userinfo(tokens))); diff != "" {
			t.Errorf("userinfo (-want +got):\n%s", diff)
		}
		_, tokens = b.token("client_id", "lean", "grant_type", "refresh_token", "refresh_token", text(t, tokens, "refresh_token"), "redirect_uri", "")
	}
}

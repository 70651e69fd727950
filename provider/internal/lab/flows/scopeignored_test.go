package flows

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// registered saves a standard client for the tests of scopes.
func registered(w *lab.Fixture, c provider.Client) {
	w.T.Helper()
	c.Secret, c.Dialect, c.RedirectURIs = lab.ClientSecret, provider.Standard, []string{lab.CallbackURI}
	testkit.OK(w.T, w.Clients().Save(w.T.Context(), c))
}

func TestScopesThatMeanNothingAreIgnored(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithEveryResponseType()
	refresh := []string{"authorization_code", "refresh_token"}
	registered(w, provider.Client{ID: "few", Dialect: provider.V3, GrantTypes: refresh, Scopes: []string{"profile", "email"}})
	registered(w, provider.Client{ID: "once", Dialect: provider.V3, Scopes: []string{"profile", "email"}})
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
			b := w.Alice()
			p := b.Open(lab.AuthorizeURL(lab.Ask("client_id", test.client, "scope", test.asked, "prompt", "consent")...))
			if told := strings.Contains(p.Text, "Keep access when you’re not using"); told != strings.Contains(test.granted, "offline_access") {
				t.Errorf("the screen speaks of offline access: %v", told)
			}
			_, tokens := b.Token("client_id", test.client, "code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))
			if tokens["scope"] != test.granted || (tokens["refresh_token"] != nil) != test.refreshToken {
				t.Fatalf("granted %v, refresh token %v", tokens["scope"], tokens["refresh_token"] != nil)
			}
			_, seen := b.JSON(b.Post("/oauth/introspect", url.Values{"client_id": {test.client}, "client_secret": {lab.ClientSecret}, "token": {lab.Member(t, tokens, "access_token")}}))
			if seen["scope"] != test.granted {
				t.Errorf("introspection says %v", seen)
			}
			data := testkit.Must(w.People().Get(t.Context(), "alice"))(t)
			for _, c := range data.Consents {
				if c.ClientID == test.client && slices.ContainsFunc(c.Scopes, func(s string) bool { return strings.Contains(s, "magic") || strings.Contains(s, "unknown") }) {
					t.Errorf("consent is to %v", c.Scopes)
				}
			}
			if !test.refreshToken {
				return
			}
			// Libraries ask again for what they asked for at first.
			_, again := b.Token("client_id", test.client, "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "scope", test.asked, "redirect_uri", "")
			if again["scope"] != test.granted {
				t.Errorf("after a refresh: %v", again)
			}
		})
	}
	t.Run("Implicit", func(t *testing.T) {
		answer := w.Alice().Allow(lab.Ask("client_id", "every", "response_type", "id_token token", "nonce", "n", "scope", "openid email magic offline_access")...)
		if answer.Get("scope") != "openid email" {
			t.Errorf("%v", answer)
		}
	})
	t.Run("NotWhenNoneIsLeft", func(t *testing.T) {
		b := w.Alice()
		for _, asked := range []string{"magic", "magic more", "offline_access"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("client_id", "once", "scope", asked)...)), "invalid_scope")
		}
	})
	t.Run("NotWhatExistsAndMayNotBeAskedFor", func(t *testing.T) {
		lab.Told(t, w, w.Alice().Get(lab.AuthorizeURL(lab.Ask("client_id", "few", "scope", "openid profile military magic")...)), "invalid_scope")
	})
	t.Run("NotInV3", func(t *testing.T) {
		lab.Told(t, w, w.Alice().Get(lab.AuthorizeURL("scope", "openid magic")), "invalid_scope")
	})
	t.Run("OfflineAccessIsAskedFor", func(t *testing.T) {
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		b.Allow(lab.Ask("scope", "openid profile")...)
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid profile offline_access", "prompt", "none")...)), "consent_required")
	})
}

func TestLeanIDTokens(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	registered(w, provider.Client{ID: "lean", Dialect: provider.V3, LeanIDTokens: true, GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code", "id_token", "id_token token", "code id_token"}})
	if c, err := w.Clients().Get(t.Context(), "lean"); err != nil || !c.LeanIDTokens {
		t.Fatalf("%+v, %v", c, err)
	}
	b := w.Alice()
	all := map[string]any{"email": "alice@example.com", "email_verified": true, "eid": "order-7"}
	parameters := func(pairs ...string) []string {
		return lab.Ask(append([]string{"client_id", "lean", "scope", "openid email", "eid", "order-7", "nonce", "n"}, pairs...)...)
	}
	for responseType, want := range map[string]map[string]any{"id_token": all, "id_token token": {}, "code id_token": {}} {
		_, id := lab.JWT(t, b.Allow(parameters("response_type", responseType)...).Get("id_token"))
		delete(id, "c_hash")
		if diff := cmp.Diff(want, lab.WithoutProtocol(id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", responseType, diff)
		}
	}
	p, tokens := b.Token("client_id", "lean", "code", b.Allow(parameters("claims", `{"id_token":{"zip":null}}`)...).Get("code"))
	if p.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	for range 2 { // as issued, and after a refresh
		_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		if diff := cmp.Diff(map[string]any{"zip": "22030"}, lab.WithoutProtocol(id)); diff != "" {
			t.Errorf("code (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(all, lab.WithoutProtocol(b.Userinfo(tokens))); diff != "" {
			t.Errorf("userinfo (-want +got):\n%s", diff)
		}
		_, tokens = b.Token("client_id", "lean", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "redirect_uri", "")
	}
}

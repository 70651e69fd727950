package tokens

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackTokenOfAnotherKind presents every kind of token in the place of every other (RFC
// 8725 section 2.8).
func TestAttackTokenOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t, lab.AllowPrivate, func(c *provider.Config) { c.Signals.SharedSignals = true }).WithSigners().Runs()
	rp := lab.NewToldParty(t, nil)
	all := provider.Client{
		ID: "all", TokenEndpointAuthMethod: "private_key_jwt", JWKS: lab.PublicKeys(t, lab.AllKeys...), Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
		GrantTypes:        []string{"authorization_code", "refresh_token", "client_credentials", lab.BearerGrant},
		AccessTokenFormat: "jwt", UserinfoSignedResponseAlg: "RS256", BackchannelLogoutURI: rp.URL, SkipConsent: true,
		Scopes: []string{"openid", "military", "student", "ssf.read", "ssf.manage"},
	}
	w.OK(w.Clients().Save(t.Context(), all))
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	own := func(pairs ...any) map[string]any { return lab.With(w.Assertion("all"), pairs...) }
	code := func(b *lab.Browser) string {
		return b.Allow("client_id", "all", "scope", "openid military").Get("code")
	}
	tokens := func(b *lab.Browser) map[string]any {
		p, tokens := b.Asserted(lab.TokenPath, key.Sign(t, own()), "grant_type", "authorization_code", "code", code(b), "redirect_uri", lab.CallbackURI)
		lab.Granted(t, p, tokens)
		return tokens
	}
	of := tokens(b)
	_, machine := b.Asserted(lab.TokenPath, key.Sign(t, own()), "grant_type", "client_credentials", "scope", "ssf.read ssf.manage")
	stream := func(path, body string) lab.Page {
		return b.Send(http.MethodPost, path, body, "Authorization", "Bearer "+lab.Member(t, machine, "access_token"), "Content-Type", "application/json")
	}
	if p := stream("/ssf/stream", `{}`); p.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	leaving := w.Alice()
	tokens(leaving)
	leaving.Submit(leaving.Get("/signout"))
	access := lab.Member(t, of, "access_token")
	v3 := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token")
	var v3Userinfo string
	w.OK(json.Unmarshal([]byte(b.Bearer(lab.UserinfoPath, v3).Text), &v3Userinfo))

	kinds := map[string]func() string{
		"ID token":       func() string { return lab.Member(t, of, "id_token") },
		"access token":   func() string { return access },
		"code":           func() string { return code(b) },
		"refresh token":  func() string { return lab.Member(t, tokens(b), "refresh_token") },
		"userinfo":       func() string { return b.Bearer(lab.UserinfoPath, access).Text },
		"userinfo in v3": func() string { return v3Userinfo },
		"logout token":   func() string { return rp.Wait(t, 1)[0] },
		"security event": func() (token string) {
			lab.Eventually(t, func() bool {
				var got struct{ Sets map[string]string }
				w.OK(json.Unmarshal([]byte(stream("/ssf/poll", "").Text), &got))
				for _, token = range got.Sets {
					return true
				}
				return false
			})
			return token
		},
		"client assertion": func() string { return key.Sign(t, own()) },
		"bearer assertion": func() string { return key.Sign(t, own("sub", "alice")) },
		"request object": func() string {
			return key.Sign(t, own("sub", nil, "client_id", "all", "redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid military", "state", "inside"))
		},
	}
	places := map[string]struct {
		accepts []string
		present func(token string) bool
	}{
		"userinfo":   {[]string{"access token"}, func(s string) bool { return b.Bearer(lab.UserinfoPath, s).StatusCode == http.StatusOK }},
		"attributes": {[]string{"access token"}, func(s string) bool { return b.Bearer(lab.AttributesPath, s).StatusCode == http.StatusOK }},
		"introspection": {[]string{"access token", "refresh token"}, func(s string) bool {
			_, answer := b.Asserted(lab.IntrospectPath, key.Sign(t, own()), "token", s)
			return answer["active"] == true
		}},
		"hint": {[]string{"ID token"}, func(s string) bool {
			return lab.Response(t, b.Get(lab.AuthorizeURL("client_id", "all", "scope", "openid military", "prompt", "none", "id_token_hint", s))).Has("code")
		}},
		"hint to sign out": {[]string{"ID token"}, func(s string) bool {
			visitor := w.Alice()
			visitor.Get("/signout?" + url.Values{"id_token_hint": {s}}.Encode())
			return !visitor.IsSignedIn()
		}},
		"client assertion": {[]string{"client assertion"}, func(s string) bool {
			p, _ := b.Asserted(lab.TokenPath, s, append(machineGrant, "client_id", "all")...)
			return p.StatusCode == http.StatusOK
		}},
		"bearer assertion": {[]string{"bearer assertion"}, func(s string) bool {
			p, _ := b.Asserted(lab.TokenPath, key.Sign(t, own()), "grant_type", lab.BearerGrant, "scope", "military", "assertion", s)
			return p.StatusCode == http.StatusOK
		}},
		"request object": {[]string{"request object"}, func(s string) bool {
			p := b.Get(objectURL("all", s))
			return strings.HasPrefix(p.Header.Get("Location"), lab.CallbackURI) && lab.Response(t, p).Has("code")
		}},
		"code": {[]string{"code"}, func(s string) bool {
			p, _ := b.Asserted(lab.TokenPath, key.Sign(t, own()), "grant_type", "authorization_code", "code", s, "redirect_uri", lab.CallbackURI)
			return p.StatusCode == http.StatusOK
		}},
		"refresh token": {[]string{"refresh token"}, func(s string) bool {
			p, _ := b.Asserted(lab.TokenPath, key.Sign(t, own()), "grant_type", "refresh_token", "refresh_token", s)
			return p.StatusCode == http.StatusOK
		}},
	}
	for place, at := range places {
		for kind, token := range kinds {
			if got, want := at.present(token()), slices.Contains(at.accepts, kind); got != want {
				t.Errorf("%s as %s: accepted is %v, want %v", kind, place, got, want)
			}
		}
	}
}

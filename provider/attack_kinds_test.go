package provider_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestAttackTokenOfAnotherKind presents every kind of JWT in the place of every other (RFC
// 8725 section 2.8).
func TestAttackTokenOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := withResources(t, allowPrivate).withSigners().runs()
	rp := newToldParty(t, nil)
	all := provider.Client{
		ID: "all", TokenEndpointAuthMethod: "private_key_jwt", JWKS: publicKeys(t, allKeys...), Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
		GrantTypes:        []string{"authorization_code", "refresh_token", "client_credentials", bearerGrant},
		AccessTokenFormat: "jwt", UserinfoSignedResponseAlg: "RS256", BackchannelLogoutURI: rp.URL, SkipConsent: true,
	}
	w.ok(w.SaveClient(t.Context(), all))
	b, key := w.alice(), clientKeys()["ES256"]
	own := func(pairs ...any) map[string]any { return with(w.assertion("all"), pairs...) }
	tokens := func(b *browser) map[string]any {
		code := b.allow("client_id", "all", "scope", "openid military").Get("code")
		p, tokens := b.asserted(tokenPath, key.sign(t, own()), "grant_type", "authorization_code", "code", code, "redirect_uri", callbackURI)
		granted(t, p, tokens)
		return tokens
	}
	of := tokens(b)
	leaving := w.alice()
	tokens(leaving)
	leaving.submit(leaving.get("/signout"))
	access := text(t, of, "access_token")
	v3 := text(t, b.v3Tokens("scope", "openid military"), "access_token")
	var v3Userinfo string
	w.ok(json.Unmarshal([]byte(b.bearer(userinfoPath, v3).body), &v3Userinfo))

	kinds := map[string]func() string{
		"ID token":         func() string { return text(t, of, "id_token") },
		"access token":     func() string { return access },
		"userinfo":         func() string { return b.bearer(userinfoPath, access).body },
		"userinfo in v3":   func() string { return v3Userinfo },
		"logout token":     func() string { return rp.wait(t, 1)[0] },
		"client assertion": func() string { return key.sign(t, own()) },
		"bearer assertion": func() string { return key.sign(t, own("sub", "alice")) },
		"request object": func() string {
			return key.sign(t, own("sub", nil, "client_id", "all", "redirect_uri", callbackURI, "response_type", "code", "scope", "openid military", "state", "inside"))
		},
	}
	places := map[string]struct {
		accepts []string
		present func(token string) bool
	}{
		"userinfo":   {[]string{"access token"}, func(s string) bool { return b.bearer(userinfoPath, s).StatusCode == http.StatusOK }},
		"attributes": {[]string{"access token"}, func(s string) bool { return b.bearer(attributesPath, s).StatusCode == http.StatusOK }},
		"introspection": {[]string{"access token"}, func(s string) bool {
			_, answer := b.asserted(introspectPath, key.sign(t, own()), "token", s)
			return answer["active"] == true
		}},
		"hint": {[]string{"ID token"}, func(s string) bool {
			return response(t, b.get(authorizeURL("client_id", "all", "scope", "openid military", "prompt", "none", "id_token_hint", s))).Has("code")
		}},
		"hint to sign out": {[]string{"ID token"}, func(s string) bool {
			visitor := w.alice()
			visitor.get("/signout?" + url.Values{"id_token_hint": {s}}.Encode())
			return !visitor.isSignedIn()
		}},
		"client assertion": {[]string{"client assertion"}, func(s string) bool {
			p, _ := b.asserted(tokenPath, s, append(machineGrant, "client_id", "all")...)
			return p.StatusCode == http.StatusOK
		}},
		"bearer assertion": {[]string{"bearer assertion"}, func(s string) bool {
			p, _ := b.asserted(tokenPath, key.sign(t, own()), "grant_type", bearerGrant, "scope", "military", "assertion", s)
			return p.StatusCode == http.StatusOK
		}},
		"request object": {[]string{"request object"}, func(s string) bool {
			p := b.get(objectURL("all", s))
			return strings.HasPrefix(p.Header.Get("Location"), callbackURI) && response(t, p).Has("code")
		}},
		"code": {nil, func(s string) bool {
			p, _ := b.asserted(tokenPath, key.sign(t, own()), "grant_type", "authorization_code", "code", s, "redirect_uri", callbackURI)
			return p.StatusCode == http.StatusOK
		}},
		"refresh token": {nil, func(s string) bool {
			p, _ := b.asserted(tokenPath, key.sign(t, own()), "grant_type", "refresh_token", "refresh_token", s)
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

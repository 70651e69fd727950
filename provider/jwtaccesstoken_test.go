package provider_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
)

// userToken is an access token of the client jwt for alice, for these resources.
func (b *browser) userToken(resources ...string) string {
	b.t.Helper()
	return text(b.t, b.tokensFor("jwt", resources, resources), "access_token")
}

func TestJWTAccessToken(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for name, c := range map[string]struct {
		resources []string
		aud       any
		scope     string
	}{
		"ForTheProvider": {nil, w.Issuer(), "openid military tools:run"},
		"ForOne":         {[]string{toolsURI}, toolsURI, "tools:run"},
		"ForTwo":         {[]string{toolsURI, filesURI}, []any{toolsURI, filesURI}, "openid military tools:run"},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := b.tokensFor("jwt", c.resources, c.resources)
			token := text(t, tokens, "access_token")
			header, claims := jwt(t, token)
			if header["typ"] != "at+jwt" || header["alg"] != "RS256" || !slices.Contains(keyIDs(w.publishedKeys()), header["kid"].(string)) {
				t.Errorf("header %v", header)
			}
			if claims["exp"].(float64)-claims["iat"].(float64) != 300 || claims["auth_time"] == nil || claims["jti"] == "" || claims["amr"] == nil {
				t.Errorf("claims %v", claims)
			}
			for _, name := range []string{"exp", "iat", "auth_time", "jti", "amr", "acr"} {
				delete(claims, name)
			}
			want := map[string]any{"iss": w.Issuer(), "sub": "alice", "aud": c.aud, "client_id": "jwt", "scope": c.scope}
			if diff := cmp.Diff(want, claims); diff != "" {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
			_, idClaims := jwt(t, text(t, tokens, "id_token"))
			if idClaims["at_hash"] != halfHash(token) {
				t.Errorf("at_hash %v", idClaims["at_hash"])
			}
			works(t, b, token, c.resources == nil)
			if answer := b.seenBy("jwt", token); answer["sub"] != "alice" {
				t.Errorf("introspection %v", answer)
			}
			if database := w.dump(); strings.Contains(database, token) || strings.Contains(database, strings.Split(token, ".")[2]) {
				t.Error("the token is stored")
			}
		})
	}
}

func TestJWTAccessTokenOfAMachine(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.newBrowser()
	_, tokens := b.redeem("jwt", "client_credentials", []string{toolsURI}, "scope", "tools:run")
	token := text(t, tokens, "access_token")
	_, claims := jwt(t, token)
	delete(claims, "exp")
	delete(claims, "iat")
	delete(claims, "jti")
	want := map[string]any{"iss": w.Issuer(), "sub": "jwt", "aud": toolsURI, "client_id": "jwt", "scope": "tools:run"}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if answer := b.seenBy("tools-api", token); answer["sub"] != "jwt" {
		t.Errorf("introspection %v", answer)
	}
}

func TestJWTAccessTokenOfTheAuthorizationEndpoint(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	address := strings.Replace(resourceURL("jwt", toolsURI), "response_type=code", "nonce=n&response_type="+url.QueryEscape("id_token token"), 1)
	got := response(t, b.submit(b.open(address), "action", "allow"))
	token := got.Get("access_token")
	header, claims := jwt(t, token)
	if header["typ"] != "at+jwt" || claims["aud"] != toolsURI || got.Get("scope") != "tools:run" {
		t.Errorf("header %v, claims %v, response %v", header, claims, got)
	}
	if _, idClaims := jwt(t, got.Get("id_token")); idClaims["at_hash"] != halfHash(token) {
		t.Errorf("at_hash %v", idClaims["at_hash"])
	}
	works(t, b, token, false) // an API gets it, and userinfo was not meant
}

func TestJWTAccessTokenIsRevoked(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for name, end := range map[string]func(token string){
		"ByTheApplication": func(token string) { b.client(revokePath, "jwt", "token", token) },
		"WithItsGrant":     func(string) { w.revokeAll() },
		"WithTheUser":      func(string) { w.ok(w.RevokeUser(t.Context(), "alice")); b = w.alice() },
	} {
		t.Run(name, func(t *testing.T) {
			token, another := b.userToken(), b.userToken()
			works(t, b, token, true)
			end(token)
			works(t, b, token, false)
			if answer := b.seenBy("jwt", token); answer != nil {
				t.Errorf("introspection %v", answer)
			}
			works(t, b, another, name == "ByTheApplication")
		})
	}
	t.Run("NotByAnother", func(t *testing.T) {
		token := b.userToken()
		p := b.client(revokePath, "std", "token", token)
		refused(t, p, http.StatusBadRequest, "unauthorized_client")
		works(t, b, token, true)
	})
}

func TestJWTAccessTokenExpires(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	token := b.userToken()
	w.advance(301 * time.Second)
	works(t, b, token, false)
}

func TestJWTAccessTokensAreForTheStandardDialect(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, c := range []provider.Client{
		{ID: "x", RedirectURIs: []string{callbackURI}, AccessTokenFormat: "jwt"},
		{ID: "x", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, AccessTokenFormat: "JWT"},
		{ID: "x", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, AccessTokenFormat: "opaque"},
	} {
		var wrong *provider.FieldError
		if err := w.SaveClient(t.Context(), c); !errors.As(err, &wrong) || wrong.Field != "AccessTokenFormat" {
			t.Errorf("%s in %s: %v", c.AccessTokenFormat, c.Dialect, err)
		}
	}
}

// Attacks: a JWT of one kind where one of another belongs.

func TestAttackAnotherJWTAsAccessToken(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	w.ok(w.SaveClient(t.Context(), provider.Client{ID: "signed", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, UserinfoSignedResponseAlg: "RS256"}))
	b := w.alice()
	tokens := b.tokensFor("jwt", nil, nil)
	userinfo := b.bearer(userinfoPath, text(t, b.tokensFor("signed", nil, nil), "access_token"))
	access := text(t, tokens, "access_token")
	parts := strings.Split(access, ".")
	idParts := strings.Split(text(t, tokens, "id_token"), ".")
	for name, token := range map[string]string{
		"IDToken":                text(t, tokens, "id_token"),
		"UserinfoJWT":            userinfo.body,
		"HeaderOfAnIDToken":      idParts[0] + "." + parts[1] + "." + parts[2],
		"ClaimsOfAnIDToken":      parts[0] + "." + idParts[1] + "." + parts[2],
		"NoSignature":            parts[0] + "." + parts[1] + ".",
		"AlgNone":                "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0." + parts[1] + ".",
		"ItsIdentifierAlone":     claimOf(t, access, "jti"),
		"ItsIdentifierAsOpaque":  "bfa_" + claimOf(t, access, "jti"),
		"Twice":                  access + access,
		"FourParts":              access + ".x",
		"AnotherSignatureOfOurs": parts[0] + "." + parts[1] + "." + strings.Split(b.userToken(), ".")[2],
	} {
		t.Run(name, func(t *testing.T) {
			works(t, b, token, false)
			if answer := b.seenBy("jwt", token); answer != nil {
				t.Errorf("introspection %v", answer)
			}
		})
	}
	// One of another provider that has the same key.
	works(t, withResources(t).newBrowser(), access, false)
	// And of this one, before it has moved.
	moved := w.twin(func(c *provider.Config) { c.BaseURL = "http://localhost:1" })
	works(t, moved.newBrowser(), access, false)
}

func TestAttackAccessTokenAsIDToken(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	access := b.userToken()
	told(t, w, b.get(authorizeURL("client_id", "jwt", "scope", "openid", "id_token_hint", access)), "invalid_request")
	// A hint would sign out without asking.
	if p := b.open("/signout?id_token_hint=" + access); !b.isSignedIn() {
		t.Errorf("an access token signs out: %s %s", p.Status, p.body)
	}
	// Clients that do not look at typ know an ID token for them by its aud.
	if claimOf(t, access, "aud") == "jwt" {
		t.Error("aud is the client")
	}
}

// claimOf returns a claim of a JWT that is a string.
func claimOf(t testing.TB, token, name string) string {
	t.Helper()
	_, claims := jwt(t, token)
	return text(t, claims, name)
}

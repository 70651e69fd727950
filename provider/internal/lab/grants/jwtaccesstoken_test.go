package grants

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
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// userToken is an access token of the client jwt for alice, for these resources.
func userToken(b *lab.Browser, resources ...string) string {
	b.T.Helper()
	return lab.Member(b.T, b.TokensFor("jwt", resources, resources), "access_token")
}

func TestJWTAccessToken(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	for name, c := range map[string]struct {
		resources []string
		aud       any
		scope     string
	}{
		"ForTheProvider": {nil, w.Issuer(), "openid military tools:run"},
		"ForOne":         {[]string{lab.ToolsURI}, lab.ToolsURI, "tools:run"},
		"ForTwo":         {[]string{lab.ToolsURI, lab.FilesURI}, []any{lab.ToolsURI, lab.FilesURI}, "openid military tools:run"},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := b.TokensFor("jwt", c.resources, c.resources)
			token := lab.Member(t, tokens, "access_token")
			header, claims := lab.JWT(t, token)
			if header["typ"] != "at+jwt" || header["alg"] != "RS256" || !slices.Contains(lab.KeyIDs(w.PublishedKeys()), header["kid"].(string)) {
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
			_, idClaims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
			if idClaims["at_hash"] != lab.HalfHash(token) {
				t.Errorf("at_hash %v", idClaims["at_hash"])
			}
			lab.Works(t, b, token, c.resources == nil)
			if answer := seenBy(b, "jwt", token); answer["sub"] != "alice" {
				t.Errorf("introspection %v", answer)
			}
			if database := w.Dump(); strings.Contains(database, token) || strings.Contains(database, strings.Split(token, ".")[2]) {
				t.Error("the token is stored")
			}
		})
	}
}

func TestJWTAccessTokenOfAMachine(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.NewBrowser()
	_, tokens := b.Redeem("jwt", "client_credentials", []string{lab.ToolsURI}, "scope", "tools:run")
	token := lab.Member(t, tokens, "access_token")
	_, claims := lab.JWT(t, token)
	delete(claims, "exp")
	delete(claims, "iat")
	delete(claims, "jti")
	want := map[string]any{"iss": w.Issuer(), "sub": "jwt", "aud": lab.ToolsURI, "client_id": "jwt", "scope": "tools:run"}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if answer := seenBy(b, "tools-api", token); answer["sub"] != "jwt" {
		t.Errorf("introspection %v", answer)
	}
}

func TestJWTAccessTokenOfTheAuthorizationEndpoint(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	address := strings.Replace(lab.ResourceURL("jwt", lab.ToolsURI), "response_type=code", "nonce=n&response_type="+url.QueryEscape("id_token token"), 1)
	got := lab.Response(t, b.Submit(b.Open(address), "action", "allow"))
	token := got.Get("access_token")
	header, claims := lab.JWT(t, token)
	if header["typ"] != "at+jwt" || claims["aud"] != lab.ToolsURI || got.Get("scope") != "tools:run" {
		t.Errorf("header %v, claims %v, response %v", header, claims, got)
	}
	if _, idClaims := lab.JWT(t, got.Get("id_token")); idClaims["at_hash"] != lab.HalfHash(token) {
		t.Errorf("at_hash %v", idClaims["at_hash"])
	}
	lab.Works(t, b, token, false) // an API gets it, and userinfo was not meant
}

func TestJWTAccessTokenIsRevoked(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	for name, end := range map[string]func(token string){
		"ByTheApplication": func(token string) { b.Client(lab.RevokePath, "jwt", "token", token) },
		"WithItsGrant":     func(string) { w.RevokeAll() },
		"WithTheUser":      func(string) { w.OK(w.People().Revoke(t.Context(), "alice")); b = w.Alice() },
	} {
		t.Run(name, func(t *testing.T) {
			token, another := userToken(b), userToken(b)
			lab.Works(t, b, token, true)
			end(token)
			lab.Works(t, b, token, false)
			if answer := seenBy(b, "jwt", token); answer != nil {
				t.Errorf("introspection %v", answer)
			}
			lab.Works(t, b, another, name == "ByTheApplication")
		})
	}
	t.Run("NotByAnother", func(t *testing.T) {
		token := userToken(b)
		p := b.Client(lab.RevokePath, "std", "token", token)
		lab.Refused(t, p, http.StatusBadRequest, "unauthorized_client")
		lab.Works(t, b, token, true)
	})
}

func TestJWTAccessTokenExpires(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	token := userToken(b)
	w.Advance(301 * time.Second)
	lab.Works(t, b, token, false)
}

func TestJWTAccessTokensAreForTheStandardDialect(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	for _, c := range []provider.Client{
		{ID: "x", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, AccessTokenFormat: "jwt"},
		{ID: "x", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, AccessTokenFormat: "JWT"},
		{ID: "x", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, AccessTokenFormat: "opaque"},
	} {
		var wrong *provider.FieldError
		if err := w.Clients().Save(t.Context(), c); !errors.As(err, &wrong) || wrong.Field != "AccessTokenFormat" {
			t.Errorf("%s in %s: %v", c.AccessTokenFormat, c.Dialect, err)
		}
	}
}

// Attacks: a JWT of one kind where one of another belongs.

func TestAttackAnotherJWTAsAccessToken(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "signed", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, UserinfoSignedResponseAlg: "RS256"}))
	b := w.Alice()
	tokens := b.TokensFor("jwt", nil, nil)
	userinfo := b.Bearer(lab.UserinfoPath, lab.Member(t, b.TokensFor("signed", nil, nil), "access_token"))
	access := lab.Member(t, tokens, "access_token")
	parts := strings.Split(access, ".")
	idParts := strings.Split(lab.Member(t, tokens, "id_token"), ".")
	for name, token := range map[string]string{
		"IDToken":                lab.Member(t, tokens, "id_token"),
		"UserinfoJWT":            userinfo.Text,
		"HeaderOfAnIDToken":      idParts[0] + "." + parts[1] + "." + parts[2],
		"ClaimsOfAnIDToken":      parts[0] + "." + idParts[1] + "." + parts[2],
		"NoSignature":            parts[0] + "." + parts[1] + ".",
		"AlgNone":                "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0." + parts[1] + ".",
		"ItsIdentifierAlone":     claimOf(t, access, "jti"),
		"ItsIdentifierAsOpaque":  "bfa_" + claimOf(t, access, "jti"),
		"Twice":                  access + access,
		"FourParts":              access + ".x",
		"AnotherSignatureOfOurs": parts[0] + "." + parts[1] + "." + strings.Split(userToken(b), ".")[2],
	} {
		t.Run(name, func(t *testing.T) {
			lab.Works(t, b, token, false)
			if answer := seenBy(b, "jwt", token); answer != nil {
				t.Errorf("introspection %v", answer)
			}
		})
	}
	// One of another provider that has the same key.
	lab.Works(t, lab.WithResources(t).NewBrowser(), access, false)
	// And of this one, before it has moved.
	moved := w.Twin(func(c *provider.Config) { c.BaseURL = "http://localhost:1" })
	lab.Works(t, moved.NewBrowser(), access, false)
}

func TestAttackAccessTokenAsIDToken(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	access := userToken(b)
	lab.Told(t, w, b.Get(lab.AuthorizeURL("client_id", "jwt", "scope", "openid", "id_token_hint", access)), "invalid_request")
	// A hint would sign out without asking.
	if p := b.Open("/signout?id_token_hint=" + access); !b.IsSignedIn() {
		t.Errorf("an access token signs out: %s %s", p.Status, p.Text)
	}
	// Clients that do not look at typ know an ID token for them by its aud.
	if claimOf(t, access, "aud") == "jwt" {
		t.Error("aud is the client")
	}
}

// claimOf returns a claim of a JWT that is a string.
func claimOf(t testing.TB, token, name string) string {
	t.Helper()
	_, claims := lab.JWT(t, token)
	return lab.Member(t, claims, name)
}

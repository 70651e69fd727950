package flows

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// signedResponse returns the parameters of a response that is a JWT, whose signature, header and
// protocol claims it has checked by the published keys.
func signedResponse(t *testing.T, w *lab.Fixture, token, clientID, alg string) map[string]any {
	t.Helper()
	parsed, err := jose.ParseSigned(token)
	if err != nil {
		t.Fatalf("response %q: %v", token, err)
	}
	var set jose.JSONWebKeySet
	testkit.OK(t, json.Unmarshal([]byte(w.NewBrowser().Get(lab.KeysPath).Text), &set))
	header := parsed.Signatures[0].Protected
	keys := set.Key(header.KeyID)
	if len(keys) != 1 || header.Algorithm != alg || header.ExtraHeaders[jose.HeaderType] != nil {
		t.Fatalf("header %+v, want %s", header, alg)
	}
	payload := testkit.Must(parsed.Verify(keys[0]))(t)
	var claims map[string]any
	testkit.OK(t, json.Unmarshal(payload, &claims))
	exp := time.Unix(int64(claims["exp"].(float64)), 0)
	if left := exp.Sub(w.Now()); claims["iss"] != w.Issuer() || claims["aud"] != clientID || left <= 4*time.Minute || left > 5*time.Minute {
		t.Errorf("claims %v", claims)
	}
	if claims["sub"] != nil || claims["nonce"] != nil {
		t.Errorf("it could pass for an ID token: %v", claims)
	}
	return claims
}

// TestSignedResponses sends the signed response modes of JARM, with a good request and a wrong one.
func TestSignedResponses(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Algorithms = []string{"RS256", "ES256"} }).WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "jarm", Dialect: provider.Standard, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI},
		ResponseTypes: []string{"code", "code id_token", "id_token token"}, AuthorizationSignedResponseAlg: "ES256",
	}))
	b := w.Alice()
	b.Allow("client_id", "jarm", "scope", "openid military")
	b.Allow("client_id", "std", "scope", "openid military")
	for name, c := range map[string]struct {
		change       []string
		place        string // query, fragment, form
		client, alg  string
		issued, code string // the member that is there, and the error
	}{
		"JWT":              {[]string{"response_mode", "jwt"}, "query", "jarm", "ES256", "code", ""},
		"Query":            {[]string{"response_mode", "query.jwt"}, "query", "jarm", "ES256", "code", ""},
		"Fragment":         {[]string{"response_mode", "fragment.jwt"}, "fragment", "jarm", "ES256", "code", ""},
		"Form":             {[]string{"response_mode", "form_post.jwt"}, "form", "jarm", "ES256", "code", ""},
		"Default":          {[]string{"response_mode", "jwt", "client_id", "std"}, "query", "std", "RS256", "code", ""},
		"Tokens":           {[]string{"response_mode", "jwt", "response_type", "id_token token", "nonce", "n"}, "fragment", "jarm", "ES256", "access_token", ""},
		"TokensByForm":     {[]string{"response_mode", "form_post.jwt", "response_type", "code id_token", "nonce", "n"}, "form", "jarm", "ES256", "id_token", ""},
		"TokensInQuery":    {[]string{"response_mode", "query.jwt", "response_type", "code id_token", "nonce", "n"}, "fragment", "jarm", "ES256", "error", "unsupported_response_mode"},
		"UnregisteredType": {[]string{"response_mode", "jwt", "response_type", "code token"}, "fragment", "jarm", "ES256", "error", "unsupported_response_type"},
		"Mistake":          {[]string{"response_mode", "jwt", "max_age", "x"}, "query", "jarm", "ES256", "error", "invalid_request"},
		"MistakeByForm":    {[]string{"response_mode", "form_post.jwt", "max_age", "x"}, "form", "jarm", "ES256", "error", "invalid_request"},
		"Silent":           {[]string{"response_mode", "jwt", "prompt", "none", "scope", "openid student"}, "query", "jarm", "ES256", "error", "consent_required"},
		"BrokenObject":     {[]string{"response_mode", "jwt", "request", "eyJhbGciOiJub25lIn0.e30."}, "query", "jarm", "ES256", "error", "invalid_request_object"},
		"ModeInObject":     {[]string{"response_mode", "", "request", lab.Unsigned(t, map[string]any{"response_mode": "fragment.jwt"}, "none")}, "fragment", "jarm", "ES256", "error", "invalid_request_object"},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.Get(lab.AuthorizeURL(append([]string{"client_id", "jarm", "scope", "openid military"}, c.change...)...))
			location := p.Header.Get("Location")
			var sent url.Values
			switch {
			case c.place == "form":
				var action string
				if action, sent = p.Form(t); action != lab.CallbackURI {
					t.Fatalf("form to %s", action)
				}
			case c.place == "query" && strings.HasPrefix(location, lab.CallbackURI+"?"), c.place == "fragment" && strings.HasPrefix(location, lab.CallbackURI+"#"):
				sent = lab.Response(t, p)
			default:
				t.Fatalf("%s to %q", p.Status, location)
			}
			if len(sent) != 1 {
				t.Errorf("beside the JWT: %v", sent)
			}
			claims := signedResponse(t, w, sent.Get("response"), c.client, c.alg)
			if claims["state"] != "xyz" || claims[c.issued] == nil || c.code != "" && claims["error"] != c.code || c.code == "" && claims["error"] != nil {
				t.Errorf("response %v", claims)
			}
		})
	}
	t.Run("IsNoHint", func(t *testing.T) {
		p := b.Get(lab.AuthorizeURL("client_id", "jarm", "scope", "openid military", "response_mode", "jwt"))
		hinted := b.Get(lab.AuthorizeURL("client_id", "jarm", "scope", "openid military", "prompt", "none", "id_token_hint", lab.Response(t, p).Get("response")))
		lab.Told(t, w, hinted, "invalid_request")
	})
	t.Run("UnknownModes", func(t *testing.T) {
		for _, mode := range []string{"JWT", ".jwt", "web_message.jwt", "query.jwt.jwt", "jwt.query", "fragmentjwt"} {
			if answer := lab.Response(t, b.Get(lab.AuthorizeURL("client_id", "jarm", "scope", "openid military", "response_mode", mode))); answer.Get("error") != "unsupported_response_mode" {
				t.Errorf("%s: %v", mode, answer)
			}
		}
	})
	t.Run("StateThatJSONCannotHold", func(t *testing.T) {
		p := b.Get(lab.AuthorizeURL("client_id", "jarm", "scope", "openid military", "response_mode", "jwt", "state", "a\xffb"))
		if claims := signedResponse(t, w, lab.Response(t, p).Get("response"), "jarm", "ES256"); claims["error"] != "invalid_request" || claims["state"] != nil {
			t.Errorf("response %v", claims)
		}
	})
	_, published := b.JSON(b.Get("/oidc/.well-known/openid-configuration"))
	for name, want := range map[string]string{
		"response_modes_supported":                   `["query","fragment","form_post","jwt","query.jwt","fragment.jwt","form_post.jwt"]`,
		"authorization_signing_alg_values_supported": `["RS256","ES256"]`,
	} {
		if got, _ := json.Marshal(published[name]); string(got) != want {
			t.Errorf("%s is %s", name, got)
		}
	}
}

package tokens

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestDiscoveryIsTrue(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "/id"} {
		t.Run("MountedAt"+path+"/", func(t *testing.T) {
			w := lab.New(t, func(c *provider.Config) { c.BaseURL += path }).WithClients().WithUsers()
			b := w.NewBrowser()
			p, document := b.JSON(b.Get(path + lab.DiscoveryPath))
			if got := p.Header.Get("Cache-Control"); !strings.HasPrefix(got, "public, max-age=") {
				t.Errorf("Cache-Control: %q", got)
			}
			if document["issuer"] != w.Server.URL+path+"/oidc" || document["issuer"] != w.Issuer() {
				t.Errorf("issuer %v", document["issuer"])
			}
			if server := p.Header.Get("Server"); server != "" || strings.Contains(p.Text, provider.Version()) {
				t.Errorf("it tells strangers its version: Server %q\n%s", server, p.Text)
			}
			for name, want := range map[string]any{
				"response_types_supported":              []any{"code", "token", "id_token", "id_token token", "code id_token", "code token", "code id_token token"},
				"code_challenge_methods_supported":      []any{"S256"},
				"id_token_signing_alg_values_supported": []any{"RS256"},
				"subject_types_supported":               []any{"public"},
				"request_parameter_supported":           true,
				"require_pushed_authorization_requests": false,
				"request_object_signing_alg_values_supported": []any{
					"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
				},
				"request_uri_parameter_supported":                false,
				"claims_parameter_supported":                     true,
				"acr_values_supported":                           []any{"https://refeds.org/profile/sfa", "https://refeds.org/profile/mfa"},
				"authorization_response_iss_parameter_supported": true,
			} {
				if diff := cmp.Diff(want, document[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			for name, value := range document {
				address, _ := value.(string)
				if !strings.HasSuffix(name, "_endpoint") && name != "jwks_uri" {
					continue
				}
				if !strings.HasPrefix(address, w.Server.URL+path+"/") {
					t.Errorf("%s is elsewhere: %s", name, address)
				}
				if p := b.Get(address); p.StatusCode == http.StatusNotFound || p.StatusCode >= 500 {
					t.Errorf("%s does not answer: %s", name, p.Status)
				}
			}
		})
	}
}
func TestNothingOfTheInsideIsServed(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	b := w.NewBrowser()
	for _, path := range []string{
		"/debug/pprof/", "/debug/pprof/heap", "/debug/vars", "/metrics", "/status", "/.env", "/.git/config", "/identity.db", "/identity.db-wal",
		"/assets/../identity.db", "/assets/..%2fidentity.db", "/assets/", "/images/", "/images/..%2f..%2fetc%2fpasswd", "/widget/", "/oidc/.well-known/", "/oidc/", "/api/",
		"/oidc/.well-known/openid-configuration/", "/oidc/.well-known/jwks/x.css", "//oauth/token", "/OAUTH/TOKEN",
	} {
		p := b.Send(http.MethodGet, path, "")
		if p.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s %.200s", path, p.Status, p.Text)
		}
		for _, inside := range []string{"goroutine", "go1.", "github.com/", w.Path} {
			if strings.Contains(p.Text, inside) {
				t.Errorf("%s shows %q", path, inside)
			}
		}
	}
	for _, name := range []string{"Server", "X-Powered-By"} {
		if got := b.Get(lab.DiscoveryPath).Header.Get(name); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// All response types bind what they answer with, and to nothing of elsewhere.
func TestIDTokenOfEveryResponseType(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithEveryResponseType()
	b := w.Alice()
	protocol := []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "sid", "nonce", "at_hash", "c_hash"}
	six := []string{"code", "id_token", "code id_token", "code token", "code id_token token", "token"}
	for client, responseTypes := range map[string][]string{"v3": six, "every": append(six, "id_token token")} {
		for _, responseType := range responseTypes {
			t.Run(client+"/"+responseType, func(t *testing.T) {
				got := b.Allow("client_id", client, "scope", "openid military", "response_type", responseType, "nonce", "n-7")
				if got.Get("iss") != w.Issuer() || got.Get("error") != "" {
					t.Fatalf("response %v", got)
				}
				if front := got.Get("id_token"); front != "" {
					checkIDToken(t, w, client, front, got.Get("access_token"), got.Get("code"), protocol)
				} else if strings.Contains(responseType, "id_token") {
					t.Errorf("no ID token: %v", got)
				}
				if token := got.Get("access_token"); token != "" {
					lab.Works(t, b, token, true)
				} else if slices.Contains(strings.Fields(responseType), "token") {
					t.Errorf("no access token: %v", got)
				}
				if code := got.Get("code"); code != "" {
					_, tokens := b.Token("client_id", client, "code", code)
					checkIDToken(t, w, client, lab.Member(t, tokens, "id_token"), lab.Member(t, tokens, "access_token"), "", protocol)
				}
			})
		}
	}
}

func checkIDToken(t *testing.T, w *lab.Fixture, client, token, access, code string, protocol []string) {
	t.Helper()
	header, claims := lab.JWT(t, token)
	if header["alg"] != "RS256" || header["typ"] != "JWT" || !slices.Contains(lab.KeyIDs(w.PublishedKeys()), header["kid"].(string)) || len(header) != 3 {
		t.Errorf("header %v", header)
	}
	want := map[string]any{"iss": w.Issuer(), "sub": "alice", "aud": client, "nonce": "n-7"}
	if access != "" {
		want["at_hash"] = lab.HalfHash(access)
	}
	if code != "" {
		want["c_hash"] = lab.HalfHash(code)
	}
	for _, name := range []string{"iss", "sub", "aud", "nonce", "at_hash", "c_hash"} {
		if claims[name] != want[name] {
			t.Errorf("%s is %v, want %v", name, claims[name], want[name])
		}
	}
	if claims["exp"].(float64)-claims["iat"].(float64) != 300 {
		t.Errorf("it lives from %v to %v", claims["iat"], claims["exp"])
	}
	for name := range claims {
		if !slices.Contains(protocol, name) && !slices.Contains([]string{"uuid", "status", "email", "email_verified", "fname", "lname", "street", "city", "state", "zip", "birthdate", "age", "previous_addresses"}, name) {
			t.Errorf("claim %q is nobody's business", name)
		}
	}
}

package flows

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// clause is a requirement of a standard, by its number there.
type clause struct {
	name  string
	check func(t *testing.T)
}

func testClauses(t *testing.T, clauses []clause) {
	t.Helper()
	for _, c := range clauses {
		t.Run(c.name, c.check)
	}
}

// refuses takes an answer, which has to be this error in JSON.
func refuses(p lab.Page, _ map[string]any) func(t *testing.T, status int, code string) {
	return func(t *testing.T, status int, code string) {
		t.Helper()
		lab.Refused(t, p, status, code)
	}
}

// accepts takes an answer, which has to be a success, and returns its body.
func accepts(t *testing.T) func(lab.Page, map[string]any) map[string]any {
	return func(p lab.Page, body map[string]any) map[string]any {
		t.Helper()
		if p.StatusCode != http.StatusOK && p.StatusCode != http.StatusCreated {
			t.Errorf("refused: %s %s", p.Status, p.Text)
		}
		return body
	}
}

const refreshes = "refresh_token"

// refresh presents a refresh token with a good assertion and these proofs.
func (b bank) refresh(token string, proofs ...string) (lab.Page, map[string]any) {
	b.T.Helper()
	return b.token(b.Fixture.Assertion(b.id), proofs, "grant_type", refreshes, refreshes, token, "redirect_uri", "")
}

// tokenProof is a proof for the token endpoint; pairs change its claims.
func (b bank) tokenProof(pairs ...any) string {
	b.T.Helper()
	return b.Proof(http.MethodPost, lab.TokenPath, pairs...)
}

// TestFAPI2SecurityProfile has a subtest for each requirement of the FAPI 2.0 Security Profile on
// authorization servers (section 5.3.2), on the data endpoints as resource servers (5.3.4) and on
// cryptography (5.4) that a program can see. TLS (5.2) is the host's, and mutual TLS is left out.
func TestFAPI2SecurityProfile(t *testing.T) {
	t.Parallel()
	w, b, signing := financial(t, func(c *provider.Config) { c.Lifetimes.Code = 10 * time.Minute })
	testClauses(t, slices.Concat(b.generalClauses(w), b.codeClauses(w, signing), b.resourceClauses(), b.cryptoClauses(w)))
}

// generalClauses are those of section 5.3.2.1.
func (b bank) generalClauses(w *lab.Fixture) []clause {
	return []clause{
		{"5.3.2.1-1 metadata", func(t *testing.T) {
			_, at := b.JSON(b.Get(lab.DiscoveryPath))
			_, inserted := b.JSON(b.Get("/.well-known/oauth-authorization-server/oidc"))
			for _, document := range []map[string]any{at, inserted} {
				if document["issuer"] != w.Issuer() || document["authorization_response_iss_parameter_supported"] != true ||
					document["pushed_authorization_request_endpoint"] != w.Server.URL+lab.PARPath || document["require_pushed_authorization_requests"] != false {
					t.Errorf("metadata %v", document)
				}
				for name, wanted := range map[string]string{
					"response_types_supported": "code", "code_challenge_methods_supported": "S256", "token_endpoint_auth_methods_supported": "private_key_jwt",
					"token_endpoint_auth_signing_alg_values_supported": "PS256", "request_object_signing_alg_values_supported": "ES256",
					"id_token_signing_alg_values_supported": "PS256", "userinfo_signing_alg_values_supported": "ES256",
					"authorization_signing_alg_values_supported": "PS256", "dpop_signing_alg_values_supported": "PS256", "response_modes_supported": "jwt",
				} {
					if list, _ := document[name].([]any); !slices.Contains(list, any(wanted)) || strings.Contains(name, "_alg_") && slices.Contains(list, any("none")) {
						t.Errorf("%s: %v", name, document[name])
					}
				}
			}
		}},
		{"5.3.2.1-2 no grant by password", func(t *testing.T) {
			refuses(b.token(w.Assertion(b.id), []string{b.tokenProof()}, "grant_type", "password", "username", "alice@example.com", "password", lab.AlicePass))(t, http.StatusBadRequest, "unsupported_grant_type")
		}},
		{"5.3.2.1-4 tokens are bound to a key", func(t *testing.T) {
			code, assertion := b.code(), w.Assertion(b.id)
			// The refusal spends neither the code nor the assertion.
			refuses(b.token(assertion, nil, "code", code, "code_verifier", lab.Verifier))(t, http.StatusBadRequest, "invalid_request")
			tokens := accepts(t)(b.token(assertion, []string{b.tokenProof()}, "code", code, "code_verifier", lab.Verifier))
			if tokens["token_type"] != "DPoP" {
				t.Errorf("tokens %v", tokens)
			}
			refuses(b.refresh(lab.Member(t, tokens, refreshes)))(t, http.StatusBadRequest, "invalid_request")
			refuses(b.token(assertion, []string{b.tokenProof()}, "code", code, "code_verifier", lab.Verifier))(t, http.StatusUnauthorized, "invalid_client")
		}},
		{"5.3.2.1-6 clients sign", func(t *testing.T) {
			code := b.code()
			refuses(b.TokenWith([]string{b.tokenProof()}, "client_id", b.id, "client_secret", "", "code", code, "code_verifier", lab.Verifier))(t, http.StatusUnauthorized, "invalid_client")
			refuses(b.TokenWith([]string{b.tokenProof()}, "client_id", b.id, "client_secret", lab.ClientSecret, "code", code, "code_verifier", lab.Verifier))(t, http.StatusUnauthorized, "invalid_client")
			for name, assertion := range map[string]map[string]any{
				"of another":    w.Assertion("signing"),
				"without sub":   lab.With(w.Assertion(b.id), "sub", nil),
				"without iss":   lab.With(w.Assertion(b.id), "iss", nil),
				"without jti":   lab.With(w.Assertion(b.id), "jti", nil),
				"without exp":   lab.With(w.Assertion(b.id), "exp", nil),
				"expired":       lab.With(w.Assertion(b.id), "exp", w.Now().Add(-5*time.Minute).Unix()),
				"of a day":      lab.With(w.Assertion(b.id), "exp", w.Now().Add(24*time.Hour).Unix()),
				"another's iss": lab.With(w.Assertion(b.id), "iss", "signing"),
			} {
				if p, _ := b.token(assertion, []string{b.tokenProof()}, "code", code, "code_verifier", lab.Verifier); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
			// The assertion alone names the client.
			accepts(t)(b.token(w.Assertion(b.id), []string{b.tokenProof()}, "client_id", "", "code", code, "code_verifier", lab.Verifier))
		}},
		{"5.3.2.1-7 no open redirector", func(t *testing.T) {
			for _, address := range []string{lab.CallbackURI + "/", lab.CallbackURI + "?a=b", "https://evil.test/", "https://rp.test@evil.test/cb"} {
				refuses(b.push("redirect_uri", address))(t, http.StatusBadRequest, "invalid_request")
				p := b.Get("/oauth/authorize?" + url.Values{"client_id": {b.id}, "response_type": {"code"}, "scope": {"openid"}, "redirect_uri": {address}}.Encode())
				lab.Shown(t, p, http.StatusBadRequest)
			}
		}},
		{"5.3.2.1-8 the issuer alone in aud", func(t *testing.T) {
			for name, c := range map[string]struct {
				aud  any
				good bool
			}{
				"issuer": {w.Issuer(), true}, "list": {[]string{w.Issuer()}, false}, "list with another": {[]string{w.Issuer(), "https://other.test"}, false},
				"token endpoint": {w.Server.URL + lab.TokenPath, false}, "push endpoint": {w.Server.URL + lab.PARPath, false}, "slash": {w.Issuer() + "/", false}, "none": {nil, false},
			} {
				p, _ := b.pushAs(lab.With(w.Assertion(b.id), "aud", c.aud))
				if good := p.StatusCode == http.StatusCreated; good != c.good || !good && !strings.Contains(p.Text, `"invalid_client"`) {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
		}},
		{"5.3.2.1-9 a refresh token is kept", func(t *testing.T) {
			w, b, _ := financial(t)
			tokens := accepts(t)(b.exchange(b.code()))
			kept, seen := lab.Member(t, tokens, refreshes), map[string]bool{lab.Member(t, tokens, "access_token"): true}
			for range 4 { // the second is later than the first end of the refresh token
				w.Advance(5 * 24 * time.Hour)
				tokens = accepts(t)(b.refresh(kept, b.tokenProof()))
				access := lab.Member(t, tokens, "access_token")
				if tokens[refreshes] != kept || tokens["token_type"] != "DPoP" || seen[access] {
					t.Fatalf("tokens %v", tokens)
				}
				seen[access] = true
			}
			if p := b.Post(lab.RevokePath, lab.Form("client_assertion", b.key.Sign(t, w.Assertion(b.id)), "client_assertion_type", lab.ByAssertion, "token", kept)); p.StatusCode != http.StatusOK {
				t.Errorf("revocation: %s %s", p.Status, p.Text)
			}
			refuses(b.refresh(kept, b.tokenProof()))(t, http.StatusBadRequest, "invalid_grant")
		}},
		{"5.3.2.1-11 a code is good for a minute", func(t *testing.T) {
			code := b.code()
			w.Advance(59 * time.Second)
			accepts(t)(b.exchange(code))
			code = b.code()
			w.Advance(61 * time.Second)
			refuses(b.exchange(code))(t, http.StatusBadRequest, "invalid_grant")
		}},
		{"5.3.2.1-12 codes are bound to a key", func(t *testing.T) {
			thief := b.Browser.Prover("EdDSA")
			for name, code := range map[string]string{"dpop_jkt": b.code("dpop_jkt", b.JKT()), "proof at PAR": lab.Response(t, b.visit(b.pushWith(b.Proof(http.MethodPost, lab.PARPath)))).Get("code")} {
				p, _ := b.token(w.Assertion(b.id), []string{thief.Proof(http.MethodPost, lab.TokenPath)}, "code", code, "code_verifier", lab.Verifier)
				lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
				if p, _ := b.exchange(code); p.StatusCode != http.StatusOK {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
			refuses(b.pushWith(thief.Proof(http.MethodPost, lab.PARPath), "dpop_jkt", b.JKT()))(t, http.StatusBadRequest, "invalid_dpop_proof")
		}},
		{"5.3.2.1-13 clocks differ", func(t *testing.T) {
			for ahead, good := range map[time.Duration]bool{0: true, 10 * time.Second: true, 65 * time.Second: false} {
				at := w.Now().Add(ahead).Unix()
				for _, name := range []string{"iat", "nbf"} {
					if p, _ := b.pushAs(lab.With(w.Assertion(b.id), name, at)); (p.StatusCode == http.StatusCreated) != good {
						t.Errorf("%s of an assertion %s ahead: %s %s", name, ahead, p.Status, p.Text)
					}
					if p, _ := b.token(w.Assertion(b.id), []string{b.tokenProof(name, at)}, "code", b.code(), "code_verifier", lab.Verifier); (p.StatusCode == http.StatusOK) != good {
						t.Errorf("%s of a proof %s ahead: %s %s", name, ahead, p.Status, p.Text)
					}
				}
			}
		}},
	}
}

// pushAs pushes a request with an assertion of these claims.
func (b bank) pushAs(assertion map[string]any) (lab.Page, map[string]any) {
	b.T.Helper()
	return b.Asserted(lab.PARPath, b.key.Sign(b.T, assertion), "redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid",
		"code_challenge", lab.S256, "code_challenge_method", "S256")
}

// pushWith pushes a request with a proof; pairs change the form.
func (b bank) pushWith(proof string, pairs ...string) (lab.Page, map[string]any) {
	b.T.Helper()
	form := lab.Form("redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid military", "state", "xyz",
		"code_challenge", lab.S256, "code_challenge_method", "S256",
		"client_assertion_type", lab.ByAssertion, "client_assertion", b.key.Sign(b.T, b.Fixture.Assertion(b.id)))
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.JSON(b.PostWith(lab.PARPath, form, proof))
}

// codeClauses are those of section 5.3.2.2.
func (b bank) codeClauses(w *lab.Fixture, signing bank) []clause {
	return []clause{
		{"5.3.2.2-1 codes only", func(t *testing.T) {
			for _, kind := range []string{"token", "id_token", "code id_token", "code token"} {
				refuses(b.push("response_type", kind, "nonce", "n"))(t, http.StatusBadRequest, "unsupported_response_type")
			}
		}},
		{"5.3.2.2-3 requests are pushed", func(t *testing.T) {
			request := url.Values{"redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid"}, "code_challenge": {lab.S256}, "code_challenge_method": {"S256"}}
			for _, id := range []string{b.id, signing.id} {
				request.Set("client_id", id)
				answer := lab.Response(t, b.Get("/oauth/authorize?"+request.Encode()))
				code := any(answer.Get("error"))
				if id == signing.id {
					code = signedResponse(t, w, answer.Get("response"), id, "ES256")["error"]
				}
				if code != "invalid_request" {
					t.Errorf("%s: %v", id, answer)
				}
			}
		}},
		{"5.3.2.2-4 by authenticated clients", func(t *testing.T) {
			for name, form := range map[string]url.Values{"without": {}, "by a secret": {"client_secret": {lab.ClientSecret}}} {
				form.Set("client_id", b.id)
				if p := b.Post(lab.PARPath, form); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
		}},
		{"5.3.2.2-5 with PKCE", func(t *testing.T) {
			refuses(b.push("code_challenge", "", "code_challenge_method", ""))(t, http.StatusBadRequest, "invalid_request")
			refuses(b.push("code_challenge_method", "plain"))(t, http.StatusBadRequest, "invalid_request")
			for _, verifier := range []string{"", strings.Repeat("x", 43)} {
				refuses(b.exchange(b.code(), "code_verifier", verifier))(t, http.StatusBadRequest, "invalid_grant")
			}
		}},
		{"5.3.2.2-6 with a redirect_uri", func(t *testing.T) {
			for _, scope := range []string{"openid military", "military"} {
				refuses(b.push("redirect_uri", "", "scope", scope))(t, http.StatusBadRequest, "invalid_request")
				refuses(signing.object("redirect_uri", nil, "scope", scope))(t, http.StatusBadRequest, "invalid_request")
			}
		}},
		{"5.3.2.2-7 iss in the response", func(t *testing.T) {
			for name, pushed := range map[string][]string{"code": nil, "error": {"prompt", "none", "max_age", "0"}} {
				if answer := lab.Response(t, b.visit(b.push(pushed...))); answer.Get("iss") != w.Issuer() || answer.Get("state") != "xyz" || (name == "code") == answer.Has("error") {
					t.Errorf("%s: %v", name, answer)
				}
			}
		}},
		{"5.3.2.2-8 no plain http", func(t *testing.T) {
			c := testkit.Must(w.Clients().Get(t.Context(), b.id))(w.T)
			c.RedirectURIs = []string{"http://rp.test/cb"}
			var told *provider.FieldError
			if err := w.Clients().Save(t.Context(), c); !errors.As(err, &told) || told.Field != "RedirectURIs[0]" {
				t.Errorf("saved: %v", err)
			}
		}},
		{"5.3.2.2-9 a code is used once", func(t *testing.T) {
			code := b.code()
			access := lab.Member(t, accepts(t)(b.exchange(code)), "access_token")
			w.Advance(time.Second)
			refuses(b.exchange(code))(t, http.StatusBadRequest, "invalid_grant")
			lab.Refused(t, b.Data(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
			code = b.code()
			refuses(signing.exchange(code))(t, http.StatusBadRequest, "invalid_grant") // another client
			accepts(t)(b.exchange(code))
		}},
		{"5.3.2.2-10 redirects with 303", func(t *testing.T) {
			_, pushed := b.push("prompt", "login consent")
			own := w.NewBrowser()
			signIn := own.Open(lab.PushedURL(b.id, lab.Member(t, pushed, "request_uri")))
			for _, values := range [][]string{{"email", "alice@example.com", "password", lab.AlicePass}, {"action", "allow"}} {
				p := own.SubmitOnce(signIn, values...)
				if p.StatusCode != http.StatusSeeOther {
					t.Errorf("%v: %s", values[0], p.Status)
				}
				signIn = own.Follow(p)
			}
		}},
		{"5.3.2.2-12 a request_uri ends within ten minutes", func(t *testing.T) {
			_, pushed := b.push()
			life, _ := pushed["expires_in"].(float64)
			if life <= 0 || life >= 600 {
				t.Errorf("expires_in %v", pushed["expires_in"])
			}
			w.Advance(time.Duration(life)*time.Second + time.Second)
			lab.Shown(t, b.Open(lab.PushedURL(b.id, lab.Member(t, pushed, "request_uri"))), http.StatusBadRequest)
		}},
		{"5.3.2.2-14 long nonces and states", func(t *testing.T) {
			for _, long := range []string{strings.Repeat("n", 64), strings.Repeat("n", 384)} {
				answer := lab.Response(t, b.visit(b.push("nonce", long, "state", strings.Repeat("s", 1000))))
				tokens := accepts(t)(b.exchange(answer.Get("code")))
				if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); claims["nonce"] != long || len(answer.Get("state")) != 1000 {
					t.Errorf("nonce %v, state %q", claims["nonce"], answer.Get("state"))
				}
			}
			answer := lab.Response(t, b.visit(b.push("state", "")))
			tokens := accepts(t)(b.exchange(answer.Get("code")))
			if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); answer.Has("state") || claims["nonce"] != nil {
				t.Errorf("response %v, claims %v", answer, claims)
			}
		}},
		{"5.3.2.2 note 3 a visit spends nothing", func(t *testing.T) {
			b.code() // alice has allowed it
			_, pushed := b.push()
			address := lab.PushedURL(b.id, lab.Member(t, pushed, "request_uri"))
			w.NewBrowser().Open(address) // a program that looks where the link leads
			own := w.NewBrowser()
			own.Open(address)
			p := own.Submit(own.Open(address), "email", "alice@example.com", "password", lab.AlicePass)
			if lab.CodeOf(p) == "" {
				t.Fatalf("no code: %s", p.Status)
			}
			for name, again := range map[string]*lab.Browser{"the same browser": own, "another": w.Alice()} {
				if p := again.Open(address); lab.CodeOf(p) != "" || !strings.Contains(p.Text, "already") {
					t.Errorf("%s: %s %s\n%s", name, p.Status, p.Header.Get("Location"), p.Text)
				}
			}
		}},
	}
}

// resourceClauses are those of section 5.3.4.
func (b bank) resourceClauses() []clause {
	return []clause{
		{"5.3.4-1 tokens in the header", func(t *testing.T) {
			access := lab.Member(t, accepts(t)(b.exchange(b.code())), "access_token")
			for _, scheme := range []string{"DPoP", "dpop", "dPOP"} {
				p := b.Send(http.MethodGet, lab.UserinfoPath, "", "Authorization", scheme+" "+access, "DPOP", b.Proof(http.MethodGet, lab.UserinfoPath, "ath", lab.Ath(access)))
				if p.StatusCode != http.StatusOK {
					t.Errorf("%s: %s %s", scheme, p.Status, p.Text)
				}
			}
		}},
		{"5.3.4-2 no tokens in the query", func(t *testing.T) {
			access := lab.Member(t, accepts(t)(b.exchange(b.code())), "access_token")
			p := b.Send(http.MethodGet, lab.UserinfoPath+"?access_token="+access, "", "DPoP", b.Proof(http.MethodGet, lab.UserinfoPath, "ath", lab.Ath(access)))
			if p.StatusCode == http.StatusOK {
				t.Errorf("%s %s", p.Status, p.Text)
			}
		}},
		{"5.3.4-3 of a grant in force", func(t *testing.T) {
			access := lab.Member(t, accepts(t)(b.exchange(b.code())), "access_token")
			if p := b.Post(lab.RevokePath, lab.Form("client_assertion", b.key.Sign(t, b.Fixture.Assertion(b.id)), "client_assertion_type", lab.ByAssertion, "token", access)); p.StatusCode != http.StatusOK {
				t.Errorf("revocation: %s %s", p.Status, p.Text)
			}
			lab.Refused(t, b.Data(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
			access = lab.Member(t, accepts(t)(b.exchange(b.code())), "access_token")
			b.Fixture.Advance(10 * time.Minute)
			lab.Refused(t, b.Data(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
		}},
		{"5.3.4-4 for what the scope covers", func(t *testing.T) {
			access := lab.Member(t, accepts(t)(b.exchange(b.code("scope", "military"))), "access_token")
			lab.Refused(t, b.Data(lab.UserinfoPath, access), http.StatusForbidden, "insufficient_scope")
		}},
		{"5.3.4-5 bound to a key", func(t *testing.T) {
			access := lab.Member(t, accepts(t)(b.exchange(b.code())), "access_token")
			lab.Works(t, b.Browser, access, false)
			lab.Refused(t, b.Browser.Prover("EdDSA").Data(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
			if p := b.Data(lab.UserinfoPath, access, "nbf", b.Fixture.Now().Unix(), "exp", b.Fixture.Now().Add(5*time.Minute).Unix()); p.StatusCode != http.StatusOK {
				t.Errorf("with its key: %s %s", p.Status, p.Text)
			}
		}},
	}
}

// cryptoClauses are those of section 5.4.
func (b bank) cryptoClauses(w *lab.Fixture) []clause {
	return []clause{
		{"5.4.1-1 algorithms", func(t *testing.T) {
			for name, good := range map[string]bool{"RS256": false, "RS512": false, "ES384": false, "ES512": false, "foreign": false, "PS256": true, "ES256": true, "EdDSA": true} {
				if p, _ := (bank{b.Prover, b.id, lab.ClientKeys()[name]}).push(); (p.StatusCode == http.StatusCreated) != good {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
			for name, assertion := range map[string]string{"none": lab.Unsigned(t, w.Assertion(b.id), "none"), "HMAC": lab.WithPublicKeyAsSecret(t, w.Assertion(b.id))} {
				if p, _ := b.Asserted(lab.PARPath, assertion); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
			for _, key := range []string{"RS256", "ES384"} {
				p, _ := b.token(w.Assertion(b.id), []string{b.Browser.Prover(key).Proof(http.MethodPost, lab.TokenPath)}, "code", b.code(), "code_verifier", lab.Verifier)
				lab.Refused(t, p, http.StatusBadRequest, "invalid_dpop_proof")
			}
			tokens := accepts(t)(b.exchange(b.code()))
			if header, _ := lab.JWT(t, lab.Member(t, tokens, "id_token")); header["alg"] != "ES256" {
				t.Errorf("ID token of %v", header)
			}
		}},
		{"5.4.1-2 sizes of keys", func(t *testing.T) {
			small := testkit.Must(rsa.GenerateKey(rand.Reader, 1024))(w.T)
			set := testkit.Must(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: small.Public(), KeyID: "small", Use: "sig"}}}))(w.T)
			c := testkit.Must(w.Clients().Get(t.Context(), b.id))(w.T)
			c.JWKS = set
			if err := w.Clients().Save(t.Context(), c); err == nil {
				t.Error("an RSA key of 1024 bits is registered")
			}
		}},
		{"5.4.1-4 secrets of 128 bits", func(t *testing.T) {
			_, pushed := b.push()
			code := b.code()
			tokens := accepts(t)(b.exchange(code))
			// Base64url holds 128 bits in 22 characters.
			for name, secret := range map[string]string{
				"request_uri": strings.TrimPrefix(lab.Member(t, pushed, "request_uri"), "urn:ietf:params:oauth:request_uri:"), "code": code,
				"access token": lab.Member(t, tokens, "access_token"), "refresh token": lab.Member(t, tokens, refreshes),
			} {
				if len(secret) < 40 {
					t.Errorf("%s %q", name, secret)
				}
			}
		}},
		{"5.4.2-3 identifiers of keys", func(t *testing.T) {
			ids := lab.KeyIDs(w.PublishedKeys())
			slices.Sort(ids)
			if len(ids) < 3 || len(slices.Compact(slices.Clone(ids))) != len(ids) || slices.Contains(ids, "") {
				t.Errorf("identifiers %q", ids)
			}
		}},
	}
}

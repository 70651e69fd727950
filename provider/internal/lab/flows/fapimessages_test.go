package flows

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestFAPI2MessageSigning has a subtest for each requirement of FAPI 2.0 Message Signing on
// authorization servers, and of the standards below it that are not an attack of their own
// elsewhere: RFC 9101 (signed requests) and RFC 9126 (pushed requests). Signed introspection
// responses (section 5.5) are left out. Those of RFC 9449 (DPoP) are in package dpop and in
// lab/attacks/tokens, those of JARM in TestSignedResponses.
func TestFAPI2MessageSigning(t *testing.T) {
	t.Parallel()
	w, secured, b := financial(t)
	now := w.Now()
	objects := func(t *testing.T, cases map[string]object) {
		t.Helper()
		for name, c := range cases {
			p, _ := b.object(c.change...)
			if c.code == "" && p.StatusCode != http.StatusCreated || c.code != "" && !strings.Contains(p.Text, `"`+c.code+`"`) {
				t.Errorf("%s: %s %s", name, p.Status, p.Text)
			}
		}
	}
	testClauses(t, []clause{
		{"5.3.1-1 requests are signed", func(t *testing.T) {
			refuses(b.push("response_mode", "jwt"))(t, http.StatusBadRequest, "invalid_request")
			claims := w.Object(b.id, "nbf", now.Unix(), "response_mode", "jwt", "code_challenge", lab.S256, "code_challenge_method", "S256")
			wrong := map[string]string{"none": lab.Unsigned(t, claims, "none"), "broken": b.key.Sign(t, claims) + "A"}
			for _, name := range []string{"RS256", "ES384", "foreign"} {
				wrong[name] = lab.ClientKeys()[name].Sign(t, claims)
			}
			for name, signed := range wrong {
				if p, _ := b.Asserted(lab.PARPath, b.key.Sign(t, w.Assertion(b.id)), "request", signed); !strings.Contains(p.Text, `"invalid_request_object"`) {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
			}
		}},
		{"5.3.1-2 for the issuer", func(t *testing.T) {
			objects(t, map[string]object{
				"issuer": {[]any{"aud", w.Issuer()}, ""}, "list": {[]any{"aud", []string{w.Issuer()}}, ""},
				"issuer and another": {[]any{"aud", []string{w.Issuer(), "https://other.test"}}, ""},
				"another":            {[]any{"aud", []string{"https://other.test"}}, "invalid_request_object"},
				"nobody":             {[]any{"aud", nil}, "invalid_request_object"},
			})
		}},
		{"5.3.1-3 nbf", func(t *testing.T) {
			at := func(d time.Duration) []any {
				return []any{"nbf", now.Add(d).Unix(), "exp", now.Add(max(d, 0) + time.Minute).Unix()}
			}
			objects(t, map[string]object{
				"none": {[]any{"nbf", nil}, "invalid_request_object"}, "an hour ago": {at(-58 * time.Minute), ""}, "longer ago": {at(-62 * time.Minute), "invalid_request_object"},
				"ten seconds ahead": {at(10 * time.Second), ""}, "more than a minute ahead": {at(65 * time.Second), "invalid_request_object"},
			})
		}},
		{"5.3.1-4 exp", func(t *testing.T) {
			at := func(nbf, exp time.Duration) []any {
				return []any{"nbf", now.Add(nbf).Unix(), "exp", now.Add(exp).Unix()}
			}
			objects(t, map[string]object{
				"none": {[]any{"exp", nil}, "invalid_request_object"}, "past": {at(-2*time.Minute, -time.Minute), "invalid_request_object"},
				"an hour": {at(0, time.Hour), ""}, "70 minutes": {at(0, 70*time.Minute), "invalid_request_object"},
				"an hour ahead, after 40 minutes": {at(-40*time.Minute, time.Hour), "invalid_request_object"},
			})
		}},
		{"5.3.1-5 typ", func(t *testing.T) {
			claims := w.Object(b.id, "nbf", now.Unix(), "response_mode", "jwt", "code_challenge", lab.S256, "code_challenge_method", "S256")
			for typ, good := range map[string]bool{"oauth-authz-req+jwt": true, "at+jwt": false, "dpop+jwt": false} {
				p, _ := b.Asserted(lab.PARPath, b.key.Sign(t, w.Assertion(b.id)), "request", b.key.Sign(t, claims, "typ", jose.HeaderKey(typ)))
				if (p.StatusCode == http.StatusCreated) != good {
					t.Errorf("%s: %s %s", typ, p.Status, p.Text)
				}
			}
		}},
		{"5.4.1-1 responses are signed", func(t *testing.T) {
			answer := lab.Response(t, b.visit(b.object()))
			claims := signedResponse(t, w, answer.Get("response"), b.id, "ES256")
			if len(answer) != 1 || claims["state"] != "xyz" {
				t.Errorf("response %v %v", answer, claims)
			}
			tokens := accepts(t)(b.exchange(claims["code"].(string)))
			if header, _ := lab.JWT(t, lab.Member(t, tokens, "id_token")); header["alg"] != "ES256" { // 5.6
				t.Errorf("ID token of %v", header)
			}
			_, pushed := b.object("prompt", "consent")
			p := b.Submit(b.Open(lab.PushedURL(b.id, lab.Member(t, pushed, "request_uri"))), "action", "deny")
			if claims := signedResponse(t, w, lab.Response(t, p).Get("response"), b.id, "ES256"); claims["error"] != "access_denied" {
				t.Errorf("response %v", claims)
			}
			objects(t, map[string]object{
				"none": {[]any{"response_mode", nil}, "unsupported_response_mode"}, "query": {[]any{"response_mode", "query"}, "unsupported_response_mode"},
				"fragment.jwt": {[]any{"response_mode", "fragment.jwt"}, ""},
			})
		}},
		{"RFC 9101 4 no request within a request", func(t *testing.T) {
			objects(t, map[string]object{
				"request_uri": {[]any{"request_uri", "https://rp.test/object"}, "invalid_request_object"}, "request": {[]any{"request", "x"}, "invalid_request_object"},
				"of another": {[]any{"iss", secured.id}, "invalid_request_object"}, "for another": {[]any{"client_id", secured.id}, "invalid_request_object"},
			})
		}},
		{"RFC 9101 5 parameters beside do not count", func(t *testing.T) {
			signed := b.key.Sign(t, w.Object(b.id, "nbf", now.Unix(), "response_mode", "jwt", "state", nil, "code_challenge", lab.S256, "code_challenge_method", "S256"))
			p, pushed := b.Asserted(lab.PARPath, b.key.Sign(t, w.Assertion(b.id)), "request", signed, "state", "beside", "nonce", "beside")
			if p.StatusCode != http.StatusCreated {
				t.Fatalf("push: %s %s", p.Status, p.Text)
			}
			address := lab.PushedURL(b.id, lab.Member(t, pushed, "request_uri"), "state", "beside", "nonce", "beside")
			claims := signedResponse(t, w, lab.Response(t, b.Open(address)).Get("response"), b.id, "ES256")
			if claims["state"] != nil {
				t.Errorf("response %v", claims)
			}
			tokens := accepts(t)(b.exchange(claims["code"].(string)))
			if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); claims["nonce"] != "n-1" {
				t.Errorf("nonce %v", claims["nonce"])
			}
		}},
		{"RFC 9101 10.8 an object is no assertion", func(t *testing.T) {
			claims := w.Object(b.id, "nbf", now.Unix(), "jti", "object-1", "response_mode", "jwt", "code_challenge", lab.S256, "code_challenge_method", "S256")
			if p, _ := b.Asserted(lab.PARPath, b.key.Sign(t, claims)); p.StatusCode != http.StatusUnauthorized {
				t.Errorf("as an assertion: %s %s", p.Status, p.Text)
			}
			objects(t, map[string]object{"sub": {[]any{"sub", b.id}, "invalid_request_object"}})
		}},
		{"RFC 9126 2.1 no request_uri in a push", func(t *testing.T) {
			refuses(secured.push("request_uri", "https://rp.test/request"))(t, http.StatusBadRequest, "invalid_request")
		}},
		{"RFC 9126 2.3 other methods", func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodDelete} {
				if p := b.Send(method, lab.PARPath, ""); p.StatusCode != http.StatusMethodNotAllowed {
					t.Errorf("%s: %s", method, p.Status)
				}
			}
		}},
		{"RFC 9126 4 of its client alone", func(t *testing.T) {
			_, pushed := secured.push()
			p := b.Open(lab.PushedURL(b.id, lab.Member(t, pushed, "request_uri")))
			lab.Shown(t, p, http.StatusBadRequest)
			if !strings.Contains(p.Text, "no longer works") {
				t.Errorf("page %s", p.Text)
			}
		}},
	})
}

// object is a change of a request object, and the error of it; empty for one that is accepted.
type object struct {
	change []any
	code   string
}

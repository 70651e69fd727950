package tokens

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// machineGrant are the parameters of a token request that needs nobody.
var machineGrant = []string{"grant_type", "client_credentials", "scope", "student"}

func TestAssertionOfEveryAlgorithm(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	b := w.NewBrowser()
	for name, key := range lab.ClientKeys() {
		if name == "foreign" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, body := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), machineGrant...)
			lab.Granted(t, p, body)
		})
	}
}

func TestAssertionAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	b, key := w.NewBrowser(), lab.ClientKeys()["EdDSA"]
	for _, aud := range []any{w.Issuer(), w.Server.URL + lab.TokenPath, []string{w.Issuer(), w.Server.URL + lab.TokenPath}} {
		p, body := b.Asserted(lab.TokenPath, key.Sign(t, lab.With(w.Assertion("key"), "aud", aud)), machineGrant...)
		token := lab.Granted(t, p, body)
		if p, body = b.Asserted(lab.IntrospectPath, key.Sign(t, lab.With(w.Assertion("key"), "aud", w.Server.URL+lab.IntrospectPath)), "token", token); body["active"] != true {
			t.Errorf("introspection: %s", p.Text)
		}
		if p, _ = b.Asserted(lab.RevokePath, key.Sign(t, lab.With(w.Assertion("key"), "aud", w.Server.URL+lab.RevokePath)), "token", token); p.StatusCode != http.StatusOK {
			t.Errorf("revocation: %s", p.Text)
		}
		if _, body = b.Asserted(lab.IntrospectPath, key.Sign(t, w.Assertion("key")), "token", token); body["active"] != false {
			t.Error("the token was not revoked")
		}
	}
	for _, typ := range []jose.HeaderKey{"JWT", "client-authentication+jwt", "application/client-authentication+jwt"} {
		p, body := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key"), "typ", typ), machineGrant...)
		lab.Granted(t, p, body)
	}
}

// attackedAssertion is an assertion that must not be believed, and what is told of it.
type attackedAssertion struct {
	clientID  string // beside it, or none
	diagnosis diagnosis.Name
	make      func(t testing.TB, w *lab.Fixture) string
}

var attackedAssertions = map[string]attackedAssertion{
	"ForeignKey": {"key", "jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["foreign"].Sign(t, w.Assertion("key"))
	}},
	"OtherClient": {"", "jwt_issuer_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["foreign"].Sign(t, lab.With(w.Assertion("key2"), "iss", "key"))
	}},
	"NotItself": {"key", "jwt_issuer_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "sub", "alice"))
	}},
	"OfAnother": {"key", "jwt_issuer_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "iss", "std"))
	}},
	"OtherProvider": {"key", "jwt_audience_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "aud", "https://other.test/oauth/token"))
	}},
	"OtherProviderBeside": {"key", "jwt_audience_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "aud", []string{w.Issuer(), "https://other.test/oidc"}))
	}},
	"LikeUs": {"key", "jwt_audience_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "aud", w.Issuer()+"/"))
	}},
	"NoAudience": {"key", "jwt_audience_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "aud", nil))
	}},
	"EmptyAudience": {"key", "jwt_audience_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "aud", []string{}))
	}},
	"NoExpiry": {"key", "jwt_incomplete", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "exp", nil))
	}},
	"Expired": {"key", "jwt_expired", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "exp", w.Now().Add(-time.Second).Unix()))
	}},
	"ForDays": {"key", "jwt_lifetime", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "exp", w.Now().Add(48*time.Hour).Unix()))
	}},
	"ForEver": {"key", "jwt_lifetime", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "exp", 1e300))
	}},
	"BeforeAll": {"key", "jwt_expired", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "exp", -1e300))
	}},
	"NotYet": {"key", "jwt_lifetime", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "nbf", w.Now().Add(10*time.Minute).Unix()))
	}},
	"OfTheFuture": {"key", "jwt_lifetime", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "iat", w.Now().Add(10*time.Minute).Unix()))
	}},
	"ExpiryAsText": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "exp", "4102444800"))
	}},
	"NoID": {"key", "jwt_incomplete", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "jti", nil))
	}},
	"OtherType": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "typ", "oauth-authz-req+jwt")
	}},
	"Critical": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "crit", "exp")
	}},
	"UnknownKey": {"key", "jwt_key_unknown", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "kid", "../../etc/passwd")
	}},
	"KeyOfAnotherType": {"key", "jwt_key_unknown", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "kid", "rsa")
	}},
	"WrongSignature": {"key", "jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string {
		return changeLast(lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key")))
	}},
	"NoSignature": {"key", "jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string {
		return strings.Join(strings.Split(lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key")), ".")[:2], ".") + "."
	}},
	"PaddedSignature": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key")) + "=="
	}},
	"Unsigned": {"key", "jwt_algorithm", func(t testing.TB, w *lab.Fixture) string {
		return lab.Unsigned(t, w.Assertion("key"), "none")
	}},
	"UnsignedInCapitals": {"key", "jwt_algorithm", func(t testing.TB, w *lab.Fixture) string {
		return lab.Unsigned(t, w.Assertion("key"), "nOnE")
	}},
	"WithOwnKey": {"key", "jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string {
		return withOwnKey(t, w.Assertion("key"))
	}},
	"WithOwnAddress": {"key", "jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["foreign"].Sign(t, w.Assertion("key"), "jku", "http://127.0.0.1:1/keys")
	}},
	"PublicKeyAsSecret": {"key", "jwt_algorithm", func(t testing.TB, w *lab.Fixture) string {
		return lab.WithPublicKeyAsSecret(t, w.Assertion("key"))
	}},
	"ClaimTwice": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return twice(t, w)
	}},
	"Encrypted": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return "a.b.c.d.e"
	}},
	"Nothing": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return ""
	}},
	"Huge": {"key", "jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return strings.Repeat("a.", 4000)
	}},
	"OfASecret": {"", "auth_method_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("std"), "iss", "std"))
	}},
	"OfAPublicClient": {"", "auth_method_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("pub"), "iss", "pub"))
	}},
	"OfNobody": {"", "client_unknown", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("nobody"), "iss", "nobody"))
	}},
}

func TestAttackAssertions(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithSigners()
	b, keys := w.NewBrowser(), lab.ClientKeys()
	for name, attack := range attackedAssertions {
		t.Run(name, func(t *testing.T) {
			w.Advance(time.Minute) // who guesses is held up
			seen := w.WatchActivity()
			p, _ := b.Asserted(lab.TokenPath, attack.make(t, w), append(machineGrant, "client_id", attack.clientID)...)
			lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
			if told := fmt.Sprint(seen.All()); attack.diagnosis != "client_unknown" && !strings.Contains(told, string(attack.diagnosis)) {
				t.Errorf("told %s, want %s", told, attack.diagnosis)
			}
		})
	}
	t.Run("AlgorithmThatIsNotRegistered", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, keys["RS256"].Sign(t, w.Assertion("es256")), machineGrant...)
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
		p, body := b.Asserted(lab.TokenPath, keys["ES256"].Sign(t, w.Assertion("es256")), machineGrant...)
		lab.Granted(t, p, body)
	})
	t.Run("AnotherClientIDBeside", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, keys["ES256"].Sign(t, w.Assertion("key")), append(machineGrant, "client_id", "key2")...)
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
	t.Run("SecretBeside", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, keys["ES256"].Sign(t, w.Assertion("key")), append(machineGrant, "client_secret", lab.ClientSecret)...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	})
	t.Run("SecretInPlaceOfIt", func(t *testing.T) {
		for _, secret := range []string{lab.ClientSecret, ""} {
			p, _ := b.Token(append(machineGrant, "client_id", "key", "client_secret", secret)...)
			lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
		}
	})
	t.Run("UnknownAssertionType", func(t *testing.T) {
		p, _ := b.Asserted(lab.TokenPath, keys["ES256"].Sign(t, w.Assertion("key")), append(machineGrant, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")...)
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
}

// TestAttackReplayedAssertion presents one assertion to two processes, and after a restart.
func TestAttackReplayedAssertion(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	assertion := lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"))
	p, body := w.NewBrowser().Asserted(lab.TokenPath, assertion, machineGrant...)
	lab.Granted(t, p, body)
	p, _ = w.NewBrowser().Asserted(lab.TokenPath, assertion, machineGrant...)
	lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")

	again := w.Restarted()
	p, _ = again.NewBrowser().Asserted(lab.IntrospectPath, assertion, "token", "x")
	lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")

	// Another client may have the same jti.
	claims := w.Assertion("key")
	p, body = again.NewBrowser().Asserted(lab.TokenPath, lab.ClientKeys()["ES256"].Sign(t, claims), machineGrant...)
	lab.Granted(t, p, body)
	p, body = again.NewBrowser().Asserted(lab.TokenPath, lab.ClientKeys()["foreign"].Sign(t, lab.With(claims, "iss", "key2", "sub", "key2")), machineGrant...)
	lab.Granted(t, p, body)
}

func changeLast(token string) string {
	i := strings.LastIndexByte(token, '.') + 2
	changed := byte('A')
	if token[i] == changed {
		changed = 'B'
	}
	return token[:i] + string(changed) + token[i+1:]
}

// withOwnKey signs with a key that the header brings along.
func withOwnKey(t testing.TB, claims map[string]any) string {
	t.Helper()
	key := lab.ClientKeys()["foreign"]
	signer := testkit.Must(jose.NewSigner(jose.SigningKey{Algorithm: key.Alg, Key: key.Private}, &jose.SignerOptions{EmbedJWK: true}))(t)
	return lab.SignedBy(t, signer, claims)
}

// twice signs a payload that has a claim twice.
func twice(t testing.TB, w *lab.Fixture) string {
	t.Helper()
	key := lab.ClientKeys()["ES256"]
	signer := testkit.Must(jose.NewSigner(jose.SigningKey{Algorithm: key.Alg, Key: key.Private}, nil))(t)
	payload := testkit.Must(json.Marshal(w.Assertion("key")))(t)
	signed := testkit.Must(signer.Sign(bytes.Replace(payload, []byte("{"), []byte(`{"sub":"std",`), 1)))(t)
	compact := testkit.Must(signed.CompactSerialize())(t)
	return compact
}

// TestKeySetThatCannotBeUsed tests that a client whose address answers with no keys that can be
// used is told so, and that only an address that does not answer is an outage.
func TestKeySetThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.AllowPrivate)
	answers := map[string]func(http.ResponseWriter){
		"/short": func(rw http.ResponseWriter) {
			_, _ = rw.Write([]byte(`{"keys":[{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}]}`))
		},
		"/none":    func(rw http.ResponseWriter) { _, _ = rw.Write([]byte(`<html>`)) },
		"/missing": func(rw http.ResponseWriter) { rw.WriteHeader(http.StatusNotFound) },
		"/away":    func(rw http.ResponseWriter) { rw.Header().Set("Location", "/none"); rw.WriteHeader(http.StatusFound) },
		"/huge":    func(rw http.ResponseWriter) { _, _ = rw.Write(bytes.Repeat([]byte(" "), 1<<17)) },
		"/failed":  func(rw http.ResponseWriter) { rw.WriteHeader(http.StatusBadGateway) },
		"/odd": func(rw http.ResponseWriter) {
			_, _ = rw.Write(bytes.Replace(lab.PublicKeys(t, "ES256"), []byte(`[`), []byte(`[{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"},`), 1))
		},
	}
	keys := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { answers[r.URL.Path](rw) }))
	t.Cleanup(keys.Close)
	for path := range answers {
		id := "at" + strings.ReplaceAll(path, "/", "-")
		w.OK(w.Clients().Save(t.Context(), provider.Client{
			ID: id, Dialect: provider.Standard, TokenEndpointAuthMethod: "private_key_jwt", JWKSURI: keys.URL + path, GrantTypes: []string{"client_credentials"},
		}))
		seen := w.WatchActivity()
		p, body := w.NewBrowser().Asserted(lab.TokenPath, lab.ClientKeys()["ES256"].Sign(t, w.Assertion(id)), "grant_type", "client_credentials")
		switch told := fmt.Sprint(seen.All()); path {
		case "/odd":
			lab.Granted(t, p, body)
		case "/failed":
			lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		default:
			lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
			if !strings.Contains(told, "client_keys_refused") || path == "/short" && !strings.Contains(told, "x has 1 bytes where P-521 needs 66") {
				t.Errorf("%s is told %s", path, told)
			}
		}
	}
}

package provider_test

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// machineGrant are the parameters of a token request that needs nobody.
var machineGrant = []string{"grant_type", "client_credentials", "scope", "student"}

func TestAssertionOfEveryAlgorithm(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withSigners()
	b := w.newBrowser()
	for name, key := range clientKeys() {
		if name == "foreign" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, body := b.asserted(tokenPath, key.sign(t, w.assertion("key")), machineGrant...)
			granted(t, p, body)
		})
	}
}

func TestAssertionAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withSigners()
	b, key := w.newBrowser(), clientKeys()["EdDSA"]
	for _, aud := range []any{w.Issuer(), w.server.URL + tokenPath, []string{w.Issuer(), w.server.URL + tokenPath}} {
		p, body := b.asserted(tokenPath, key.sign(t, with(w.assertion("key"), "aud", aud)), machineGrant...)
		token := granted(t, p, body)
		if p, body = b.asserted(introspectPath, key.sign(t, with(w.assertion("key"), "aud", w.server.URL+introspectPath)), "token", token); body["active"] != true {
			t.Errorf("introspection: %s", p.body)
		}
		if p, _ = b.asserted(revokePath, key.sign(t, with(w.assertion("key"), "aud", w.server.URL+revokePath)), "token", token); p.StatusCode != http.StatusOK {
			t.Errorf("revocation: %s", p.body)
		}
		if _, body = b.asserted(introspectPath, key.sign(t, w.assertion("key")), "token", token); body["active"] != false {
			t.Error("the token was not revoked")
		}
	}
	for _, typ := range []jose.HeaderKey{"JWT", "client-authentication+jwt", "application/client-authentication+jwt"} {
		p, body := b.asserted(tokenPath, key.sign(t, w.assertion("key"), "typ", typ), machineGrant...)
		granted(t, p, body)
	}
}

// attackedAssertion is an assertion that must not be believed, and what is told of it.
type attackedAssertion struct {
	clientID  string // beside it, or none
	diagnosis provider.Diagnosis
	make      func(t testing.TB, w *fixture) string
}

var attackedAssertions = map[string]attackedAssertion{
	"ForeignKey": {"key", "jwt_signature_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["foreign"].sign(t, w.assertion("key"))
	}},
	"OtherClient": {"", "jwt_issuer_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["foreign"].sign(t, with(w.assertion("key2"), "iss", "key"))
	}},
	"NotItself": {"key", "jwt_issuer_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "sub", "alice"))
	}},
	"OfAnother": {"key", "jwt_issuer_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "iss", "std"))
	}},
	"OtherProvider": {"key", "jwt_audience_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "aud", "https://other.test/oauth/token"))
	}},
	"OtherProviderBeside": {"key", "jwt_audience_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "aud", []string{w.Issuer(), "https://other.test/oidc"}))
	}},
	"LikeUs": {"key", "jwt_audience_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "aud", w.Issuer()+"/"))
	}},
	"NoAudience": {"key", "jwt_audience_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "aud", nil))
	}},
	"EmptyAudience": {"key", "jwt_audience_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "aud", []string{}))
	}},
	"NoExpiry": {"key", "jwt_incomplete", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "exp", nil))
	}},
	"Expired": {"key", "jwt_expired", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "exp", w.now().Add(-time.Second).Unix()))
	}},
	"ForDays": {"key", "jwt_lifetime", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "exp", w.now().Add(48*time.Hour).Unix()))
	}},
	"ForEver": {"key", "jwt_lifetime", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "exp", 1e300))
	}},
	"BeforeAll": {"key", "jwt_expired", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "exp", -1e300))
	}},
	"NotYet": {"key", "jwt_lifetime", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "nbf", w.now().Add(10*time.Minute).Unix()))
	}},
	"OfTheFuture": {"key", "jwt_lifetime", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "iat", w.now().Add(10*time.Minute).Unix()))
	}},
	"ExpiryAsText": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "exp", "4102444800"))
	}},
	"NoID": {"key", "jwt_incomplete", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("key"), "jti", nil))
	}},
	"OtherType": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, w.assertion("key"), "typ", "oauth-authz-req+jwt")
	}},
	"Critical": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, w.assertion("key"), "crit", "exp")
	}},
	"UnknownKey": {"key", "jwt_key_unknown", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, w.assertion("key"), "kid", "../../etc/passwd")
	}},
	"KeyOfAnotherType": {"key", "jwt_key_unknown", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, w.assertion("key"), "kid", "rsa")
	}},
	"WrongSignature": {"key", "jwt_signature_wrong", func(t testing.TB, w *fixture) string {
		return changeLast(clientKeys()["ES256"].sign(t, w.assertion("key")))
	}},
	"NoSignature": {"key", "jwt_signature_wrong", func(t testing.TB, w *fixture) string {
		return strings.Join(strings.Split(clientKeys()["ES256"].sign(t, w.assertion("key")), ".")[:2], ".") + "."
	}},
	"PaddedSignature": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, w.assertion("key")) + "=="
	}},
	"Unsigned": {"key", "jwt_algorithm", func(t testing.TB, w *fixture) string {
		return unsigned(t, w.assertion("key"), "none")
	}},
	"UnsignedInCapitals": {"key", "jwt_algorithm", func(t testing.TB, w *fixture) string {
		return unsigned(t, w.assertion("key"), "nOnE")
	}},
	"WithOwnKey": {"key", "jwt_signature_wrong", func(t testing.TB, w *fixture) string {
		return withOwnKey(t, w.assertion("key"))
	}},
	"WithOwnAddress": {"key", "jwt_signature_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["foreign"].sign(t, w.assertion("key"), "jku", "http://127.0.0.1:1/keys")
	}},
	"PublicKeyAsSecret": {"key", "jwt_algorithm", func(t testing.TB, w *fixture) string {
		return withPublicKeyAsSecret(t, w.assertion("key"))
	}},
	"ClaimTwice": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return twice(t, w)
	}},
	"Encrypted": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return "a.b.c.d.e"
	}},
	"Nothing": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return ""
	}},
	"Huge": {"key", "jwt_malformed", func(t testing.TB, w *fixture) string {
		return strings.Repeat("a.", 4000)
	}},
	"OfASecret": {"", "auth_method_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("std"), "iss", "std"))
	}},
	"OfAPublicClient": {"", "auth_method_wrong", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("pub"), "iss", "pub"))
	}},
	"OfNobody": {"", "client_unknown", func(t testing.TB, w *fixture) string {
		return clientKeys()["ES256"].sign(t, with(w.assertion("nobody"), "iss", "nobody"))
	}},
}

func TestAttackAssertions(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withSigners()
	b, keys := w.newBrowser(), clientKeys()
	for name, attack := range attackedAssertions {
		t.Run(name, func(t *testing.T) {
			w.advance(time.Minute) // who guesses is held up
			seen := w.watch()
			p, _ := b.asserted(tokenPath, attack.make(t, w), append(machineGrant, "client_id", attack.clientID)...)
			refused(t, p, http.StatusUnauthorized, "invalid_client")
			if told := fmt.Sprint(seen.all()); attack.diagnosis != "client_unknown" && !strings.Contains(told, string(attack.diagnosis)) {
				t.Errorf("told %s, want %s", told, attack.diagnosis)
			}
		})
	}
	t.Run("AlgorithmThatIsNotRegistered", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, keys["RS256"].sign(t, w.assertion("es256")), machineGrant...)
		refused(t, p, http.StatusUnauthorized, "invalid_client")
		p, body := b.asserted(tokenPath, keys["ES256"].sign(t, w.assertion("es256")), machineGrant...)
		granted(t, p, body)
	})
	t.Run("AnotherClientIDBeside", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, keys["ES256"].sign(t, w.assertion("key")), append(machineGrant, "client_id", "key2")...)
		refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
	t.Run("SecretBeside", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, keys["ES256"].sign(t, w.assertion("key")), append(machineGrant, "client_secret", clientSecret)...)
		refused(t, p, http.StatusBadRequest, "invalid_request")
	})
	t.Run("SecretInPlaceOfIt", func(t *testing.T) {
		for _, secret := range []string{clientSecret, ""} {
			p, _ := b.token(append(machineGrant, "client_id", "key", "client_secret", secret)...)
			refused(t, p, http.StatusUnauthorized, "invalid_client")
		}
	})
	t.Run("UnknownAssertionType", func(t *testing.T) {
		p, _ := b.asserted(tokenPath, keys["ES256"].sign(t, w.assertion("key")), append(machineGrant, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")...)
		refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
}

// TestAttackReplayedAssertion presents one assertion to two processes, and after a restart.
func TestAttackReplayedAssertion(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withSigners()
	assertion := clientKeys()["ES256"].sign(t, w.assertion("key"))
	p, body := w.newBrowser().asserted(tokenPath, assertion, machineGrant...)
	granted(t, p, body)
	p, _ = w.newBrowser().asserted(tokenPath, assertion, machineGrant...)
	refused(t, p, http.StatusUnauthorized, "invalid_client")

	again := w.restarted()
	p, _ = again.newBrowser().asserted(introspectPath, assertion, "token", "x")
	refused(t, p, http.StatusUnauthorized, "invalid_client")

	// Another client may have the same jti.
	claims := w.assertion("key")
	p, body = again.newBrowser().asserted(tokenPath, clientKeys()["ES256"].sign(t, claims), machineGrant...)
	granted(t, p, body)
	p, body = again.newBrowser().asserted(tokenPath, clientKeys()["foreign"].sign(t, with(claims, "iss", "key2", "sub", "key2")), machineGrant...)
	granted(t, p, body)
}

// restarted is another process on the same database, with the same address.
func (w *fixture) restarted() *fixture {
	w.t.Helper()
	store, err := sqlite.Open(w.t.Context(), w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	other, err := provider.New(w.t.Context(), provider.Config{
		BaseURL: w.server.URL, Secret: testSecret(w.t), Store: store, Mailer: w.mails, Clock: w.now,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := other.Close(); err != nil {
			w.t.Errorf("close: %v", err)
		}
	})
	again := &fixture{Provider: other, t: w.t, server: w.server, store: store, path: w.path, mails: w.mails, log: w.log, clock: w.now()}
	w.Provider = other // whoever asks the server asks this one from now on
	return again
}

func changeLast(token string) string {
	i := strings.LastIndexByte(token, '.') + 2
	changed := byte('A')
	if token[i] == changed {
		changed = 'B'
	}
	return token[:i] + string(changed) + token[i+1:]
}

// unsigned is a token that nobody has signed.
func unsigned(t testing.TB, claims map[string]any, alg string) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	encoding := base64.RawURLEncoding
	return encoding.EncodeToString([]byte(`{"alg":"`+alg+`"}`)) + "." + encoding.EncodeToString(payload) + "."
}

// withOwnKey signs with a key that the header brings along.
func withOwnKey(t testing.TB, claims map[string]any) string {
	t.Helper()
	key := clientKeys()["foreign"]
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.alg, Key: key.private}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	return signedBy(t, signer, claims)
}

// withPublicKeyAsSecret signs with HMAC under the public key, which everybody knows.
func withPublicKeyAsSecret(t testing.TB, claims map[string]any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(clientKeys()["RS256"].private.Public())
	if err != nil {
		t.Fatal(err)
	}
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret},
		&jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{"kid": "rsa"}})
	if err != nil {
		t.Fatal(err)
	}
	return signedBy(t, signer, claims)
}

// twice signs a payload that has a claim twice.
func twice(t testing.TB, w *fixture) string {
	t.Helper()
	key := clientKeys()["ES256"]
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.alg, Key: key.private}, nil)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(w.assertion("key"))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(bytes.Replace(payload, []byte("{"), []byte(`{"sub":"std",`), 1))
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

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
	w := New(t).WithSigners()
	b := w.NewBrowser()
	for name, key := range ClientKeys() {
		if name == "foreign" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, body := b.Asserted(TokenPath, key.Sign(t, w.Assertion("key")), machineGrant...)
			Granted(t, p, body)
		})
	}
}

func TestAssertionAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	w := New(t).WithSigners()
	b, key := w.NewBrowser(), ClientKeys()["EdDSA"]
	for _, aud := range []any{w.Issuer(), w.Server.URL + TokenPath, []string{w.Issuer(), w.Server.URL + TokenPath}} {
		p, body := b.Asserted(TokenPath, key.Sign(t, With(w.Assertion("key"), "aud", aud)), machineGrant...)
		token := Granted(t, p, body)
		if p, body = b.Asserted(IntrospectPath, key.Sign(t, With(w.Assertion("key"), "aud", w.Server.URL+IntrospectPath)), "token", token); body["active"] != true {
			t.Errorf("introspection: %s", p.Text)
		}
		if p, _ = b.Asserted(RevokePath, key.Sign(t, With(w.Assertion("key"), "aud", w.Server.URL+RevokePath)), "token", token); p.StatusCode != http.StatusOK {
			t.Errorf("revocation: %s", p.Text)
		}
		if _, body = b.Asserted(IntrospectPath, key.Sign(t, w.Assertion("key")), "token", token); body["active"] != false {
			t.Error("the token was not revoked")
		}
	}
	for _, typ := range []jose.HeaderKey{"JWT", "client-authentication+jwt", "application/client-authentication+jwt"} {
		p, body := b.Asserted(TokenPath, key.Sign(t, w.Assertion("key"), "typ", typ), machineGrant...)
		Granted(t, p, body)
	}
}

// attackedAssertion is an assertion that must not be believed, and what is told of it.
type attackedAssertion struct {
	clientID  string // beside it, or none
	diagnosis provider.Diagnosis
	make      func(t testing.TB, w *Fixture) string
}

var attackedAssertions = map[string]attackedAssertion{
	"ForeignKey": {"key", "jwt_signature_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["foreign"].Sign(t, w.Assertion("key"))
	}},
	"OtherClient": {"", "jwt_issuer_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["foreign"].Sign(t, With(w.Assertion("key2"), "iss", "key"))
	}},
	"NotItself": {"key", "jwt_issuer_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "sub", "alice"))
	}},
	"OfAnother": {"key", "jwt_issuer_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "iss", "std"))
	}},
	"OtherProvider": {"key", "jwt_audience_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "aud", "https://other.test/oauth/token"))
	}},
	"OtherProviderBeside": {"key", "jwt_audience_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "aud", []string{w.Issuer(), "https://other.test/oidc"}))
	}},
	"LikeUs": {"key", "jwt_audience_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "aud", w.Issuer()+"/"))
	}},
	"NoAudience": {"key", "jwt_audience_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "aud", nil))
	}},
	"EmptyAudience": {"key", "jwt_audience_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "aud", []string{}))
	}},
	"NoExpiry": {"key", "jwt_incomplete", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "exp", nil))
	}},
	"Expired": {"key", "jwt_expired", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "exp", w.Now().Add(-time.Second).Unix()))
	}},
	"ForDays": {"key", "jwt_lifetime", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "exp", w.Now().Add(48*time.Hour).Unix()))
	}},
	"ForEver": {"key", "jwt_lifetime", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "exp", 1e300))
	}},
	"BeforeAll": {"key", "jwt_expired", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "exp", -1e300))
	}},
	"NotYet": {"key", "jwt_lifetime", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "nbf", w.Now().Add(10*time.Minute).Unix()))
	}},
	"OfTheFuture": {"key", "jwt_lifetime", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "iat", w.Now().Add(10*time.Minute).Unix()))
	}},
	"ExpiryAsText": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "exp", "4102444800"))
	}},
	"NoID": {"key", "jwt_incomplete", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "jti", nil))
	}},
	"OtherType": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "typ", "oauth-authz-req+jwt")
	}},
	"Critical": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "crit", "exp")
	}},
	"UnknownKey": {"key", "jwt_key_unknown", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "kid", "../../etc/passwd")
	}},
	"KeyOfAnotherType": {"key", "jwt_key_unknown", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, w.Assertion("key"), "kid", "rsa")
	}},
	"WrongSignature": {"key", "jwt_signature_wrong", func(t testing.TB, w *Fixture) string {
		return changeLast(ClientKeys()["ES256"].Sign(t, w.Assertion("key")))
	}},
	"NoSignature": {"key", "jwt_signature_wrong", func(t testing.TB, w *Fixture) string {
		return strings.Join(strings.Split(ClientKeys()["ES256"].Sign(t, w.Assertion("key")), ".")[:2], ".") + "."
	}},
	"PaddedSignature": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, w.Assertion("key")) + "=="
	}},
	"Unsigned": {"key", "jwt_algorithm", func(t testing.TB, w *Fixture) string {
		return Unsigned(t, w.Assertion("key"), "none")
	}},
	"UnsignedInCapitals": {"key", "jwt_algorithm", func(t testing.TB, w *Fixture) string {
		return Unsigned(t, w.Assertion("key"), "nOnE")
	}},
	"WithOwnKey": {"key", "jwt_signature_wrong", func(t testing.TB, w *Fixture) string {
		return withOwnKey(t, w.Assertion("key"))
	}},
	"WithOwnAddress": {"key", "jwt_signature_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["foreign"].Sign(t, w.Assertion("key"), "jku", "http://127.0.0.1:1/keys")
	}},
	"PublicKeyAsSecret": {"key", "jwt_algorithm", func(t testing.TB, w *Fixture) string {
		return WithPublicKeyAsSecret(t, w.Assertion("key"))
	}},
	"ClaimTwice": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return twice(t, w)
	}},
	"Encrypted": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return "a.b.c.d.e"
	}},
	"Nothing": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return ""
	}},
	"Huge": {"key", "jwt_malformed", func(t testing.TB, w *Fixture) string {
		return strings.Repeat("a.", 4000)
	}},
	"OfASecret": {"", "auth_method_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("std"), "iss", "std"))
	}},
	"OfAPublicClient": {"", "auth_method_wrong", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("pub"), "iss", "pub"))
	}},
	"OfNobody": {"", "client_unknown", func(t testing.TB, w *Fixture) string {
		return ClientKeys()["ES256"].Sign(t, With(w.Assertion("nobody"), "iss", "nobody"))
	}},
}

func TestAttackAssertions(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithSigners()
	b, keys := w.NewBrowser(), ClientKeys()
	for name, attack := range attackedAssertions {
		t.Run(name, func(t *testing.T) {
			w.Advance(time.Minute) // who guesses is held up
			seen := w.WatchActivity()
			p, _ := b.Asserted(TokenPath, attack.make(t, w), append(machineGrant, "client_id", attack.clientID)...)
			Refused(t, p, http.StatusUnauthorized, "invalid_client")
			if told := fmt.Sprint(seen.All()); attack.diagnosis != "client_unknown" && !strings.Contains(told, string(attack.diagnosis)) {
				t.Errorf("told %s, want %s", told, attack.diagnosis)
			}
		})
	}
	t.Run("AlgorithmThatIsNotRegistered", func(t *testing.T) {
		p, _ := b.Asserted(TokenPath, keys["RS256"].Sign(t, w.Assertion("es256")), machineGrant...)
		Refused(t, p, http.StatusUnauthorized, "invalid_client")
		p, body := b.Asserted(TokenPath, keys["ES256"].Sign(t, w.Assertion("es256")), machineGrant...)
		Granted(t, p, body)
	})
	t.Run("AnotherClientIDBeside", func(t *testing.T) {
		p, _ := b.Asserted(TokenPath, keys["ES256"].Sign(t, w.Assertion("key")), append(machineGrant, "client_id", "key2")...)
		Refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
	t.Run("SecretBeside", func(t *testing.T) {
		p, _ := b.Asserted(TokenPath, keys["ES256"].Sign(t, w.Assertion("key")), append(machineGrant, "client_secret", ClientSecret)...)
		Refused(t, p, http.StatusBadRequest, "invalid_request")
	})
	t.Run("SecretInPlaceOfIt", func(t *testing.T) {
		for _, secret := range []string{ClientSecret, ""} {
			p, _ := b.Token(append(machineGrant, "client_id", "key", "client_secret", secret)...)
			Refused(t, p, http.StatusUnauthorized, "invalid_client")
		}
	})
	t.Run("UnknownAssertionType", func(t *testing.T) {
		p, _ := b.Asserted(TokenPath, keys["ES256"].Sign(t, w.Assertion("key")), append(machineGrant, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")...)
		Refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
}

// TestAttackReplayedAssertion presents one assertion to two processes, and after a restart.
func TestAttackReplayedAssertion(t *testing.T) {
	t.Parallel()
	w := New(t).WithSigners()
	assertion := ClientKeys()["ES256"].Sign(t, w.Assertion("key"))
	p, body := w.NewBrowser().Asserted(TokenPath, assertion, machineGrant...)
	Granted(t, p, body)
	p, _ = w.NewBrowser().Asserted(TokenPath, assertion, machineGrant...)
	Refused(t, p, http.StatusUnauthorized, "invalid_client")

	again := w.Restarted()
	p, _ = again.NewBrowser().Asserted(IntrospectPath, assertion, "token", "x")
	Refused(t, p, http.StatusUnauthorized, "invalid_client")

	// Another client may have the same jti.
	claims := w.Assertion("key")
	p, body = again.NewBrowser().Asserted(TokenPath, ClientKeys()["ES256"].Sign(t, claims), machineGrant...)
	Granted(t, p, body)
	p, body = again.NewBrowser().Asserted(TokenPath, ClientKeys()["foreign"].Sign(t, With(claims, "iss", "key2", "sub", "key2")), machineGrant...)
	Granted(t, p, body)
}

// Restarted is another process on the same database, with the same address.
func (w *Fixture) Restarted() *Fixture {
	w.T.Helper()
	store, err := sqlite.Open(w.T.Context(), w.Path)
	if err != nil {
		w.T.Fatal(err)
	}
	other, err := provider.New(w.T.Context(), provider.Config{
		BaseURL: w.Server.URL, Secret: Secret(w.T), Store: store, Mailer: w.Mails, Clock: w.Now,
	})
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() {
		if err := other.Close(); err != nil {
			w.T.Errorf("close: %v", err)
		}
	})
	again := &Fixture{Provider: other, T: w.T, Server: w.Server, Store: store, Path: w.Path, Mails: w.Mails, Log: w.Log, clock: w.Now()}
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

// Unsigned is a token that nobody has signed.
func Unsigned(t testing.TB, claims map[string]any, alg string) string {
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
	key := ClientKeys()["foreign"]
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.Alg, Key: key.Private}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	return SignedBy(t, signer, claims)
}

// WithPublicKeyAsSecret signs with HMAC under the public key, which everybody knows.
func WithPublicKeyAsSecret(t testing.TB, claims map[string]any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(ClientKeys()["RS256"].Private.Public())
	if err != nil {
		t.Fatal(err)
	}
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret},
		&jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{"kid": "rsa"}})
	if err != nil {
		t.Fatal(err)
	}
	return SignedBy(t, signer, claims)
}

// twice signs a payload that has a claim twice.
func twice(t testing.TB, w *Fixture) string {
	t.Helper()
	key := ClientKeys()["ES256"]
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.Alg, Key: key.Private}, nil)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(w.Assertion("key"))
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

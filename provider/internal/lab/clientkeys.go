package lab

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// Restarted is another process on the same database, with the same address.
func (w *Fixture) Restarted() *Fixture {
	w.T.Helper()
	store := testkit.Must(sqlite.Open(w.T.Context(), w.Path))(w.T)
	other := testkit.Must(provider.New(w.T.Context(), provider.Config{
		BaseURL: w.Server.URL, Secret: Secret(w.T), Store: store, Mailer: w.Mails, Clock: w.Now,
	}))(w.T)
	w.T.Cleanup(func() {
		if err := other.Close(); err != nil {
			w.T.Errorf("close: %v", err)
		}
	})
	again := &Fixture{Provider: other, T: w.T, Server: w.Server, Store: store, Path: w.Path, Mails: w.Mails, Log: w.Log, clock: w.Now()}
	w.Provider = other // whoever asks the server asks this one from now on
	return again
}

// Unsigned is a token that nobody has signed.
func Unsigned(t testing.TB, claims map[string]any, alg string) string {
	t.Helper()
	payload := testkit.Must(json.Marshal(claims))(t)
	encoding := base64.RawURLEncoding
	return encoding.EncodeToString([]byte(`{"alg":"`+alg+`"}`)) + "." + encoding.EncodeToString(payload) + "."
}

// WithPublicKeyAsSecret signs with HMAC under the public key, which everybody knows.
func WithPublicKeyAsSecret(t testing.TB, claims map[string]any) string {
	t.Helper()
	der := testkit.Must(x509.MarshalPKIXPublicKey(ClientKeys()["RS256"].Private.Public()))(t)
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret},
		&jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{"kid": "rsa"}})
	testkit.OK(t, err)
	return SignedBy(t, signer, claims)
}

const (
	// PARPath is the endpoint of pushed authorization requests.
	PARPath = "/oauth/par"
	// BearerGrant is the grant type of an assertion about a user.
	BearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	// ByAssertion is the type of an assertion that a client knows itself by.
	ByAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// ClientKey is a private key of an application; making one takes long.
type ClientKey struct {
	id      string
	Alg     jose.SignatureAlgorithm
	Private crypto.Signer
}

func makeKey(id string, alg jose.SignatureAlgorithm, private crypto.Signer, err error) ClientKey {
	if err != nil {
		panic(err)
	}
	return ClientKey{id, alg, private}
}

// ClientKeys are one of each kind, made once.
var ClientKeys = sync.OnceValue(func() map[string]ClientKey {
	rsaKey, err1 := rsa.GenerateKey(rand.Reader, 2048)
	p256, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, err3 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	p521, err4 := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	_, ed, err5 := ed25519.GenerateKey(rand.Reader)
	foreign, err6 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return map[string]ClientKey{
		"RS256": makeKey("rsa", jose.RS256, rsaKey, err1), "PS256": makeKey("rsa", jose.PS256, rsaKey, nil),
		"RS512": makeKey("rsa", jose.RS512, rsaKey, nil),
		"ES256": makeKey("p256", jose.ES256, p256, err2), "ES384": makeKey("p384", jose.ES384, p384, err3),
		"ES512": makeKey("p521", jose.ES512, p521, err4), "EdDSA": makeKey("ed", jose.EdDSA, ed, err5),
		"foreign": makeKey("p256", jose.ES256, foreign, err6),
	}
})

// PublicKeys is the key set of these keys.
func PublicKeys(t testing.TB, names ...string) json.RawMessage {
	t.Helper()
	set := jose.JSONWebKeySet{}
	for _, name := range names {
		key := ClientKeys()[name]
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Private.Public(), KeyID: key.id, Use: "sig"})
	}
	raw := testkit.Must(json.Marshal(set))(t)
	return raw
}

// AllKeys are the names of keys of each kind.
var AllKeys = []string{"RS256", "ES256", "ES384", "ES512", "EdDSA"}

// Sign signs claims; headers are added to that of the key.
func (k ClientKey) Sign(t testing.TB, claims map[string]any, headers ...jose.HeaderKey) string {
	t.Helper()
	options := &jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{"kid": k.id}}
	for i := 0; i+1 < len(headers); i += 2 {
		options.ExtraHeaders[headers[i]] = string(headers[i+1])
	}
	signer := testkit.Must(jose.NewSigner(jose.SigningKey{Algorithm: k.Alg, Key: k.Private}, options))(t)
	return SignedBy(t, signer, claims)
}

// SignedBy signs claims.
func SignedBy(t testing.TB, signer jose.Signer, claims map[string]any) string {
	t.Helper()
	payload := testkit.Must(json.Marshal(claims))(t)
	signed := testkit.Must(signer.Sign(payload))(t)
	compact := testkit.Must(signed.CompactSerialize())(t)
	return compact
}

// With returns claims with others in their place; nil takes one away.
func With(claims map[string]any, pairs ...any) map[string]any {
	changed := maps.Clone(claims)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(changed, pairs[i].(string))
			continue
		}
		changed[pairs[i].(string)] = pairs[i+1]
	}
	return changed
}

// WithSigners registers applications that sign.
func (w *Fixture) WithSigners() *Fixture {
	w.T.Helper()
	for _, c := range []provider.Client{
		{ID: "key", Dialect: provider.V3, Name: "Key App", TokenEndpointAuthMethod: "private_key_jwt", JWKS: PublicKeys(w.T, AllKeys...), Origins: []string{"https://rp.test"},
			GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials", BearerGrant}},
		{ID: "key2", Dialect: provider.V3, TokenEndpointAuthMethod: "private_key_jwt", JWKS: PublicKeys(w.T, "foreign"),
			GrantTypes: []string{"authorization_code", BearerGrant, "client_credentials"}},
		{ID: "es256", Dialect: provider.V3, TokenEndpointAuthMethod: "private_key_jwt", TokenEndpointAuthSigningAlg: "ES256", RequestObjectSigningAlg: "ES256",
			JWKS: PublicKeys(w.T, AllKeys...), GrantTypes: []string{"authorization_code", "client_credentials"}},
		{ID: "pusher", Dialect: provider.V3, Secret: ClientSecret, RequirePushedAuthorizationRequests: true},
		{ID: "signer", Dialect: provider.V3, Secret: ClientSecret, RequireSignedRequestObject: true, JWKS: PublicKeys(w.T, "ES256")},
	} {
		c.Dialect, c.RedirectURIs = provider.Standard, []string{CallbackURI}
		w.OK(w.Clients().Save(w.T.Context(), c))
	}
	return w
}

// Assertion returns the claims with which an application proves that it is one.
func (w *Fixture) Assertion(id string) map[string]any {
	now := w.Now()
	return map[string]any{
		"iss": id, "sub": id, "aud": w.Issuer(), "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
}

// Asserted posts to an endpoint with an assertion.
func (b *Browser) Asserted(path, assertion string, pairs ...string) (Page, map[string]any) {
	b.T.Helper()
	form := url.Values{"client_assertion": {assertion}, "client_assertion_type": {ByAssertion}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	p := b.Post(path, form)
	if p.Text == "" {
		return p, nil
	}
	return b.JSON(p)
}

// Granted fails the test unless there is an access token.
func Granted(t testing.TB, p Page, body map[string]any) string {
	t.Helper()
	if p.StatusCode != http.StatusOK || body["access_token"] == nil {
		t.Fatalf("%d %s, want a token", p.StatusCode, p.Text)
	}
	return Member(t, body, "access_token")
}

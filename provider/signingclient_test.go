package provider_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
)

const (
	parPath     = "/oauth/par"
	bearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	byAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// clientKey is a private key of an application; making one takes long.
type clientKey struct {
	id      string
	alg     jose.SignatureAlgorithm
	private crypto.Signer
}

func makeKey(id string, alg jose.SignatureAlgorithm, private crypto.Signer, err error) clientKey {
	if err != nil {
		panic(err)
	}
	return clientKey{id, alg, private}
}

// clientKeys are one of each kind, made once.
var clientKeys = sync.OnceValue(func() map[string]clientKey {
	rsaKey, err1 := rsa.GenerateKey(rand.Reader, 2048)
	p256, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, err3 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	p521, err4 := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	_, ed, err5 := ed25519.GenerateKey(rand.Reader)
	foreign, err6 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return map[string]clientKey{
		"RS256": makeKey("rsa", jose.RS256, rsaKey, err1), "PS256": makeKey("rsa", jose.PS256, rsaKey, nil),
		"RS512": makeKey("rsa", jose.RS512, rsaKey, nil),
		"ES256": makeKey("p256", jose.ES256, p256, err2), "ES384": makeKey("p384", jose.ES384, p384, err3),
		"ES512": makeKey("p521", jose.ES512, p521, err4), "EdDSA": makeKey("ed", jose.EdDSA, ed, err5),
		"foreign": makeKey("p256", jose.ES256, foreign, err6),
	}
})

// publicKeys is the key set of these keys.
func publicKeys(t testing.TB, names ...string) json.RawMessage {
	t.Helper()
	set := jose.JSONWebKeySet{}
	for _, name := range names {
		key := clientKeys()[name]
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.private.Public(), KeyID: key.id, Use: "sig"})
	}
	raw, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// allKeys are the names of keys of each kind.
var allKeys = []string{"RS256", "ES256", "ES384", "ES512", "EdDSA"}

// sign signs claims; headers are added to that of the key.
func (k clientKey) sign(t testing.TB, claims map[string]any, headers ...jose.HeaderKey) string {
	t.Helper()
	options := &jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{"kid": k.id}}
	for i := 0; i+1 < len(headers); i += 2 {
		options.ExtraHeaders[headers[i]] = string(headers[i+1])
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.alg, Key: k.private}, options)
	if err != nil {
		t.Fatal(err)
	}
	return signedBy(t, signer, claims)
}

func signedBy(t testing.TB, signer jose.Signer, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

// with returns claims with others in their place; nil takes one away.
func with(claims map[string]any, pairs ...any) map[string]any {
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

// withSigners registers applications that sign.
func (w *fixture) withSigners() *fixture {
	w.t.Helper()
	for _, c := range []provider.Client{
		{ID: "key", Name: "Key App", TokenEndpointAuthMethod: "private_key_jwt", JWKS: publicKeys(w.t, allKeys...), Origins: []string{"https://rp.test"},
			GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials", bearerGrant}},
		{ID: "key2", TokenEndpointAuthMethod: "private_key_jwt", JWKS: publicKeys(w.t, "foreign"),
			GrantTypes: []string{"authorization_code", bearerGrant, "client_credentials"}},
		{ID: "es256", TokenEndpointAuthMethod: "private_key_jwt", TokenEndpointAuthSigningAlg: "ES256", RequestObjectSigningAlg: "ES256",
			JWKS: publicKeys(w.t, allKeys...), GrantTypes: []string{"authorization_code", "client_credentials"}},
		{ID: "pusher", Secret: clientSecret, RequirePushedAuthorizationRequests: true},
		{ID: "signer", Secret: clientSecret, RequireSignedRequestObject: true, JWKS: publicKeys(w.t, "ES256")},
	} {
		c.Dialect, c.RedirectURIs = provider.Standard, []string{callbackURI}
		w.ok(w.SaveClient(w.t.Context(), c))
	}
	return w
}

// assertion returns the claims with which an application proves that it is one.
func (w *fixture) assertion(id string) map[string]any {
	now := w.now()
	return map[string]any{
		"iss": id, "sub": id, "aud": w.Issuer(), "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
}

// asserted posts to an endpoint with an assertion.
func (b *browser) asserted(path, assertion string, pairs ...string) (page, map[string]any) {
	b.t.Helper()
	form := url.Values{"client_assertion": {assertion}, "client_assertion_type": {byAssertion}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	p := b.post(path, form)
	if p.body == "" {
		return p, nil
	}
	return b.json(p)
}

// granted fails the test unless there is an access token.
func granted(t testing.TB, p page, body map[string]any) string {
	t.Helper()
	if p.StatusCode != http.StatusOK || body["access_token"] == nil {
		t.Fatalf("%d %s, want a token", p.StatusCode, p.body)
	}
	return text(t, body, "access_token")
}

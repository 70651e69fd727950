package grants

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// keyService is a signer of the host for one algorithm, which a test can stop.
type keyService struct {
	crypto.Signer
	calls atomic.Int64
	down  atomic.Bool
}

func (s *keyService) Sign(random io.Reader, input []byte, options crypto.SignerOpts) ([]byte, error) {
	if s.down.Load() {
		return nil, errors.New("the key service is down")
	}
	s.calls.Add(1)
	return s.Signer.Sign(random, input, options)
}

// id is the kid of its key.
func (s *keyService) id(t *testing.T) string {
	t.Helper()
	sum := testkit.Must((&jose.JSONWebKey{Key: s.Public()}).Thumbprint(crypto.SHA256))(t)
	return base64.RawURLEncoding.EncodeToString(sum)
}

func newKeyService(t *testing.T, alg string) *keyService {
	t.Helper()
	var key crypto.Signer
	var err error
	switch alg {
	case "ES256":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "EdDSA":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	testkit.OK(t, err)
	return &keyService{Signer: key}
}

// TestSignersOfTheHost tests a key service of the host for each algorithm: each signs the ID
// tokens of its algorithm, verifies with the key set, and keeps up no other when it is down.
func TestSignersOfTheHost(t *testing.T) {
	t.Parallel()
	services, signers := map[string]*keyService{}, map[string]crypto.Signer{}
	for _, alg := range everyAlgorithm {
		services[alg] = newKeyService(t, alg)
		signers[alg] = services[alg]
	}
	next := newKeyService(t, "ES256")
	var w *lab.Fixture
	configure := func(current *keyService) func(*provider.Config) {
		return func(c *provider.Config) {
			if w != nil { // another process
				c.BaseURL, c.Store = w.Server.URL, w.Store
			}
			signers["ES256"] = current
			c.Signers = signers
			c.PublicKeys = map[string][]crypto.PublicKey{"ES256": {services["ES256"].Public(), next.Public()}}
		}
	}
	w = lab.New(t, withEveryAlgorithm, configure(services["ES256"])).WithClients().WithUsers()
	var want []string
	for _, alg := range everyAlgorithm {
		if alg == "ES256" {
			want = append(want, next.id(t))
		}
		want = append(want, services[alg].id(t)) // who signs is the last of its algorithm
	}
	if got := lab.KeyIDs(w.PublishedKeys()); !slices.Equal(got, want) {
		t.Fatalf("the key set has %v, want %v", got, want)
	}
	var es256 *lab.RelyingParty
	for _, alg := range everyAlgorithm {
		rp := lab.NewRelyingParty(t, w.Issuer(), signedWith(w, alg), "openid")
		if alg == "ES256" {
			es256 = rp
		}
		before := services[alg].calls.Load()
		token, _ := rp.SignIn(w.NewBrowser()) // which verifies
		raw, _ := token.Extra("id_token").(string)
		if header, _ := lab.JWT(t, raw); header["alg"] != alg || header["kid"] != services[alg].id(t) {
			t.Errorf("%s: header %v", alg, header)
		}
		if services[alg].calls.Load() == before {
			t.Errorf("%s: the service has not signed", alg)
		}
	}

	b := w.Alice()
	redeem := func(alg, code string) lab.Page {
		p, _ := b.Redeem("with-"+alg, "authorization_code", nil, "code", code, "redirect_uri", lab.CallbackURI)
		return p
	}
	code, other := b.AllowFor("with-ES256").Get("code"), b.AllowFor("with-EdDSA").Get("code")
	services["ES256"].down.Store(true)
	lab.Refused(t, redeem("ES256", code), http.StatusServiceUnavailable, "temporarily_unavailable")
	if p := redeem("EdDSA", other); p.StatusCode != http.StatusOK {
		t.Errorf("another service: %s %s", p.Status, p.Text)
	}
	services["ES256"].down.Store(false)
	if p := redeem("ES256", code); p.StatusCode != http.StatusOK {
		t.Errorf("the code is spent: %s %s", p.Status, p.Text)
	}

	// The next key signs at the process that was restarted with it: it is in the key set already.
	w.Provider = lab.New(t, withEveryAlgorithm, configure(next)).Provider
	token, _ := es256.SignIn(w.NewBrowser())
	raw, _ := token.Extra("id_token").(string)
	if header, _ := lab.JWT(t, raw); header["kid"] != next.id(t) {
		t.Errorf("after the change: header %v, want the key %s", header, next.id(t))
	}
}

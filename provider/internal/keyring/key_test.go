package keyring

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// liar signs with another key than it shows.
type liar struct{ shown, used *rsa.PrivateKey }

func (l liar) Public() crypto.PublicKey { return l.shown.Public() }
func (l liar) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return l.used.Sign(r, digest, opts)
}

// static returns a set of one key of the host for RS256.
func static(signer crypto.Signer) (*KeySet, error) {
	return Static(map[string]Held{RS256: {Signer: signer}})
}

func rsaKey(t testing.TB, bits int) *rsa.PrivateKey {
	t.Helper()
	k := testkit.Must(rsa.GenerateKey(rand.Reader, bits))(t)
	return k
}

func TestStatic(t *testing.T) {
	good := rsaKey(t, 2048)
	t.Run("SignsWithTheKeyOfTheHost", func(t *testing.T) {
		bare := &rsa.PrivateKey{PublicKey: good.PublicKey, D: good.D, Primes: good.Primes}
		keys := testkit.Must(static(bare))(t)
		if bare.Precomputed.Dp == nil {
			t.Error("the key is not precomputed")
		}
		token := testkit.Must(keys.Sign(RS256, []byte(`{"sub":"u1"}`)))(t)
		if claims, err := keys.Verify(token); err != nil || string(claims) != `{"sub":"u1"}` {
			t.Errorf("Verify = %q, %v", claims, err)
		}
		if rotateIfDue(t, keys) || len(published(t, keys)) != 1 {
			t.Error("a static set has changed")
		}
	})
	t.Run("RefusesWhatCannotSignRS256", func(t *testing.T) {
		curve := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
		_, edwards, err := ed25519.GenerateKey(rand.Reader)
		testkit.OK(t, err)
		for want, signer := range map[string]crypto.Signer{
			"no signer":         nil,
			"*ecdsa.PublicKey":  curve,
			"ed25519.PublicKey": edwards,
			"has 1024 bits":     rsaKey(t, 1024),
			"does not match":    liar{shown: good, used: rsaKey(t, 2048)},
		} {
			if _, err := static(signer); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one that says %q", err, want)
			}
		}
	})
}

func TestJWKS(t *testing.T) {
	t.Run("HasPublicMembersOnly", func(t *testing.T) {
		algorithms[RS256].generate = generateRSA // as in production
		defer Cheapen()
		keys := openKeySet(t, new(keyStore), newSecrets(t, randomSecret()), Options{})
		var set struct {
			Keys []map[string]string `json:"keys"`
		}
		testkit.OK(t, json.Unmarshal(keys.JWKS(), &set))
		if len(set.Keys) != 1 {
			t.Fatalf("%d keys, want 1", len(set.Keys))
		}
		k := set.Keys[0]
		if len(k["n"]) != 342 {
			t.Errorf("n has %d characters, want 342 for 2048 bits", len(k["n"]))
		}
		delete(k, "n")
		want := map[string]string{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": keys.KeyID(RS256), "e": "AQAB"}
		if diff := cmp.Diff(want, k); diff != "" {
			t.Errorf("members other than n:\n%s", diff)
		}
	})
	t.Run("NamesTheKeyByItsThumbprint", func(t *testing.T) {
		// The example of RFC 7638 section 3.1.
		var k jose.JSONWebKey
		if err := k.UnmarshalJSON([]byte(`{"kty":"RSA","e":"AQAB","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}`)); err != nil {
			t.Fatal(err)
		}
		id, err := thumbprint(k.Key.(*rsa.PublicKey))
		if want := "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"; err != nil || id != want {
			t.Errorf("thumbprint = %s, %v; want %s", id, err, want)
		}
	})
}

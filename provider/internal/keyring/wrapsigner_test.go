package keyring

import (
	"crypto"
	"crypto/rsa"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a key as a host wraps it.
type counted struct {
	*rsa.PrivateKey
	signed *int
}

func (c counted) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	*c.signed++
	return c.PrivateKey.Sign(r, digest, opts)
}

func TestWrap(t *testing.T) {
	t.Run("SignsWithStoredAndNewKeys", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			first := openKeySet(t, store, secrets, Options{}).KeyID(RS256)
			signed := 0
			keys := openKeySet(t, store, secrets, Options{Wrap: func(_ string, key crypto.Signer) (crypto.Signer, error) {
				return counted{key.(*rsa.PrivateKey), &signed}, nil
			}})
			sign := func() {
				t.Helper()
				before := signed
				token, err := keys.Sign(RS256, []byte(`{"sub":"u1"}`))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := keys.Verify(token); err != nil {
					t.Error(err)
				}
				if signed != before+1 {
					t.Error("the host's signer did not sign")
				}
			}
			if keys.KeyID(RS256) != first {
				t.Errorf("the stored key %s became %s", first, keys.KeyID(RS256))
			}
			sign()
			time.Sleep(89 * day)
			if !rotateIfDue(t, keys) {
				t.Fatal("no key was added")
			}
			time.Sleep(day)
			if keys.KeyID(RS256) == first {
				t.Fatal("the new key does not sign")
			}
			sign()
			// Sealed like any other: a process that signs otherwise opens both.
			if ids := published(t, openKeySet(t, store, secrets, Options{})); len(ids) != 2 {
				t.Errorf("published: %v, want two keys", ids)
			}
		})
	})
	other := rsaKey(t, keyBits)
	broken := map[string]func(string, crypto.Signer) (crypto.Signer, error){
		"no library": func(string, crypto.Signer) (crypto.Signer, error) { return nil, errors.New("no library") },
		"no signer":  func(string, crypto.Signer) (crypto.Signer, error) { return nil, nil },
		"panic: oh":  func(string, crypto.Signer) (crypto.Signer, error) { panic("oh") },
		"does not match": func(_ string, key crypto.Signer) (crypto.Signer, error) {
			return liar{shown: key.(*rsa.PrivateKey), used: other}, nil
		},
		"but is": func(string, crypto.Signer) (crypto.Signer, error) { return other, nil },
	}
	t.Run("RefusesASignerThatCannotTakeThePlaceOfTheKey", func(t *testing.T) {
		for want, wrap := range broken {
			store := new(keyStore)
			_, err := Open(t.Context(), store, newSecrets(t, randomSecret()), Options{Wrap: wrap})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one that says %q", err, want)
			}
			if len(store.keys) > 0 {
				t.Errorf("%s: a key that cannot be used was stored", want)
			}
		}
	})
	t.Run("GoesOnWithTheKeyThatItHasWhenASignerFails", func(t *testing.T) {
		for want, wrap := range broken {
			synctest.Test(t, func(t *testing.T) {
				store, secrets := new(keyStore), newSecrets(t, randomSecret())
				use := func(_ string, key crypto.Signer) (crypto.Signer, error) { return key, nil }
				keys := openKeySet(t, store, secrets, Options{Wrap: func(alg string, key crypto.Signer) (crypto.Signer, error) {
					return use(alg, key)
				}})
				use = wrap
				time.Sleep(89 * day)
				if added, err := keys.RotateIfDue(t.Context()); added || err == nil || len(store.keys) != 1 {
					t.Errorf("%s: RotateIfDue = %v, %v; %d keys are stored", want, added, err, len(store.keys))
				}
				if _, err := keys.Sign(RS256, []byte(`{}`)); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

package opensslsigner

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func newKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// needOpenSSL skips where the library is absent; where the suite has to be complete,
// that is a failure.
func needOpenSSL(t testing.TB) {
	t.Helper()
	err := Available()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

func TestSign(t *testing.T) {
	needOpenSSL(t)
	key := newKey(t)
	s, err := Wrap("RS256", key)
	if err != nil {
		t.Fatal(err)
	}
	if s == crypto.Signer(key) {
		t.Fatal("OpenSSL is available and not used")
	}
	t.Run("IsWhatGoSigns", func(t *testing.T) {
		for i := range 100 {
			digest := sha256.Sum256([]byte{byte(i)})
			got, err := s.Sign(rand.Reader, digest[:], crypto.SHA256)
			if err != nil {
				t.Fatal(err)
			}
			want, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("digest %d: signed as %x, want %x", i, got, want)
			}
			if err := rsa.VerifyPKCS1v15(s.Public().(*rsa.PublicKey), crypto.SHA256, digest[:], got); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("LeavesOtherKindsToGo", func(t *testing.T) {
		long := sha512.Sum512([]byte("message"))
		signature, err := s.Sign(rand.Reader, long[:], crypto.SHA512)
		if err == nil {
			err = rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA512, long[:], signature)
		}
		if err != nil {
			t.Errorf("SHA-512: %v", err)
		}
		digest := sha256.Sum256([]byte("message"))
		pss := &rsa.PSSOptions{Hash: crypto.SHA256}
		signature, err = s.Sign(rand.Reader, digest[:], pss)
		if err == nil {
			err = rsa.VerifyPSS(&key.PublicKey, crypto.SHA256, digest[:], signature, pss)
		}
		if err != nil {
			t.Errorf("PSS: %v", err)
		}
	})
	t.Run("MakesPSSWithASaltAsLongAsTheDigest", func(t *testing.T) {
		digest := sha256.Sum256([]byte("message"))
		for _, length := range []int{rsa.PSSSaltLengthEqualsHash, sha256.Size} {
			signature, err := s.Sign(rand.Reader, digest[:], &rsa.PSSOptions{Hash: crypto.SHA256, SaltLength: length})
			if err == nil {
				err = rsa.VerifyPSS(&key.PublicKey, crypto.SHA256, digest[:], signature, &rsa.PSSOptions{SaltLength: sha256.Size})
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("WrapsKeysOfRSAOnly", func(t *testing.T) {
		_, edwards, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Wrap("EdDSA", edwards); err != nil || !edwards.Equal(got.(crypto.PrivateKey)) {
			t.Errorf("Ed25519 became %T, %v", got, err)
		}
		if got, err := Wrap("PS256", key); err != nil || !key.PublicKey.Equal(got.Public()) {
			t.Errorf("RSA became %T, %v", got, err)
		}
	})
	t.Run("RefusesWhatIsNoDigest", func(t *testing.T) {
		for _, digest := range [][]byte{nil, []byte("short"), make([]byte, 33)} {
			if signature, err := s.Sign(rand.Reader, digest, crypto.SHA256); err == nil {
				t.Errorf("%d bytes were signed as %x", len(digest), signature)
			}
		}
	})
	t.Run("TakesManyCallersAtOnce", func(t *testing.T) {
		digest := sha256.Sum256([]byte("message"))
		want, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for range 64 {
			callers.Go(func() {
				for range 10 {
					got, err := s.Sign(rand.Reader, digest[:], crypto.SHA256)
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("signed as %x, %v", got, err)
					}
				}
			})
		}
		callers.Wait()
	})
}

func TestNewRefusesBrokenKeys(t *testing.T) {
	needOpenSSL(t)
	good, other := newKey(t), newKey(t)
	for name, key := range map[string]*rsa.PrivateKey{
		"Empty":     {},
		"NotAPair":  {PublicKey: other.PublicKey, D: good.D, Primes: good.Primes},
		"WithoutPQ": {PublicKey: good.PublicKey, D: good.D},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := newSigner(key); err == nil {
				t.Errorf("made %v", s)
			}
		})
	}
}

func TestWrapRefusesNoKey(t *testing.T) {
	if s, err := Wrap("RS256", (*rsa.PrivateKey)(nil)); err == nil || s != nil {
		t.Errorf("Wrap returned %v, %v", s, err)
	}
}

// One key may be given to several calls at once, which only read it.
func TestWrapLeavesTheKeyOfItsCallerAlone(t *testing.T) {
	needOpenSSL(t)
	whole := newKey(t)
	bare := &rsa.PrivateKey{PublicKey: whole.PublicKey, D: whole.D, Primes: whole.Primes}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			s, err := Wrap("RS256", bare)
			if err != nil {
				t.Error(err)
				return
			}
			digest := sha256.Sum256([]byte("x"))
			signature, err := s.Sign(rand.Reader, digest[:], crypto.SHA256)
			if err != nil || rsa.VerifyPKCS1v15(&whole.PublicKey, crypto.SHA256, digest[:], signature) != nil {
				t.Errorf("signature: %v", err)
			}
		})
	}
	calls.Wait()
	if bare.Precomputed.Dp != nil || bare.Precomputed.Qinv != nil {
		t.Error("values were written into the key")
	}
}

func TestGoSignsWhereTheLibraryIsAbsent(t *testing.T) {
	before := found
	t.Cleanup(func() { found = before })
	found = func() error { return load("libcrypto.so.absent") }
	if err := Available(); err == nil || !strings.Contains(err.Error(), "opensslsigner: ") {
		t.Errorf("Available() = %v, want why it is not", err)
	}
	key := newKey(t)
	if s, err := Wrap("RS256", key); s != crypto.Signer(key) || err != nil {
		t.Errorf("Wrap = %T, %v; want the key itself", s, err)
	}
}

// A provider tells signers of this package by their type, and fences all others.
func TestSignerIsKnownByItsPackage(t *testing.T) {
	needOpenSSL(t)
	s, err := Wrap("RS256", newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/bonafide-id/bonafide/provider/opensslsigner"
	if known := reflect.TypeOf(s); known.Kind() != reflect.Pointer || known.Elem().PkgPath() != path {
		t.Errorf("a signer is a %s of %q", known, known.Elem().PkgPath())
	}
}

package host

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// spoilable is a signer that a test can spoil.
type spoilable struct {
	*rsa.PrivateKey
	spoiled bool
}

func (s *spoilable) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	signature, err := s.PrivateKey.Sign(random, digest, options)
	if s.spoiled {
		signature[17] ^= 1
	}
	return signature, err
}

func newSpoilable(t *testing.T) *spoilable {
	t.Helper()
	key := testkit.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	return &spoilable{PrivateKey: key}
}

func sign(signer crypto.Signer) error {
	digest := sha256.Sum256([]byte("x"))
	_, err := signer.Sign(rand.Reader, digest[:], crypto.SHA256)
	return err
}

// A signer of the host's is fenced whatever it is: nothing but the path of its package
// makes one ours.
func TestSignersOfTheHostAreFenced(t *testing.T) {
	type signer struct{ *spoilable } // named as the one of ours is
	for name, s := range map[string]crypto.Signer{
		"Plain": newSpoilable(t), "SameName": &signer{newSpoilable(t)}, "Value": signer{newSpoilable(t)},
	} {
		got := testkit.Must(NewSigner("Signing.Wrap", s, NewCalls()))(t)
		if _, fenced := got.(*fencedSigner); !fenced {
			t.Errorf("%s: it became a %T", name, got)
		}
	}
}

// The path is the one that the package has, which is a module of its own.
func TestOwnSignersAreOfTheirModule(t *testing.T) {
	manifest := testkit.Must(os.ReadFile(filepath.Join("..", "..", "opensslsigner", "go.mod")))(t)
	if first, _, _ := strings.Cut(string(manifest), "\n"); first != "module "+ownSigners {
		t.Errorf("%q is not the module of %s", first, ownSigners)
	}
}

func TestSignersOfOursAreSampled(t *testing.T) {
	service := newSpoilable(t)
	signer := testkit.Must(newSampledSigner("Signing.Wrap", service))(t)
	service.spoiled = true
	if err := sign(signer); !errors.Is(err, ErrFailed) {
		t.Errorf("the first signature is not looked at: %v", err)
	}
	service.spoiled = false
	for range sampleEvery / 2 {
		testkit.OK(t, sign(signer))
	}
	service.spoiled = true
	for n := 1; sign(signer) == nil; n++ {
		if n == sampleEvery {
			t.Fatalf("%d wrong signatures are not noticed", n)
		}
	}
	if err := sign(signer); !errors.Is(err, ErrFailed) {
		t.Error("a signer that failed is trusted again")
	}
}

package keyring

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"
)

// Algorithms of signatures (RFC 7518 section 3.1, RFC 8037 section 3.1).
const (
	RS256 = "RS256"
	PS256 = "PS256"
	ES256 = "ES256"

	// EdDSA is Ed25519 here. RFC 9864 gives it that name, which few readers know.
	EdDSA = "EdDSA"
)

// Algorithms returns all with which a set can sign, in the order of their keys in the key set:
// readers that take the first key, whatever they need, get one for RS256.
func Algorithms() []string { return []string{RS256, PS256, ES256, EdDSA} }

// sizeP256 is the size in bytes of r and of s in a signature of ES256 (RFC 7518 section 3.4).
const sizeP256 = 32

// pss has a salt as long as the digest (RFC 7518 section 3.5). A signature with another salt
// does not verify.
var pss = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}

// algorithm is how to sign and verify with keys of one kind. A key is for one algorithm: PS256
// has RSA keys of its own.
type algorithm struct {
	generate func() (crypto.Signer, error)

	// check returns why a public key cannot be of this algorithm.
	check func(public crypto.PublicKey) error

	// options go to the signer, and hash reports whether it gets the SHA-256 digest of the
	// message in place of the message.
	options crypto.SignerOpts
	hash    bool

	// encode turns what the signer returns into a signature of RFC 7515; nil if it is one.
	encode func(signature []byte) ([]byte, error)

	// verify checks a signature of RFC 7515 over what the signer got.
	verify func(public crypto.PublicKey, input, signature []byte) bool
}

var algorithms = map[string]*algorithm{
	RS256: {
		generate: generateRSA, check: checkRSA(RS256), options: crypto.SHA256, hash: true,
		verify: func(public crypto.PublicKey, digest, signature []byte) bool {
			return rsa.VerifyPKCS1v15(public.(*rsa.PublicKey), crypto.SHA256, digest, signature) == nil
		},
	},
	PS256: {
		generate: generateRSA, check: checkRSA(PS256), options: pss, hash: true,
		verify: func(public crypto.PublicKey, digest, signature []byte) bool {
			return rsa.VerifyPSS(public.(*rsa.PublicKey), crypto.SHA256, digest, signature, pss) == nil
		},
	},
	ES256: {
		generate: func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) },
		check:    checkP256, options: crypto.SHA256, hash: true, encode: encodeP256, verify: verifyP256,
	},
	EdDSA: {
		generate: func() (crypto.Signer, error) {
			_, private, err := ed25519.GenerateKey(rand.Reader)
			return private, err
		},
		check: checkEd25519, options: crypto.Hash(0),
		verify: func(public crypto.PublicKey, message, signature []byte) bool {
			return ed25519.Verify(public.(ed25519.PublicKey), message, signature)
		},
	},
}

// input returns what a signer gets for a message.
func (a *algorithm) input(message []byte) []byte {
	if !a.hash {
		return message
	}
	digest := sha256.Sum256(message)
	return digest[:]
}

// sign returns the signature of RFC 7515 over a message.
func (a *algorithm) sign(signer crypto.Signer, message []byte) ([]byte, error) {
	signature, err := signer.Sign(rand.Reader, a.input(message), a.options)
	if err != nil || a.encode == nil {
		return signature, err
	}
	return a.encode(signature)
}

func generateRSA() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, keyBits) }

func checkRSA(name string) func(crypto.PublicKey) error {
	return func(public crypto.PublicKey) error {
		key, ok := public.(*rsa.PublicKey)
		if !ok || key == nil || key.N == nil {
			return fmt.Errorf("the public key is a %T: %s needs an RSA key", public, name)
		}
		if bits := key.N.BitLen(); bits < keyBits {
			return fmt.Errorf("the RSA key has %d bits: at least %d are needed", bits, keyBits)
		}
		if key.E < 3 || key.E%2 == 0 {
			return fmt.Errorf("the RSA key has the exponent %d", key.E)
		}
		return nil
	}
}

func checkP256(public crypto.PublicKey) error {
	if key, ok := public.(*ecdsa.PublicKey); !ok || key == nil || key.Curve != elliptic.P256() {
		return fmt.Errorf("the public key is a %T: ES256 needs an ECDSA key on P-256", public)
	}
	return nil
}

func checkEd25519(public crypto.PublicKey) error {
	if key, ok := public.(ed25519.PublicKey); !ok || len(key) != ed25519.PublicKeySize {
		return fmt.Errorf("the public key is a %T: EdDSA needs an Ed25519 key", public)
	}
	return nil
}

// encodeP256 turns the ASN.1 form of a signature, which a crypto.Signer returns, into r and s
// of 32 bytes each (RFC 7518 section 3.4).
func encodeP256(signature []byte) ([]byte, error) {
	var inner cryptobyte.String
	var r, s big.Int
	outer := cryptobyte.String(signature)
	if !outer.ReadASN1(&inner, asn1.SEQUENCE) || !outer.Empty() || !inner.ReadASN1Integer(&r) || !inner.ReadASN1Integer(&s) || !inner.Empty() {
		return nil, errors.New("the signature is not in the ASN.1 form of ECDSA")
	}
	if r.Sign() <= 0 || s.Sign() <= 0 || r.BitLen() > 8*sizeP256 || s.BitLen() > 8*sizeP256 {
		return nil, errors.New("the signature has numbers that P-256 does not")
	}
	fixed := make([]byte, 2*sizeP256)
	r.FillBytes(fixed[:sizeP256])
	s.FillBytes(fixed[sizeP256:])
	return fixed, nil
}

func verifyP256(public crypto.PublicKey, digest, signature []byte) bool {
	if len(signature) != 2*sizeP256 {
		return false
	}
	r, s := new(big.Int).SetBytes(signature[:sizeP256]), new(big.Int).SetBytes(signature[sizeP256:])
	return ecdsa.Verify(public.(*ecdsa.PublicKey), digest, r, s)
}

// CheckPublicKey returns why a key cannot verify signatures of an algorithm, in words that
// follow a name.
func CheckPublicKey(alg string, public crypto.PublicKey) error {
	known := algorithms[alg]
	if known == nil {
		return fmt.Errorf("%q is none of %v", alg, Algorithms())
	}
	return known.check(public)
}

// ordered returns the algorithms of a list in the order of [Algorithms], each once.
func ordered(list []string) []string {
	return slices.DeleteFunc(Algorithms(), func(alg string) bool { return !slices.Contains(list, alg) })
}

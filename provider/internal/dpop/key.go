package dpop

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"math/big"

	"github.com/go-jose/go-jose/v3"
	"github.com/go-jose/go-jose/v3/json"
)

// Algorithms are the accepted signature algorithms. EdDSA is the older name of Ed25519 (RFC
// 9864).
var Algorithms = []string{"ES256", "PS256", "EdDSA", "Ed25519"}

// Sizes of RSA keys: smaller ones can be broken, larger ones take long to verify.
const minRSA, maxRSA = 2048, 4096

// publicKey is the key of a proof.
type publicKey struct{ jose.JSONWebKey }

// members are the members of a key that are read; secret are those of a private or symmetric
// one (RFC 7518 section 6), which others know by now.
var (
	members = []string{"kty", "crv", "n", "e", "x", "y"}
	secret  = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
)

// readKey reads a public key that signs with this algorithm.
func readKey(raw []byte, alg string) (key publicKey, err error) {
	var sent map[string]json.RawMessage
	if !isObject(raw) || json.Unmarshal(raw, &sent) != nil {
		return key, ErrMalformed
	}
	for _, name := range secret {
		if _, has := sent[name]; has {
			return key, ErrAlgorithm
		}
	}
	public := map[string]string{}
	for _, name := range members {
		var value string
		if raw, has := sent[name]; has && json.Unmarshal(raw, &value) == nil {
			public[name] = value
		}
	}
	text, err := json.Marshal(public)
	if err != nil || json.Unmarshal(text, &key.JSONWebKey) != nil || !key.signs(alg) {
		return key, ErrAlgorithm
	}
	return key, nil
}

// signs reports whether the key is one for this algorithm.
func (k publicKey) signs(alg string) bool {
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		bits := key.N.BitLen()
		return alg == "PS256" && bits >= minRSA && bits <= maxRSA && key.E >= 3 && key.E%2 == 1
	case *ecdsa.PublicKey:
		return alg == "ES256" && key.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return alg == "EdDSA" || alg == "Ed25519"
	default:
		return false
	}
}

// Thumbprint returns the thumbprint of the key, which is that of its numbers: another spelling
// of the key has the same.
func (k publicKey) Thumbprint() (jkt Thumbprint, err error) {
	sum, err := k.JSONWebKey.Thumbprint(crypto.SHA256)
	copy(jkt[:], sum)
	return jkt, err
}

// verify checks the signature by the key of the header (RFC 7518 section 3, RFC 8037). A
// signature has one form: the two numbers of ES256 have 32 bytes each, and the salt of PS256 the
// length of the hash.
func (p parsed) verify() error {
	digest := sha256.Sum256([]byte(p.text))
	good := false
	switch key := p.key.Key.(type) {
	case *rsa.PublicKey:
		good = rsa.VerifyPSS(key, crypto.SHA256, digest[:], p.signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
	case *ecdsa.PublicKey:
		if half := len(p.signature) / 2; len(p.signature) == 64 {
			r, s := new(big.Int).SetBytes(p.signature[:half]), new(big.Int).SetBytes(p.signature[half:])
			good = ecdsa.Verify(key, digest[:], r, s)
		}
	case ed25519.PublicKey:
		good = ed25519.Verify(key, []byte(p.text), p.signature)
	}
	if !good {
		return ErrMalformed
	}
	return nil
}

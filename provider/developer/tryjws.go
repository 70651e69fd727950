package developer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// jwk is a public key of the key set (RFC 7517).
type jwk struct{ Kid, Kty, Alg, Crv, N, E, X, Y string }

// verifySignature checks the signature of a JWT with the key that its header names in a key
// set, by the algorithm of both.
func verifySignature(token string, header, keySet []byte) error {
	var h struct{ Alg, Kid string }
	var set struct{ Keys []jwk }
	if err := errors.Join(json.Unmarshal(header, &h), json.Unmarshal(keySet, &set)); err != nil {
		return err
	}
	end := max(0, strings.LastIndex(token, "."))
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token[end:], "."))
	if err != nil {
		return err
	}
	for _, key := range set.Keys {
		switch {
		case key.Kid != h.Kid:
		case key.Alg != h.Alg:
			return fmt.Errorf("the key is for %s, the token says %s", key.Alg, h.Alg)
		default:
			return key.verify([]byte(token[:end]), signature)
		}
	}
	return errors.New("the key set has no such key")
}

// verify checks a signature of the key's algorithm.
func (k jwk) verify(signed, signature []byte) error {
	n, err1 := base64.RawURLEncoding.DecodeString(k.N)
	e, err2 := base64.RawURLEncoding.DecodeString(k.E)
	x, err3 := base64.RawURLEncoding.DecodeString(k.X)
	y, err4 := base64.RawURLEncoding.DecodeString(k.Y)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	digest := sha256.Sum256(signed)
	number := func(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
	public := &rsa.PublicKey{N: number(n), E: int(number(e).Int64())}
	good := false
	switch {
	case k.Alg == algRS256 && k.Kty == "RSA":
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature)
	case k.Alg == "PS256" && k.Kty == "RSA":
		return rsa.VerifyPSS(public, crypto.SHA256, digest[:], signature, &rsa.PSSOptions{SaltLength: sha256.Size})
	case k.Alg == "ES256" && k.Crv == "P-256" && len(signature) == 64:
		curve := &ecdsa.PublicKey{Curve: elliptic.P256(), X: number(x), Y: number(y)}
		good = ecdsa.Verify(curve, digest[:], number(signature[:32]), number(signature[32:]))
	case k.Alg == algEdDSA && k.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize:
		good = ed25519.Verify(x, signed, signature)
	}
	if !good {
		return errors.New("the signature is wrong, or of another kind than its key")
	}
	return nil
}

// algEdDSA is the algorithm whose half hash is one of SHA-512.
const algEdDSA = "EdDSA"

// tokenHash is at_hash (OpenID Connect Core section 3.1.3.6), by the algorithm of the ID token.
func tokenHash(header []byte, accessToken string) string {
	var h struct{ Alg string }
	if json.Unmarshal(header, &h) == nil && h.Alg == algEdDSA {
		sum := sha512.Sum512([]byte(accessToken))
		return base64.RawURLEncoding.EncodeToString(sum[:sha512.Size/2])
	}
	sum := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2])
}

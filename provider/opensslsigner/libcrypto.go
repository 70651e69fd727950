//go:build cgo && unix

package opensslsigner

import (
	"crypto"
	"crypto/rsa"
	"fmt"

	"github.com/golang-fips/openssl/v2"
	"github.com/golang-fips/openssl/v2/bbig"
)

// load makes the library of this name the one that signs, until the program ends.
func load(name string) error {
	// openssl.Init remembers a failure for ever.
	if exists, _ := openssl.CheckVersion(name); !exists {
		return fmt.Errorf("opensslsigner: %s is not installed", name)
	}
	if err := openssl.Init(name); err != nil {
		return fmt.Errorf("opensslsigner: load %s: %w", name, err)
	}
	return nil
}

// privateKey is a key in OpenSSL's memory. It is erased there when it is no longer
// reachable.
type privateKey struct{ key *openssl.PrivateKeyRSA }

// newPrivateKey hands a valid key of two primes to OpenSSL.
func newPrivateKey(key *rsa.PrivateKey) (privateKey, error) {
	values := &key.Precomputed
	held, err := openssl.NewPrivateKeyRSA(
		bbig.Enc(key.N), []uint{uint(key.E)}, bbig.Enc(key.D), bbig.Enc(key.Primes[0]), bbig.Enc(key.Primes[1]),
		bbig.Enc(values.Dp), bbig.Enc(values.Dq), bbig.Enc(values.Qinv))
	return privateKey{held}, err
}

// signPSS makes a PSS signature with a salt as long as the digest (RFC 7518 section 3.5), as
// signSHA256 does.
func (k privateKey) signPSS(digest []byte) ([]byte, error) {
	return openssl.SignRSAPSS(k.key, crypto.SHA256, digest, len(digest))
}

// signSHA256 makes a PKCS #1 v1.5 signature. OpenSSL blinds it, and checks it before
// it lets it out, as Go's crypto does: one that a fault has spoiled would tell the
// key.
func (k privateKey) signSHA256(digest []byte) ([]byte, error) {
	return openssl.SignRSAPKCS1v15(k.key, crypto.SHA256, digest)
}

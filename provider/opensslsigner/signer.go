// Package opensslsigner signs with OpenSSL, whose RSA takes from a third to two thirds
// of the processor time of Go's, by the processor. It is a module of its own, and
// optional:
//
//	provider.Config{Signing: provider.Signing{Wrap: opensslsigner.Wrap}}
//
// OpenSSL 3 (libcrypto.so.3, or libcrypto.3.dylib) is looked for when the first key
// is made, in the folders in which the system looks for libraries, and loaded with
// github.com/golang-fips/openssl/v2. Building needs cgo, but nothing of OpenSSL.
// Where the library is absent, or the program was built without cgo, Go's own crypto
// signs; [Available] says which it is.
//
// One program loads one OpenSSL: a program that calls openssl.Init itself has chosen
// it already.
package opensslsigner

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// found looks for the library of this system, once.
var found = sync.OnceValue(func() error {
	if runtime.GOOS == "darwin" {
		return load("libcrypto.3.dylib")
	}
	return load("libcrypto.so.3")
})

// Available returns nil when OpenSSL signs, and otherwise why Go's own crypto does.
func Available() error { return found() }

// Wrap returns a signer for a key of RSA, whatever the algorithm: one that makes PKCS #1 v1.5
// and PSS signatures of SHA-256 digests (RS256, PS256) with OpenSSL and everything else with Go's
// crypto, or the key itself where OpenSSL is not available. It is safe for concurrent use. The
// copy of the key that OpenSSL holds is erased when the signer is no longer reachable. All other
// keys it returns as they are: Go signs with them.
//
// The error says that the key is missing or invalid, or that OpenSSL refuses it.
func Wrap(_ string, key crypto.Signer) (crypto.Signer, error) {
	private, ok := key.(*rsa.PrivateKey)
	if ok && private == nil {
		return nil, errors.New("opensslsigner: the key is missing")
	}
	if !ok || found() != nil {
		return key, nil //nolint:nilerr // absence is no error: Available says why
	}
	return newSigner(private)
}

// signer is an RSA key of which OpenSSL has a copy.
type signer struct {
	key  *rsa.PrivateKey
	copy privateKey
}

func newSigner(key *rsa.PrivateKey) (crypto.Signer, error) {
	if err := key.Validate(); err != nil {
		return nil, fmt.Errorf("opensslsigner: %w", err)
	}
	if len(key.Primes) != 2 {
		return nil, fmt.Errorf("opensslsigner: the key has %d primes; OpenSSL is given those of two", len(key.Primes))
	}
	own := *key // the caller's is not written to: others may have it, too
	own.Precompute()
	held, err := newPrivateKey(&own)
	if err != nil {
		return nil, fmt.Errorf("opensslsigner: hand over key: %w", err)
	}
	return &signer{key: &own, copy: held}, nil
}

// Public implements crypto.Signer.
func (s *signer) Public() crypto.PublicKey { return s.key.Public() }

// Sign implements crypto.Signer.
func (s *signer) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if opts == nil || opts.HashFunc() != crypto.SHA256 || len(digest) != sha256.Size {
		return s.key.Sign(random, digest, opts)
	}
	sign := s.copy.signSHA256
	if pss, ok := opts.(*rsa.PSSOptions); ok {
		if pss.SaltLength != rsa.PSSSaltLengthEqualsHash && pss.SaltLength != len(digest) {
			return s.key.Sign(random, digest, opts)
		}
		sign = s.copy.signPSS
	}
	signature, err := sign(digest)
	if err != nil {
		return nil, fmt.Errorf("opensslsigner: sign: %w", err)
	}
	return signature, nil
}

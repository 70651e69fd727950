package host

import (
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync/atomic"
)

// ownSigners is the import path of the package whose signers are the project's own.
const ownSigners = "github.com/bonafide-id/bonafide/provider/opensslsigner"

// isOwn reports whether a signer is of the project's own package, by the import path of its
// type. Only a program that replaces the package has another such type; a host's type that
// embeds one is the host's. A signer can claim it by no method.
func isOwn(signer crypto.Signer) bool {
	t := reflect.TypeOf(signer)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == ownSigners
}

// sampleEvery is the number of signatures of an own signer of which one is verified.
const sampleEvery = 64

// sampledSigner is an own signer. It computes in memory, neither hangs nor keeps its
// arguments, and OpenSSL checks each result. The first signature and samples are verified
// here as well, to detect a faulty library.
type sampledSigner struct {
	field  string // of the Config
	signer crypto.Signer
	public *rsa.PublicKey
	signed atomic.Uint64
}

func newSampledSigner(field string, signer crypto.Signer) (crypto.Signer, error) {
	key, err := publicKey(signer.Public())
	if err != nil {
		return nil, err
	}
	return &sampledSigner{field: field, signer: signer, public: key}, nil
}

// Public implements crypto.Signer.
func (s *sampledSigner) Public() crypto.PublicKey { return s.public }

// Sign implements crypto.Signer.
func (s *sampledSigner) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	signature, err := s.signer.Sign(random, digest, options)
	if err == nil && s.signed.Add(1)%sampleEvery == 1 {
		err = verify(s.public, options.HashFunc(), digest, signature)
	}
	if err != nil {
		s.signed.Store(0) // the next one is verified as well
		return nil, fmt.Errorf("%w: %s: %w", ErrFailed, s.field, err)
	}
	return signature, nil
}

func publicKey(public crypto.PublicKey) (*rsa.PublicKey, error) {
	key, ok := public.(*rsa.PublicKey)
	if !ok || key == nil {
		return nil, fmt.Errorf("the public key is a %T: RS256 needs an RSA key", public)
	}
	return key, nil
}

// verify returns an error unless a signature is that of a key.
func verify(key *rsa.PublicKey, hash crypto.Hash, digest, signature []byte) error {
	if rsa.VerifyPKCS1v15(key, hash, digest, signature) != nil {
		return errors.New("its signature does not match its public key")
	}
	return nil
}

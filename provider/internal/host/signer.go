package host

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"fmt"
	"io"
)

// fencedSigner is a signer of the host: a key service that may hang, fail or return a wrong
// signature. Nothing is issued or spent for a signature that the public key does not verify,
// which takes a fraction of the time of signing.
type fencedSigner struct {
	field  string // of the Config
	signer crypto.Signer
	public crypto.PublicKey
	calls  Calls
}

// NewSigner returns a signer that does no harm. A key in memory is not fenced, nor is a signer
// of the project's own package.
func NewSigner(field string, signer crypto.Signer, calls Calls) (crypto.Signer, error) {
	switch signer.(type) {
	case nil, *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey:
		return signer, nil
	}
	if isOwn(signer) {
		return newSampledSigner(field, signer)
	}
	public, err := CallIn(context.Background(), calls, func(context.Context) (crypto.PublicKey, error) {
		return signer.Public(), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFailed, field, err)
	}
	if err := checkPublic(public); err != nil {
		return nil, err
	}
	return &fencedSigner{field, signer, public, calls}, nil
}

// Public implements crypto.Signer.
func (s *fencedSigner) Public() crypto.PublicKey { return s.public }

// Sign implements crypto.Signer.
func (s *fencedSigner) Sign(random io.Reader, input []byte, options crypto.SignerOpts) ([]byte, error) {
	input = bytes.Clone(input) // an abandoned call may still read it
	signature, err := CallIn(context.Background(), s.calls, func(context.Context) ([]byte, error) {
		signature, err := s.signer.Sign(random, bytes.Clone(input), options)
		return bytes.Clone(signature), err // the signer may still write to its own
	})
	if err == nil {
		err = verify(s.public, options, input, signature)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFailed, s.field, err)
	}
	return signature, nil
}

package host

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
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
	public crypto.PublicKey
	signed atomic.Uint64
}

func newSampledSigner(field string, signer crypto.Signer) (crypto.Signer, error) {
	public := signer.Public()
	if err := checkPublic(public); err != nil {
		return nil, err
	}
	return &sampledSigner{field: field, signer: signer, public: public}, nil
}

// Public implements crypto.Signer.
func (s *sampledSigner) Public() crypto.PublicKey { return s.public }

// Sign implements crypto.Signer.
func (s *sampledSigner) Sign(random io.Reader, input []byte, options crypto.SignerOpts) ([]byte, error) {
	signature, err := s.signer.Sign(random, input, options)
	if err == nil && s.signed.Add(1)%sampleEvery == 1 {
		err = verify(s.public, options, input, signature)
	}
	if err != nil {
		s.signed.Store(0) // the next one is verified as well
		return nil, fmt.Errorf("%w: %s: %w", ErrFailed, s.field, err)
	}
	return signature, nil
}

// checkPublic returns an error for a key of a kind whose signatures are not known.
func checkPublic(public crypto.PublicKey) error {
	switch key := public.(type) {
	case *rsa.PublicKey:
		if key != nil {
			return nil
		}
	case *ecdsa.PublicKey:
		if key != nil {
			return nil
		}
	case ed25519.PublicKey:
		if len(key) == ed25519.PublicKeySize {
			return nil
		}
	}
	return fmt.Errorf("the public key is a %T: want an RSA, ECDSA or Ed25519 key", public)
}

// verify returns an error unless a signature is that of a key over what the signer got, in the
// form of crypto.Signer.
func verify(public crypto.PublicKey, options crypto.SignerOpts, input, signature []byte) error {
	good := false
	switch key := public.(type) {
	case *rsa.PublicKey:
		if pss, ok := options.(*rsa.PSSOptions); ok {
			good = rsa.VerifyPSS(key, pss.HashFunc(), input, signature, pss) == nil
		} else {
			good = rsa.VerifyPKCS1v15(key, options.HashFunc(), input, signature) == nil
		}
	case *ecdsa.PublicKey:
		good = ecdsa.VerifyASN1(key, input, signature)
	case ed25519.PublicKey:
		good = options.HashFunc() == 0 && ed25519.Verify(key, input, signature)
	}
	if !good {
		return errors.New("its signature does not match its public key")
	}
	return nil
}

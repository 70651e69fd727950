package keyring

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	// keyBits is the size of generated keys, the minimum of RS256 (RFC 7518 section 3.3).
	// A larger key signs several times slower.
	keyBits = 2048

	// keyPurpose is the purpose under which private keys are encrypted.
	keyPurpose = "signing key"
)

// key is one signing key, ready to use.
type key struct {
	generation int64
	id         string
	useFrom    time.Time
	signer     crypto.Signer // nil for a key that only verifies
	public     *rsa.PublicKey

	// header is the encoded JOSE header with the dot after it: the same for
	// every token of TypeJWT that the key signs.
	header string

	// outdated reports that a former secret encrypts the key.
	outdated bool
}

// newKey prepares a signer. It signs once, so that a broken signer, or one with another key
// than it claims, fails at the start and not for a user.
func newKey(signer crypto.Signer) (*key, error) {
	if signer == nil {
		return nil, errors.New("there is no signer")
	}
	public, ok := signer.Public().(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the public key is a %T: RS256 needs an RSA key", signer.Public())
	}
	if bits := public.N.BitLen(); bits < keyBits {
		return nil, fmt.Errorf("the RSA key has %d bits: at least %d are needed", bits, keyBits)
	}
	if private, ok := signer.(*rsa.PrivateKey); ok {
		if err := private.Validate(); err != nil {
			return nil, err
		}
		// Precomputed values make a signature up to 70 % faster.
		private.Precompute()
	}
	id, err := thumbprint(public)
	if err != nil {
		return nil, err
	}
	k := &key{id: id, signer: signer, public: public, header: encodeHeader(id, TypeJWT)}
	digest := sha256.Sum256([]byte(k.header))
	signature, err := signer.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("try the signer: %w", err)
	}
	if err := rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature); err != nil {
		return nil, fmt.Errorf("try the signer: its signature does not match its public key: %w", err)
	}
	return k, nil
}

// thumbprint returns the key's identifier (RFC 7638).
func thumbprint(public *rsa.PublicKey) (string, error) {
	jwk := jose.JSONWebKey{Key: public}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("thumbprint: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
}

// generateKey makes a key and encrypts it for the store.
func generateKey(secrets *Secrets, generation int64, now, useFrom time.Time) (storage.Key, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return storage.Key{}, fmt.Errorf("generate: %w", err)
	}
	id, err := thumbprint(&private.PublicKey)
	if err != nil {
		return storage.Key{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return storage.Key{}, fmt.Errorf("encode: %w", err)
	}
	return storage.Key{
		Generation: generation,
		ID:         id,
		Sealed:     secrets.Seal(keyPurpose, der),
		CreatedAt:  now,
		UseFrom:    useFrom,
	}, nil
}

// openKey decrypts a stored key and prepares its signer. A key that does not decrypt is
// never replaced: because of a wrong secret, its tokens would no longer verify.
func openKey(secrets *Secrets, options Options, stored storage.Key) (*key, error) {
	private, err := unsealKey(secrets, stored)
	if err != nil {
		return nil, err
	}
	k, err := options.newKey(private)
	if err != nil {
		return nil, fmt.Errorf("signing key %d (%s): %w", stored.Generation, stored.ID, err)
	}
	if k.id != stored.ID {
		return nil, fmt.Errorf("signing key %d is stored as %s but is %s", stored.Generation, stored.ID, k.id)
	}
	k.generation = stored.Generation
	k.useFrom = stored.UseFrom
	k.outdated = secrets.SealedBy(stored.Sealed) != 0
	return k, nil
}

// unsealKey returns the private key of a row.
func unsealKey(secrets *Secrets, stored storage.Key) (*rsa.PrivateKey, error) {
	der, err := secrets.Open(keyPurpose, stored.Sealed)
	if err != nil {
		return nil, fmt.Errorf("signing key %d (%s) was sealed under a secret that is neither the current nor a previous one, or is damaged: %w",
			stored.Generation, stored.ID, err)
	}
	private, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("signing key %d (%s): decode: %w", stored.Generation, stored.ID, err)
	}
	rsaKey, ok := private.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("signing key %d (%s) is a %T", stored.Generation, stored.ID, private)
	}
	id, err := thumbprint(&rsaKey.PublicKey)
	if err != nil {
		return nil, err
	}
	if id != stored.ID {
		return nil, fmt.Errorf("signing key %d is stored as %s but is %s", stored.Generation, stored.ID, id)
	}
	return rsaKey, nil
}

// newKey prepares one of the provider's own keys, with the host's signer over it. Keys rotate
// in the background, where a panic would end the host's program.
func (o Options) newKey(private *rsa.PrivateKey) (k *key, err error) {
	if o.WrapSigner == nil {
		return newKey(private)
	}
	defer func() {
		if cause := recover(); cause != nil {
			k, err = nil, fmt.Errorf("WrapSigner: panic: %v", cause)
		}
	}()
	signer, err := o.WrapSigner(private)
	if err == nil {
		k, err = newKey(signer)
	}
	if err != nil {
		return nil, fmt.Errorf("WrapSigner: %w", err)
	}
	return k, nil
}

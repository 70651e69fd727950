package keyring

import (
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	// keyBits is the size of generated RSA keys, the minimum of RS256 and PS256 (RFC 7518
	// sections 3.3 and 3.5).
	// A larger key signs several times slower.
	keyBits = 2048

	// keyPurpose is the purpose under which private keys of RS256 are encrypted.
	keyPurpose = "signing key"
)

// key is one signing key, ready to use.
type key struct {
	alg        string
	generation int64
	id         string
	useFrom    time.Time
	signer     crypto.Signer // nil for a key that only verifies
	public     crypto.PublicKey

	// headers are the encoded JOSE headers by type, each with the dot after it: the same for
	// every token of the type that the key signs.
	headers map[string]string

	// outdated reports that a former secret encrypts the key.
	outdated bool
}

// newPublic returns a key that only verifies what is of these types.
func newPublic(alg string, public crypto.PublicKey, types []string) (*key, error) {
	if err := CheckPublicKey(alg, public); err != nil {
		return nil, err
	}
	id, err := thumbprint(public)
	if err != nil {
		return nil, err
	}
	k := &key{alg: alg, id: id, public: public, headers: make(map[string]string, len(types))}
	for _, typ := range types {
		k.headers[typ] = encodeHeader(alg, id, typ)
	}
	return k, nil
}

// newKey prepares a signer. It signs once, so that a broken signer, or one with another key
// than it claims, fails at the start and not for a user.
func newKey(alg string, signer crypto.Signer, types []string) (*key, error) {
	if signer == nil {
		return nil, errors.New("there is no signer")
	}
	k, err := newPublic(alg, signer.Public(), types)
	if err != nil {
		return nil, err
	}
	if private, ok := signer.(*rsa.PrivateKey); ok {
		if err := private.Validate(); err != nil {
			return nil, err
		}
		// Precomputed values make a signature up to 70 % faster.
		private.Precompute()
	}
	k.signer = signer
	message := []byte(k.headers[types[0]])
	signature, err := k.sign(message)
	if err != nil {
		return nil, fmt.Errorf("try the signer: %w", err)
	}
	if !k.verify(message, signature) {
		return nil, errors.New("try the signer: its signature does not match its public key")
	}
	return k, nil
}

// sign returns the signature of RFC 7515 over a message.
func (k *key) sign(message []byte) ([]byte, error) { return algorithms[k.alg].sign(k.signer, message) }

// verify reports whether a signature is that of the key over a message.
func (k *key) verify(message, signature []byte) bool {
	a := algorithms[k.alg]
	return a.verify(k.public, a.input(message), signature)
}

// thumbprint returns the key's identifier (RFC 7638).
func thumbprint(public crypto.PublicKey) (string, error) {
	jwk := jose.JSONWebKey{Key: public}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("thumbprint: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
}

// sealPurpose returns the purpose under which the private keys of an algorithm are encrypted.
// A row that somebody relabels does not open, and a process that knows RS256 alone does not
// sign with a key of another algorithm, nor one of another purpose.
func sealPurpose(alg string) string {
	if alg == RS256 {
		return keyPurpose
	}
	return keyPurpose + " " + alg
}

// generateKey makes a key for a row with this algorithm, and encrypts it.
func generateKey(secrets *Secrets, alg string, generation int64, now, useFrom time.Time) (storage.Key, error) {
	private, err := algorithms[algorithmOf(alg)].generate()
	if err != nil {
		return storage.Key{}, fmt.Errorf("generate: %w", err)
	}
	id, err := thumbprint(private.Public())
	if err != nil {
		return storage.Key{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return storage.Key{}, fmt.Errorf("encode: %w", err)
	}
	return storage.Key{
		Generation: generation,
		Alg:        alg,
		ID:         id,
		Sealed:     secrets.Seal(sealPurpose(alg), der),
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
	k, err := options.newKey(algorithmOf(stored.Alg), private)
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
func unsealKey(secrets *Secrets, stored storage.Key) (crypto.Signer, error) {
	der, err := secrets.Open(sealPurpose(stored.Alg), stored.Sealed)
	if err != nil {
		return nil, fmt.Errorf("signing key %d (%s, %s) was sealed under a secret that is neither the current nor a previous one, or is damaged: %w",
			stored.Generation, stored.Alg, stored.ID, err)
	}
	private, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("signing key %d (%s): decode: %w", stored.Generation, stored.ID, err)
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("signing key %d (%s) is a %T", stored.Generation, stored.ID, private)
	}
	if err := CheckPublicKey(algorithmOf(stored.Alg), signer.Public()); err != nil {
		return nil, fmt.Errorf("signing key %d (%s): %w", stored.Generation, stored.ID, err)
	}
	id, err := thumbprint(signer.Public())
	if err != nil {
		return nil, err
	}
	if id != stored.ID {
		return nil, fmt.Errorf("signing key %d is stored as %s but is %s", stored.Generation, stored.ID, id)
	}
	return signer, nil
}

// newKey prepares one of the provider's own keys, with the host's signer over it. Keys rotate
// in the background, where a panic would end the host's program.
func (o Options) newKey(alg string, private crypto.Signer) (k *key, err error) {
	if o.Wrap == nil {
		return newKey(alg, private, o.Types)
	}
	defer func() {
		if cause := recover(); cause != nil {
			k, err = nil, fmt.Errorf("Signing.Wrap: panic: %v", cause)
		}
	}()
	signer, err := o.Wrap(alg, private)
	if err == nil {
		k, err = newKey(alg, signer, o.Types)
	}
	if err != nil {
		return nil, fmt.Errorf("Signing.Wrap: %w", err)
	}
	return k, nil
}

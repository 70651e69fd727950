package keyring

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bonafide-id/bonafide/storage"
)

// ErrStatic means that the host owns the keys of a set and alone can change them.
var ErrStatic = errors.New("keyring: the signing key is the host's, who alone can change it")

// KeySet is the set of signing keys. Its methods are safe for concurrent use. Those that
// take a context read or write the store; the others work from memory.
type KeySet struct {
	options Options
	store   storage.Keys // nil for a static set
	secrets *Secrets

	current atomic.Pointer[snapshot]

	// loadedAt is the time of the last read of the store, in nanoseconds since 1970.
	loadedAt atomic.Int64

	// updating keeps an older snapshot of the store from replacing a newer one.
	updating sync.Mutex
}

// Open loads the signing keys from the store, and makes the first one if there is none. Any
// number of processes may open one empty store: they get the same key. A key that the
// secrets do not decrypt is an error; no other is made in its place.
func Open(ctx context.Context, store storage.Keys, secrets *Secrets, options Options) (*KeySet, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	s := &KeySet{options: options, store: store, secrets: secrets}
	stored, err := store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("load signing keys: %w", err)
	}
	if len(stored) == 0 {
		now := options.Clock()
		if _, err := s.add(ctx, 1, now, now); err != nil {
			return nil, err
		}
	}
	if _, err := s.reload(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Static returns a set of one key of the host, which never rotates. The signer makes PKCS #1
// v1.5 signatures with an RSA key of at least 2048 bits, and is tried once. An
// *rsa.PrivateKey gets its precomputed values. The others are published and verify beside
// it.
func Static(signer crypto.Signer, others ...*rsa.PublicKey) (*KeySet, error) {
	k, err := newKey(signer)
	if err != nil {
		return nil, fmt.Errorf("signer of the host: %w", err)
	}
	var keys []*key
	for _, public := range others {
		id, err := thumbprint(public)
		if err != nil {
			return nil, err
		}
		known := func(k *key) bool { return k.id == id }
		if !known(k) && !slices.ContainsFunc(keys, known) {
			keys = append(keys, &key{id: id, public: public, header: encodeHeader(id, TypeJWT)})
		}
	}
	keys = append(keys, k) // the last one signs
	loaded, err := newSnapshot(keys, nil)
	if err != nil {
		return nil, err
	}
	s := &KeySet{options: Options{}.withDefaults()}
	s.current.Store(loaded)
	return s, nil
}

// JWKS returns the key set (RFC 7517 section 5) as JSON: the public members of every key
// that signs, signs next, or has signed tokens that may be valid. The caller must not change
// the bytes. They stay available while the store is not.
func (s *KeySet) JWKS() []byte { return s.current.Load().jwks }

// KeyID returns the identifier (RFC 7517 section 4.5) of the key that signs now: its
// thumbprint (RFC 7638).
func (s *KeySet) KeyID() string { return s.signing().id }

func (s *KeySet) signing() *key { return s.current.Load().signing(s.options.Clock()) }

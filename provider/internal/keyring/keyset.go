package keyring

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

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

	// openedAt is since when this set has not signed with the algorithms that it has not.
	openedAt time.Time

	// loadedAt is the time of the last read of the store, in nanoseconds since 1970.
	loadedAt atomic.Int64

	// updating keeps an older snapshot of the store from replacing a newer one.
	updating sync.Mutex
}

// Open loads the signing keys from the store, and makes the first one of each algorithm that
// has none. Any number of processes may open one empty store: they get the same keys. A key
// that the secrets do not decrypt is an error; no other is made in its place.
func Open(ctx context.Context, store storage.Keys, secrets *Secrets, options Options) (*KeySet, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	s := &KeySet{options: options, store: store, secrets: secrets, openedAt: options.Clock()}
	stored, err := store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("load signing keys: %w", err)
	}
	if len(stored) == 0 {
		if _, err := s.add(ctx, options.Algorithms[0], 1, s.openedAt, s.openedAt); err != nil {
			return nil, err
		}
	}
	if _, err := s.reload(ctx); err != nil {
		return nil, err
	}
	for _, alg := range options.Algorithms {
		lacks := func(time.Time) bool { return s.chain(alg).newest() == nil }
		if _, err := s.addIf(ctx, alg, lacks); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Held is the keys of the host for one algorithm. The signer makes its signatures, those of
// ECDSA in ASN.1 form, and is tried once. An *rsa.PrivateKey gets its precomputed values. The
// others are published and verify beside it.
type Held struct {
	Signer crypto.Signer
	Others []crypto.PublicKey

	// Certificates take the place of the identifier in headers (x5c, RFC 7515 section 4.1.6), that of the
	// Signer first, in DER.
	Certificates [][]byte
}

// Static returns a set of keys of the host by algorithm, which never rotate, for what is of these
// types: without any, for the provider's tokens.
func Static(held map[string]Held, signed ...string) (*KeySet, error) {
	options := Options{Types: signed, Algorithms: ordered(slices.Collect(maps.Keys(held)))}.withDefaults()
	chains := make(map[string]chain, len(held))
	for alg, of := range held {
		k, err := newKey(alg, of.Signer, options.Types)
		if err != nil {
			return nil, fmt.Errorf("signer of the host for %s: %w", alg, err)
		}
		var keys []*key
		for _, public := range of.Others {
			other, err := newPublic(alg, public, options.Types)
			if err != nil {
				return nil, fmt.Errorf("public key of the host for %s: %w", alg, err)
			}
			known := func(k *key) bool { return k.id == other.id }
			if !known(k) && !slices.ContainsFunc(keys, known) {
				keys = append(keys, other)
			}
		}
		if len(of.Certificates) > 0 {
			for typ := range k.headers {
				k.headers[typ] = certifiedHeader(alg, typ, of.Certificates)
			}
		}
		chains[alg] = chain{published: append(keys, k), signs: true} // the last one signs
	}
	loaded, err := newSnapshot(chains, 0)
	if err != nil {
		return nil, err
	}
	s := &KeySet{options: options}
	s.current.Store(loaded)
	return s, nil
}

// Fresh returns a set of one new key of an algorithm, which is in memory alone.
func Fresh(alg string) (*KeySet, error) {
	known := algorithms[alg]
	if known == nil {
		return nil, fmt.Errorf("%w: %s", ErrAlgorithm, alg)
	}
	signer, err := known.generate()
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	return Static(map[string]Held{alg: {Signer: signer}})
}

// JWKS returns the key set (RFC 7517 section 5) as JSON: the public members of every key
// that signs, signs next, or has signed tokens that may be valid, first those of RS256. The
// caller must not change the bytes. They stay available while the store is not.
func (s *KeySet) JWKS() []byte { return s.current.Load().jwks }

// KeyID returns the identifier (RFC 7517 section 4.5) of the key that signs now with an
// algorithm, its thumbprint (RFC 7638); "" if none does.
func (s *KeySet) KeyID(alg string) string {
	if k := s.signing(alg); k != nil {
		return k.id
	}
	return ""
}

// Signs reports whether a key of the set signs with an algorithm.
func (s *KeySet) Signs(alg string) bool { return s.signing(alg) != nil }

// chain returns the keys of an algorithm.
func (s *KeySet) chain(alg string) chain { return s.current.Load().chains[alg] }

// signing returns the key that signs now with an algorithm, or nil.
func (s *KeySet) signing(alg string) *key { return s.chain(alg).signing(s.options.Clock()) }

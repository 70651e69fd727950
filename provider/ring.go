package provider

import (
	"context"
	"crypto"
	"fmt"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

// keyRings are the keys of a provider for other purposes than its tokens. It is safe for concurrent use.
type keyRings struct {
	mu  sync.Mutex
	all []*keyring.KeySet
}

func (r *keyRings) add(set *keyring.KeySet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all[:len(r.all):len(r.all)], set) // the former list may be in use
}

func (r *keyRings) list() []*keyring.KeySet {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// Ring returns keys of their own for a purpose, which sign what is of these types with ES256 and is good for
// at most life: a key that has made its last signature stays in their set for a day longer. They are
// rotated, encrypted again and revoked as those of tokens are (Keys), also beside Signing.Signers.
func (p keysRoom) Ring(ctx context.Context, purpose string, life time.Duration, types ...string) (*keyring.KeySet, error) {
	set, err := keyring.Open(ctx, p.cfg.Store, p.secrets, keyring.Options{
		Purpose: purpose, Types: types, Algorithms: []string{keyring.ES256}, RotateEvery: p.cfg.Rotation, KeepFor: life + 24*time.Hour,
		Wrap: wrap(p.cfg, p.calls), Clock: p.cfg.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("keys of %s: %w", purpose, err)
	}
	p.rings.add(set)
	return set, nil
}

// RingOf is Ring for a key of the host, which certificates name in headers if there are any. field names the signer
// in errors.
func (p keysRoom) RingOf(field string, signer crypto.Signer, certificates [][]byte, types ...string) (*keyring.KeySet, error) {
	signer, err := host.NewSigner(field, signer, p.calls)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	set, err := keyring.Static(map[string]keyring.Held{keyring.ES256: {Signer: signer, Certificates: certificates}}, types...)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	return set, nil
}

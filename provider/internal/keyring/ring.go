package keyring

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Options says when keys change, and what signs with them. The zero value is ready to use.
type Options struct {
	// RotateEvery is how long one key signs. Zero means 90 days.
	RotateEvery time.Duration

	// PublishAhead is how long a new key is in the key set before it signs. It
	// must exceed the time between two calls of [Ring.Maintain], the time for
	// which clients keep the key set, and the difference between clocks. Zero
	// means 24 hours.
	PublishAhead time.Duration

	// KeepFor is how long a key stays in the key set after it has stopped to
	// sign: the longest life of what it signs, and the difference between
	// clocks. Zero means 24 hours.
	KeepFor time.Duration

	// SignWith makes the signer that is used in place of a key, from the store or
	// new. It is tried like that of [Static], and must have the key's public key.
	// Nil means the key itself.
	SignWith func(*rsa.PrivateKey) (crypto.Signer, error)

	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
}

func (o Options) withDefaults() Options {
	const day = 24 * time.Hour
	if o.RotateEvery == 0 {
		o.RotateEvery = 90 * day
	}
	if o.PublishAhead == 0 {
		o.PublishAhead = day
	}
	if o.KeepFor == 0 {
		o.KeepFor = day
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

func (o Options) validate() error {
	if o.PublishAhead < 0 || o.KeepFor < 0 {
		return errors.New("PublishAhead and KeepFor must not be negative")
	}
	if o.RotateEvery <= o.PublishAhead {
		return fmt.Errorf("RotateEvery (%v) must be longer than PublishAhead (%v)", o.RotateEvery, o.PublishAhead)
	}
	return nil
}

// Ring is the set of signing keys. Its methods are safe for concurrent use; all but
// [Ring.Maintain] work from memory and never wait for the store.
type Ring struct {
	options Options
	store   storage.Keys // nil for a static ring
	secrets *Secrets

	current atomic.Pointer[keySet]

	// maintaining keeps an older view of the store from replacing a newer one.
	maintaining sync.Mutex
}

// Open loads the signing keys from the store, and makes the first one when there is
// none. Any number of processes may do so on one empty store: they end up with one
// key. It is an error when a key cannot be unsealed with the secrets; nothing is
// ever made in its place.
func Open(ctx context.Context, store storage.Keys, secrets *Secrets, options Options) (*Ring, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	r := &Ring{options: options, store: store, secrets: secrets}
	stored, err := store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("load signing keys: %w", err)
	}
	if len(stored) == 0 {
		now := options.Clock()
		if _, err := r.add(ctx, 1, now, now); err != nil {
			return nil, err
		}
	}
	if _, err := r.reload(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Static returns a ring of one key that the host supplies, which never changes. The
// signer makes PKCS #1 v1.5 signatures with an RSA key of at least 2048 bits, and
// is tried once. When it is an *rsa.PrivateKey its precomputed values are filled in.
func Static(signer crypto.Signer) (*Ring, error) {
	k, err := newKey(signer)
	if err != nil {
		return nil, fmt.Errorf("signer of the host: %w", err)
	}
	set, err := newKeySet([]*key{k})
	if err != nil {
		return nil, err
	}
	r := &Ring{options: Options{}.withDefaults()}
	r.current.Store(set)
	return r, nil
}

// Maintain brings the ring up to date: it loads the keys that other processes have
// added, adds the next key when it is due, and removes those whose time is over. It
// reports whether this call added a key. After an error the ring goes on with the
// keys that it has. Call it every few minutes. On a static ring it does nothing.
func (r *Ring) Maintain(ctx context.Context) (added bool, err error) {
	if r.store == nil {
		return false, nil
	}
	r.maintaining.Lock()
	defer r.maintaining.Unlock()
	expired, err := r.reload(ctx)
	if err != nil {
		return false, err
	}
	now := r.options.Clock()
	if newest := r.current.Load().newest(); r.due(newest, now) {
		added, err = r.add(ctx, newest.generation+1, now, now.Add(r.options.PublishAhead))
		if err != nil {
			return false, err
		}
		if _, err := r.reload(ctx); err != nil {
			return added, err
		}
	}
	if expired {
		if err := r.store.RemoveKeys(ctx, r.current.Load().keys[0].generation); err != nil {
			return added, fmt.Errorf("remove signing keys: %w", err)
		}
	}
	return added, nil
}

// due reports whether the newest key needs a successor, which signs PublishAhead
// from now. While the newest waits for its turn it needs none, whatever else:
// processes that disagree about the current secret would otherwise add keys without
// end.
func (r *Ring) due(newest *key, now time.Time) bool {
	if newest.useFrom.After(now) {
		return false
	}
	end := newest.useFrom.Add(r.options.RotateEvery)
	return newest.outdated || !end.After(now.Add(r.options.PublishAhead))
}

// add stores a new key. It reports false when another process has added this
// generation at the same time.
func (r *Ring) add(ctx context.Context, generation int64, now, useFrom time.Time) (bool, error) {
	k, err := generateKey(r.secrets, generation, now, useFrom)
	if err != nil {
		return false, fmt.Errorf("make signing key: %w", err)
	}
	// What this process cannot sign with is not given to the others either.
	if _, err := openKey(r.secrets, r.options, k); err != nil {
		return false, err
	}
	err = r.store.AddKey(ctx, k)
	if errors.Is(err, storage.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("add signing key: %w", err)
	}
	return true, nil
}

// reload replaces the current set by what the store holds, but for keys whose time
// is over, and reports whether there are such.
func (r *Ring) reload(ctx context.Context) (expired bool, err error) {
	stored, err := r.store.Keys(ctx)
	if err != nil {
		return false, fmt.Errorf("load signing keys: %w", err)
	}
	if len(stored) == 0 {
		return false, errors.New("keyring: the store has lost its signing keys")
	}
	over := replaced(stored, r.options.Clock().Add(-r.options.KeepFor))
	known := r.current.Load()
	var keys []*key
	for _, s := range stored[over:] {
		k := known.byID(s.ID)
		if k == nil || k.generation != s.Generation {
			if k, err = openKey(r.secrets, r.options, s); err != nil {
				return false, err
			}
		}
		keys = append(keys, k)
	}
	set, err := newKeySet(keys)
	if err != nil {
		return false, err
	}
	r.current.Store(set)
	return over > 0, nil
}

// replaced counts the keys that another one had replaced at this moment.
func replaced(stored []storage.Key, at time.Time) int {
	n := 0
	for i := 1; i < len(stored); i++ {
		if !stored[i].UseFrom.After(at) {
			n = i
		}
	}
	return n
}

package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

// Keys are the signing keys of a provider.
type Keys interface {
	Refresh(ctx context.Context)
	IsFresh() bool
	JWKS() []byte
}

// Publish returns keys whose key set has those of rotated keys as well.
func (f *Faults) Publish(keys Keys) Keys {
	if f == nil {
		return keys
	}
	return published{keys, &f.rotated}
}

type published struct {
	Keys
	rotated *rotatedKeys
}

// JWKS implements Keys.
func (p published) JWKS() []byte { return p.rotated.join(p.Keys.JWKS()) }

const (
	// rotateEvery is how long a rotated key of an application signs.
	rotateEvery = time.Minute

	// keepRotated is for how long one is in the key set at least: ID tokens that it has
	// signed are looked at until then.
	keepRotated = 10 * time.Minute

	// maxRotated bounds how many of them are in the key set. While all are needed there is no
	// other: an application that pushed out the key of another would break its sign-ins.
	maxRotated = 64
)

// rotatedKeys are keys that sign as soon as they are made, and are in the key set from then
// on only.
type rotatedKeys struct {
	mu  sync.Mutex
	all []rotatedKey // the latest last
}

type rotatedKey struct {
	rotatedFor
	madeAt time.Time
	keys   *keyring.KeySet
}

// rotatedFor is whose key it is, and for which algorithm.
type rotatedFor struct{ clientID, alg string }

// sign signs with the application's key of this minute, or as usual when there is no room for
// one.
func (r *rotatedKeys) sign(by rotatedFor, claims []byte, now time.Time, usual func(string, []byte) (string, error)) (string, error) {
	keys, err := r.of(by, now)
	switch {
	case err != nil:
		return "", err
	case keys == nil:
		return usual(by.alg, claims)
	default:
		return keys.Sign(by.alg, claims)
	}
}

// of returns the application's key of this minute, or nil when there is no room for one.
func (r *rotatedKeys) of(by rotatedFor, now time.Time) (*keyring.KeySet, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range slices.Backward(r.all) {
		if age := now.Sub(k.madeAt); k.rotatedFor == by && age >= 0 && age < rotateEvery {
			return k.keys, nil
		}
	}
	r.all = slices.DeleteFunc(r.all, func(k rotatedKey) bool { return now.Sub(k.madeAt) >= keepRotated })
	if len(r.all) >= maxRotated {
		return nil, nil //nolint:nilnil // no key is an answer
	}
	keys, err := keyring.Fresh(by.alg)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	r.all = append(r.all, rotatedKey{by, now, keys})
	return keys, nil
}

// join returns a key set with the rotated keys beside its own.
func (r *rotatedKeys) join(jwks []byte) []byte {
	r.mu.Lock()
	sets := [][]byte{jwks}
	for _, k := range r.all {
		sets = append(sets, k.keys.JWKS())
	}
	r.mu.Unlock()
	if len(sets) == 1 {
		return jwks
	}
	type keySet struct {
		Keys []json.RawMessage `json:"keys"`
	}
	var joined keySet
	for _, raw := range sets {
		var set keySet
		if err := json.Unmarshal(raw, &set); err != nil {
			return jwks
		}
		joined.Keys = append(joined.Keys, set.Keys...)
	}
	raw, err := json.Marshal(joined)
	if err != nil {
		return jwks
	}
	return raw
}

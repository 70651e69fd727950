package keyring

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

const day = 24 * time.Hour

// keyStore is a storage.Keys in memory that can be out of order.
type keyStore struct {
	mu   sync.Mutex
	keys []storage.Key
	down bool
}

func (s *keyStore) Keys(context.Context) ([]storage.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, storage.ErrUnavailable
	}
	return slices.Clone(s.keys), nil
}

func (s *keyStore) AddKey(_ context.Context, k storage.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return storage.ErrUnavailable
	}
	if slices.ContainsFunc(s.keys, func(other storage.Key) bool { return other.Generation == k.Generation }) {
		return storage.ErrConflict
	}
	s.keys = append(s.keys, k)
	slices.SortFunc(s.keys, func(a, b storage.Key) int { return int(a.Generation - b.Generation) })
	return nil
}

func (s *keyStore) ResealKey(_ context.Context, generation int64, before, sealed []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return storage.ErrUnavailable
	}
	for i, k := range s.keys {
		if k.Generation == generation && bytes.Equal(k.Sealed, before) {
			s.keys[i].Sealed = sealed
			return nil
		}
	}
	return storage.ErrNotFound
}

func (s *keyStore) RemoveKeys(_ context.Context, alg string, before int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = slices.DeleteFunc(s.keys, func(k storage.Key) bool { return k.Generation < before && (alg == "" || alg == k.Alg) })
	return nil
}

func openKeySet(t testing.TB, store storage.Keys, secrets *Secrets, options Options) *KeySet {
	t.Helper()
	keys := testkit.Must(Open(t.Context(), store, secrets, options))(t)
	return keys
}

// rotateIfDue reports whether a key was added.
func rotateIfDue(t testing.TB, keys *KeySet) bool {
	t.Helper()
	added := testkit.Must(keys.RotateIfDue(t.Context()))(t)
	return added
}

// published returns the identifiers in the key set.
func published(t testing.TB, keys *KeySet) []string {
	t.Helper()
	var set jose.JSONWebKeySet
	testkit.OK(t, json.Unmarshal(keys.JWKS(), &set))
	var ids []string
	for _, k := range set.Keys {
		ids = append(ids, k.KeyID)
	}
	return ids
}

func TestOpen(t *testing.T) {
	t.Run("EightProcessesOnAnEmptyStoreEndUpWithOneKey", func(t *testing.T) {
		store, secret := new(keyStore), randomSecret()
		sets := make([]*KeySet, 8)
		var group sync.WaitGroup
		for i := range sets {
			group.Go(func() {
				secrets, err := NewSecrets(secret)
				if err != nil {
					t.Error(err)
					return
				}
				if sets[i], err = Open(t.Context(), store, secrets, Options{}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if t.Failed() {
			return
		}
		for _, keys := range sets {
			if diff := cmp.Diff(published(t, sets[0]), published(t, keys)); diff != "" {
				t.Errorf("key sets differ:\n%s", diff)
			}
		}
		if len(store.keys) != 1 {
			t.Errorf("the store has %d keys, want 1", len(store.keys))
		}
	})
	t.Run("KeepsTheKeyOverARestart", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		first := openKeySet(t, store, secrets, Options{})
		second := openKeySet(t, store, secrets, Options{})
		if first.KeyID(RS256) != second.KeyID(RS256) {
			t.Errorf("key %s became %s", first.KeyID(RS256), second.KeyID(RS256))
		}
	})
	t.Run("RefusesAWrongSecretAndLeavesTheStoreAlone", func(t *testing.T) {
		store := new(keyStore)
		openKeySet(t, store, newSecrets(t, randomSecret()), Options{})
		before := slices.Clone(store.keys)
		_, err := Open(t.Context(), store, newSecrets(t, randomSecret(), randomSecret()), Options{})
		if !errors.Is(err, ErrOpen) || !strings.Contains(err.Error(), "neither the current nor a previous") {
			t.Errorf("error %v, want one that names the reason", err)
		}
		if diff := cmp.Diff(before, store.keys); diff != "" {
			t.Errorf("the store has changed:\n%s", diff)
		}
	})
	t.Run("RefusesAKeyMovedToAnotherRow", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		openKeySet(t, store, secrets, Options{})
		store.keys[0].ID = "another"
		if _, err := Open(t.Context(), store, secrets, Options{}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("ReportsAStoreThatIsDown", func(t *testing.T) {
		store := &keyStore{down: true}
		if _, err := Open(t.Context(), store, newSecrets(t, randomSecret()), Options{}); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("error %v, want ErrUnavailable", err)
		}
	})
	t.Run("StoresNoKeyInClear", func(t *testing.T) {
		store := new(keyStore)
		keys := openKeySet(t, store, newSecrets(t, randomSecret()), Options{})
		private := keys.signing(RS256).signer.(*rsa.PrivateKey)
		for _, secret := range [][]byte{private.D.Bytes(), private.Primes[0].Bytes(), private.N.Bytes()} {
			if bytes.Contains(store.keys[0].Sealed, secret[:16]) {
				t.Error("the stored key is in clear")
			}
		}
	})
	t.Run("RefusesOptionsThatCannotWork", func(t *testing.T) {
		for _, options := range []Options{
			{RotateEvery: time.Hour},
			{RotateEvery: -time.Hour, PublishAhead: -2 * time.Hour},
			{PublishAhead: -1},
			{KeepFor: -1},
		} {
			if _, err := Open(t.Context(), new(keyStore), newSecrets(t, randomSecret()), options); err == nil {
				t.Errorf("%+v: no error", options)
			}
		}
	})
}

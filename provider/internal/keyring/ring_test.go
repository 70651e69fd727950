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
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/google/go-cmp/cmp"

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
	return nil
}

func (s *keyStore) RemoveKeys(_ context.Context, before int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = slices.DeleteFunc(s.keys, func(k storage.Key) bool { return k.Generation < before })
	return nil
}

func openRing(t testing.TB, store storage.Keys, secrets *Secrets, options Options) *Ring {
	t.Helper()
	r, err := Open(t.Context(), store, secrets, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// maintain runs one step and tells whether it added a key.
func maintain(t testing.TB, r *Ring) bool {
	t.Helper()
	added, err := r.Maintain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// published returns the identifiers in the key set.
func published(t testing.TB, r *Ring) []string {
	t.Helper()
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(r.JWKS(), &set); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, k := range set.Keys {
		ids = append(ids, k.KeyID)
	}
	return ids
}

func TestOpen(t *testing.T) {
	t.Run("EightProcessesOnAnEmptyStoreEndUpWithOneKey", func(t *testing.T) {
		store, secret := new(keyStore), randomSecret()
		rings := make([]*Ring, 8)
		var group sync.WaitGroup
		for i := range rings {
			group.Go(func() {
				secrets, err := NewSecrets(secret)
				if err != nil {
					t.Error(err)
					return
				}
				if rings[i], err = Open(t.Context(), store, secrets, Options{}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if t.Failed() {
			return
		}
		for _, r := range rings {
			if diff := cmp.Diff(published(t, rings[0]), published(t, r)); diff != "" {
				t.Errorf("key sets differ:\n%s", diff)
			}
		}
		if len(store.keys) != 1 {
			t.Errorf("the store has %d keys, want 1", len(store.keys))
		}
	})
	t.Run("KeepsTheKeyOverARestart", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		first := openRing(t, store, secrets, Options{})
		second := openRing(t, store, secrets, Options{})
		if first.KeyID() != second.KeyID() {
			t.Errorf("key %s became %s", first.KeyID(), second.KeyID())
		}
	})
	t.Run("RefusesAWrongSecretAndLeavesTheStoreAlone", func(t *testing.T) {
		store := new(keyStore)
		openRing(t, store, newSecrets(t, randomSecret()), Options{})
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
		openRing(t, store, secrets, Options{})
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
		r := openRing(t, store, newSecrets(t, randomSecret()), Options{})
		private := r.signing().signer.(*rsa.PrivateKey)
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

func TestMaintain(t *testing.T) {
	t.Run("PublishesUsesAndRetiresKeysInTurn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			r := openRing(t, store, secrets, Options{})
			first := r.KeyID()
			old, err := r.Sign([]byte(`{}`))
			if err != nil {
				t.Fatal(err)
			}

			time.Sleep(89*day - time.Second)
			if maintain(t, r) {
				t.Fatal("a key was added before it was due")
			}
			time.Sleep(time.Second)
			if !maintain(t, r) {
				t.Fatal("no key was added a day before the first one ends")
			}
			ids := published(t, r)
			if len(ids) != 2 || ids[0] != first {
				t.Fatalf("published: %v, want the first key and a new one", ids)
			}
			second := ids[1]

			time.Sleep(day - time.Second)
			if r.KeyID() != first {
				t.Error("the new key signs before its time")
			}
			time.Sleep(time.Second)
			// No Maintain since: the clock alone makes the change.
			if r.KeyID() != second {
				t.Error("the new key does not sign when its time has come")
			}
			if _, err := r.Verify(old); err != nil {
				t.Errorf("a token of the key before: %v", err)
			}

			time.Sleep(day - time.Second)
			if maintain(t, r) || len(published(t, r)) != 2 {
				t.Error("the first key went before its time")
			}
			time.Sleep(time.Second)
			if maintain(t, r) {
				t.Error("a key was added without need")
			}
			if diff := cmp.Diff([]string{second}, published(t, r)); diff != "" {
				t.Errorf("published after the first key's time:\n%s", diff)
			}
			if _, err := r.Verify(old); !errors.Is(err, ErrToken) {
				t.Errorf("a token of a removed key: error %v, want ErrToken", err)
			}
			if len(store.keys) != 1 || store.keys[0].ID != second {
				t.Errorf("the store has %d keys, want the second one only", len(store.keys))
			}
		})
	})
	t.Run("PublishesBeforeUseAfterAYearOff", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			first := openRing(t, store, secrets, Options{}).KeyID()
			time.Sleep(365 * day)
			r := openRing(t, store, secrets, Options{})
			if !maintain(t, r) || r.KeyID() != first {
				t.Error("want a new key that does not sign yet")
			}
			time.Sleep(day)
			if r.KeyID() == first {
				t.Error("the new key does not sign a day later")
			}
		})
	})
	t.Run("TwoProcessesThatRotateAtOnceAddOneKey", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			rings := []*Ring{openRing(t, store, secrets, Options{}), openRing(t, store, secrets, Options{})}
			time.Sleep(89 * day)
			added := make([]bool, len(rings))
			var group sync.WaitGroup
			for i, r := range rings {
				group.Go(func() { added[i], _ = r.Maintain(t.Context()) })
			}
			group.Wait()
			if added[0] == added[1] {
				t.Errorf("added: %v, want one of them", added)
			}
			if diff := cmp.Diff(published(t, rings[0]), published(t, rings[1])); diff != "" {
				t.Errorf("key sets differ:\n%s", diff)
			}
			time.Sleep(day)
			if rings[0].KeyID() != rings[1].KeyID() {
				t.Error("they sign with different keys")
			}
		})
	})
	t.Run("AProcessWithAClockBehindSignsWithAPublishedKey", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		now := time.Now()
		ahead := openRing(t, store, secrets, Options{Clock: func() time.Time { return now }})
		behind := openRing(t, store, secrets, Options{Clock: func() time.Time { return now.Add(-time.Minute) }})
		token, err := behind.Sign([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ahead.Verify(token); err != nil {
			t.Error(err)
		}
		if maintain(t, behind) {
			t.Error("the process behind added a key")
		}
	})
	t.Run("ReplacesAKeyThatAnEarlierSecretSealed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, old, current := new(keyStore), randomSecret(), randomSecret()
			first := openRing(t, store, newSecrets(t, old), Options{}).KeyID()
			r := openRing(t, store, newSecrets(t, current, old), Options{})
			if !maintain(t, r) {
				t.Fatal("no key was added")
			}
			// A process that has not changed its current secret yet must not
			// answer with a key of its own.
			lagging := openRing(t, store, newSecrets(t, old, current), Options{})
			if maintain(t, lagging) || maintain(t, r) {
				t.Fatal("a key was added while one waits for its turn")
			}
			time.Sleep(2 * day)
			maintain(t, r)
			if slices.Contains(published(t, r), first) {
				t.Error("the first key is still published")
			}
			openRing(t, store, newSecrets(t, current), Options{})
		})
	})
	t.Run("GoesOnFromMemoryWhileTheStoreIsDown", func(t *testing.T) {
		store := new(keyStore)
		r := openRing(t, store, newSecrets(t, randomSecret()), Options{})
		set := r.JWKS()
		store.down = true
		if _, err := r.Maintain(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("error %v, want ErrUnavailable", err)
		}
		if !bytes.Equal(set, r.JWKS()) {
			t.Error("the key set has changed")
		}
		if _, err := r.Sign([]byte(`{}`)); err != nil {
			t.Error(err)
		}
	})
	t.Run("ReportsAStoreThatHasLostItsKeys", func(t *testing.T) {
		store := new(keyStore)
		r := openRing(t, store, newSecrets(t, randomSecret()), Options{})
		store.keys = nil
		if added, err := r.Maintain(t.Context()); added || err == nil {
			t.Errorf("Maintain = %v, %v; want an error and no new key", added, err)
		}
		if len(published(t, r)) != 1 || len(store.keys) != 0 {
			t.Error("want the key in memory to stay and none to be made")
		}
	})
}

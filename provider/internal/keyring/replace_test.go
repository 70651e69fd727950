package keyring

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestReplace(t *testing.T) {
	t.Run("EndsEveryOtherKeyInEveryProcess", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		now := time.Now()
		options := Options{VerifyFor: 14 * day, Clock: func() time.Time { return now }}
		keys, other := openKeySet(t, store, secrets, options), openKeySet(t, store, secrets, options)
		former := issue(t, keys)
		now = now.Add(89 * day)
		rotateIfDue(t, keys)
		now = now.Add(day + 25*time.Hour) // the first only verifies
		rotateIfDue(t, keys)
		current := issue(t, keys)
		testkit.Must(keys.Rotate(t.Context()))(t) // and one waits
		rotateIfDue(t, other)

		testkit.OK(t, keys.Replace(t.Context()))
		id := keys.KeyID(RS256)
		behind := options
		behind.Clock = func() time.Time { return now.Add(-time.Hour) }
		rotateIfDue(t, other)
		for name, keys := range map[string]*KeySet{
			"the one that did": keys, "another": other, "a new one": openKeySet(t, store, secrets, options),
			"one with a clock behind": openKeySet(t, store, secrets, behind),
		} {
			if ids := published(t, keys); !slices.Equal(ids, []string{id}) || keys.KeyID(RS256) != id {
				t.Errorf("%s: published %v, signs with %s; want %s", name, ids, keys.KeyID(RS256), id)
			}
			for _, token := range []string{former, current} {
				if _, err := keys.Verify(token); !errors.Is(err, ErrToken) {
					t.Errorf("%s: a token of a key that was ended: error %v, want ErrToken", name, err)
				}
			}
			if _, err := keys.Verify(issue(t, keys)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(store.keys) != 1 {
			t.Errorf("%d rows are left", len(store.keys))
		}
	})
	t.Run("WinsAgainstAProcessThatAddsAKeyAtThatMoment", func(t *testing.T) {
		secrets := newSecrets(t, randomSecret())
		store := &crowded{keyStore: new(keyStore), secrets: secrets}
		keys := openKeySet(t, store, secrets, Options{})
		first := keys.KeyID(RS256)
		store.left = 2
		testkit.OK(t, keys.Replace(t.Context()))
		if len(store.keys) != 1 || store.left != 0 || keys.KeyID(RS256) == first || keys.KeyID(RS256) != store.keys[0].ID {
			t.Errorf("%d rows; signs with %s, at first with %s", len(store.keys), keys.KeyID(RS256), first)
		}
	})
	t.Run("ByManyProcessesAtOnceEndsTheLeakedKey", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		leaked := issue(t, openKeySet(t, store, secrets, Options{}))
		sets := make([]*KeySet, 8)
		var group sync.WaitGroup
		for i := range sets {
			sets[i] = openKeySet(t, store, secrets, Options{})
			group.Go(func() {
				if err := sets[i].Replace(t.Context()); err != nil {
					t.Error(err)
				}
				_ = issue(t, sets[i])
			})
		}
		group.Wait()
		for _, keys := range sets {
			rotateIfDue(t, keys)
			if _, err := keys.Verify(leaked); !errors.Is(err, ErrToken) || keys.KeyID(RS256) != sets[0].KeyID(RS256) {
				t.Errorf("error %v, want ErrToken; signs with %s and %s", err, keys.KeyID(RS256), sets[0].KeyID(RS256))
			}
		}
	})
	t.Run("SaysThatTheStoreIsDown", func(t *testing.T) {
		store := new(keyStore)
		keys := openKeySet(t, store, newSecrets(t, randomSecret()), Options{})
		store.down = true
		if err := keys.Replace(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("Replace: %v", err)
		}
		if _, err := keys.Rotate(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("Rotate: %v", err)
		}
	})
	t.Run("IsForTheHostToDoWithItsOwnKey", func(t *testing.T) {
		keys := testkit.Must(static(rsaKey(t, keyBits)))(t)
		if err := keys.Replace(t.Context()); !errors.Is(err, ErrStatic) {
			t.Errorf("Replace: %v", err)
		}
		if _, err := keys.Rotate(t.Context()); !errors.Is(err, ErrStatic) {
			t.Errorf("Rotate: %v", err)
		}
	})
}

func issue(t *testing.T, keys *KeySet) string {
	t.Helper()
	token := testkit.Must(keys.Sign(RS256, []byte(`{}`)))(t)
	return token
}

// crowded is a store in which another process adds a key right before this one does.
type crowded struct {
	*keyStore
	secrets *Secrets
	left    int
}

func (s *crowded) AddKey(ctx context.Context, k storage.Key) error {
	if s.left > 0 {
		s.left--
		other, err := generateKey(s.secrets, RS256, k.Generation, k.CreatedAt, k.UseFrom.Add(day))
		if err != nil {
			return err
		}
		if err := s.keyStore.AddKey(ctx, other); err != nil {
			return err
		}
	}
	return s.keyStore.AddKey(ctx, k)
}

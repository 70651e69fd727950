package keyring

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestRotateIfDue(t *testing.T) {
	t.Run("PublishesUsesAndRetiresKeysInTurn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			options := Options{VerifyFor: 14 * day}
			keys := openKeySet(t, store, secrets, options)
			first := keys.KeyID(RS256)
			old := testkit.Must(keys.Sign(RS256, []byte(`{}`)))(t)

			time.Sleep(89*day - time.Second)
			if rotateIfDue(t, keys) {
				t.Fatal("a key was added before it was due")
			}
			time.Sleep(time.Second)
			if !rotateIfDue(t, keys) {
				t.Fatal("no key was added a day before the first one ends")
			}
			ids := published(t, keys)
			if len(ids) != 2 || ids[0] != first {
				t.Fatalf("published: %v, want the first key and a new one", ids)
			}
			second := ids[1]

			time.Sleep(day - time.Second)
			if keys.KeyID(RS256) != first {
				t.Error("the new key signs before its time")
			}
			time.Sleep(time.Second)
			// No RotateIfDue since: the clock alone makes the change.
			if keys.KeyID(RS256) != second {
				t.Error("the new key does not sign when its time has come")
			}
			if _, err := keys.Verify(old); err != nil {
				t.Errorf("a token of the key before: %v", err)
			}

			time.Sleep(day - time.Second)
			if rotateIfDue(t, keys) || len(published(t, keys)) != 2 {
				t.Error("the first key went before its time")
			}
			time.Sleep(time.Second)
			if rotateIfDue(t, keys) {
				t.Error("a key was added without need")
			}
			if diff := cmp.Diff([]string{second}, published(t, keys)); diff != "" {
				t.Errorf("published after the first key's time:\n%s", diff)
			}

			time.Sleep(13*day - time.Second)
			rotateIfDue(t, keys)
			for name, keys := range map[string]*KeySet{"running": keys, "new": openKeySet(t, store, secrets, options)} {
				if claims, err := keys.Verify(old); err != nil || string(claims) != "{}" {
					t.Errorf("%s process, two weeks after the first key's time: Verify = %q, %v", name, claims, err)
				}
			}
			time.Sleep(time.Second)
			rotateIfDue(t, keys)
			if _, err := keys.Verify(old); !errors.Is(err, ErrToken) {
				t.Errorf("after that: error %v, want ErrToken", err)
			}
		})
	})
	t.Run("AKeyThatOnlyVerifiesNeverSigns", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		now := time.Now()
		keys := openKeySet(t, store, secrets, Options{VerifyFor: 14 * day, Clock: func() time.Time { return now }})
		begin := now
		now = now.Add(89 * day)
		rotateIfDue(t, keys)
		now = now.Add(3 * day)
		rotateIfDue(t, keys)
		if ids := published(t, keys); len(ids) != 1 {
			t.Fatalf("published: %v, want the second key", ids)
		}
		now = begin // the clock was wrong
		if token, err := keys.Sign(RS256, []byte(`{}`)); err != nil || keys.KeyID(RS256) != published(t, keys)[0] {
			t.Errorf("Sign = %q, %v, by %s", token, err, keys.KeyID(RS256))
		}
	})
	t.Run("RemovesARowWhenEightLaterKeysHaveBeenInUse", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		now := time.Now()
		options := Options{RotateEvery: 2 * day, VerifyFor: 3 * day, Clock: func() time.Time { return now }}
		keys := openKeySet(t, store, secrets, options)
		first := keys.KeyID(RS256)
		for len(store.keys) < 1+successors {
			now = now.Add(day)
			rotateIfDue(t, keys)
		}
		now = now.Add(day) // the ninth signs
		for range 3 {
			if store.keys[0].ID != first {
				t.Fatal("the first row went before its time")
			}
			now = now.Add(day)
			rotateIfDue(t, keys)
		}
		if store.keys[0].ID == first {
			t.Error("the first row is still there")
		}
	})
	t.Run("AProcessWithAClockAheadRemovesNoKeyThatOthersUse", func(t *testing.T) {
		for _, ahead := range []time.Duration{26 * time.Hour, 1000 * day} {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			now := time.Now()
			options := Options{RotateEvery: 10 * day, VerifyFor: 14 * day, KeepFor: 2 * time.Hour}
			wrongly := options
			options.Clock = func() time.Time { return now }
			wrongly.Clock = func() time.Time { return now.Add(ahead) }
			right, wrong := openKeySet(t, store, secrets, options), openKeySet(t, store, secrets, wrongly)
			changes, last := 0, right.KeyID(RS256)
			for i := range 80 * 4 {
				now = now.Add(6 * time.Hour)
				rotateIfDue(t, wrong)
				rotateIfDue(t, right)
				rotateIfDue(t, wrong)
				id := right.KeyID(RS256)
				if id != last {
					changes, last = changes+1, id
				}
				sets := map[string]*KeySet{"itself": right}
				if i%8 == 0 {
					sets["a new process"] = openKeySet(t, store, secrets, options)
				}
				for name, keys := range sets {
					if !slices.Contains(published(t, keys), id) || !slices.Contains(published(t, keys), wrong.KeyID(RS256)) {
						t.Fatalf("%v ahead: %s does not publish a key that signs", ahead, name)
					}
				}
			}
			if changes < 7 || len(store.keys) > 2*(changes+2) {
				t.Errorf("%v ahead: the key changed %d times, of %d", ahead, changes, len(store.keys))
			}
		}
	})
	t.Run("PublishesBeforeUseAfterAYearOff", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			first := openKeySet(t, store, secrets, Options{}).KeyID(RS256)
			time.Sleep(365 * day)
			keys := openKeySet(t, store, secrets, Options{})
			if !rotateIfDue(t, keys) || keys.KeyID(RS256) != first {
				t.Error("want a new key that does not sign yet")
			}
			time.Sleep(day)
			if keys.KeyID(RS256) == first {
				t.Error("the new key does not sign a day later")
			}
		})
	})
	t.Run("TwoProcessesThatRotateAtOnceAddOneKey", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, secrets := new(keyStore), newSecrets(t, randomSecret())
			sets := []*KeySet{openKeySet(t, store, secrets, Options{}), openKeySet(t, store, secrets, Options{})}
			time.Sleep(89 * day)
			added := make([]bool, len(sets))
			var group sync.WaitGroup
			for i, keys := range sets {
				group.Go(func() { added[i], _ = keys.RotateIfDue(t.Context()) })
			}
			group.Wait()
			if added[0] == added[1] {
				t.Errorf("added: %v, want one of them", added)
			}
			if diff := cmp.Diff(published(t, sets[0]), published(t, sets[1])); diff != "" {
				t.Errorf("key sets differ:\n%s", diff)
			}
			time.Sleep(day)
			if sets[0].KeyID(RS256) != sets[1].KeyID(RS256) {
				t.Error("they sign with different keys")
			}
		})
	})
	t.Run("AProcessWithAClockBehindSignsWithAPublishedKey", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		now := time.Now()
		ahead := openKeySet(t, store, secrets, Options{Clock: func() time.Time { return now }})
		behind := openKeySet(t, store, secrets, Options{Clock: func() time.Time { return now.Add(-time.Minute) }})
		token := testkit.Must(behind.Sign(RS256, []byte(`{}`)))(t)
		if _, err := ahead.Verify(token); err != nil {
			t.Error(err)
		}
		if rotateIfDue(t, behind) {
			t.Error("the process behind added a key")
		}
	})
	t.Run("ReplacesAKeyThatAnEarlierSecretSealed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, old, current := new(keyStore), randomSecret(), randomSecret()
			first := openKeySet(t, store, newSecrets(t, old), Options{}).KeyID(RS256)
			keys := openKeySet(t, store, newSecrets(t, current, old), Options{})
			if !rotateIfDue(t, keys) {
				t.Fatal("no key was added")
			}
			// A process that has not changed its current secret yet must not
			// answer with a key of its own.
			lagging := openKeySet(t, store, newSecrets(t, old, current), Options{})
			if rotateIfDue(t, lagging) || rotateIfDue(t, keys) {
				t.Fatal("a key was added while one waits for its turn")
			}
			time.Sleep(2 * day)
			rotateIfDue(t, keys)
			if slices.Contains(published(t, keys), first) {
				t.Error("the first key is still published")
			}
			openKeySet(t, store, newSecrets(t, current), Options{})
		})
	})
	t.Run("GoesOnFromMemoryWhileTheStoreIsDown", func(t *testing.T) {
		store := new(keyStore)
		keys := openKeySet(t, store, newSecrets(t, randomSecret()), Options{})
		set := keys.JWKS()
		store.down = true
		if _, err := keys.RotateIfDue(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("error %v, want ErrUnavailable", err)
		}
		if !bytes.Equal(set, keys.JWKS()) {
			t.Error("the key set has changed")
		}
		if _, err := keys.Sign(RS256, []byte(`{}`)); err != nil {
			t.Error(err)
		}
	})
	t.Run("ReportsAStoreThatHasLostItsKeys", func(t *testing.T) {
		store := new(keyStore)
		keys := openKeySet(t, store, newSecrets(t, randomSecret()), Options{})
		store.keys = nil
		if added, err := keys.RotateIfDue(t.Context()); added || err == nil {
			t.Errorf("RotateIfDue = %v, %v; want an error and no new key", added, err)
		}
		if len(published(t, keys)) != 1 || len(store.keys) != 0 {
			t.Error("want the key in memory to stay and none to be made")
		}
	})
}

func TestRotate(t *testing.T) {
	store, secrets := new(keyStore), newSecrets(t, randomSecret())
	now := time.Now()
	keys := openKeySet(t, store, secrets, Options{Clock: func() time.Time { return now }})
	first := keys.KeyID(RS256)
	for i, want := range []bool{true, false} { // the second time one waits
		if added, err := keys.Rotate(t.Context()); err != nil || added != want {
			t.Fatalf("%d: Rotate = %v, %v", i, added, err)
		}
	}
	if len(published(t, keys)) != 2 || keys.KeyID(RS256) != first {
		t.Error("want a second key, which does not sign yet")
	}
	now = now.Add(day)
	if keys.KeyID(RS256) == first {
		t.Error("the second key does not sign a day later")
	}
	if rotateIfDue(t, keys) {
		t.Error("a key was added without need")
	}
}

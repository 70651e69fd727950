package keyring

import (
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestReseal(t *testing.T) {
	t.Run("FreesAnEarlierSecret", func(t *testing.T) {
		store, old, current := new(keyStore), randomSecret(), randomSecret()
		now := time.Now()
		options := Options{VerifyFor: 14 * day, Clock: func() time.Time { return now }}
		before := openKeySet(t, store, newSecrets(t, old), options)
		former := issue(t, before)
		now = now.Add(89 * day)
		rotateIfDue(t, before)
		now = now.Add(3 * day)
		rotateIfDue(t, before)
		valid := issue(t, before)

		keys := openKeySet(t, store, newSecrets(t, current, old), options)
		if !rotateIfDue(t, keys) {
			t.Error("the key that the earlier secret sealed gets no successor")
		}
		for i, want := range []int{2, 0} {
			if n, err := keys.Reseal(t.Context()); err != nil || n != want {
				t.Fatalf("%d: Reseal = %d, %v, want %d", i, n, err, want)
			}
		}
		if rotateIfDue(t, keys) {
			t.Error("there is a second successor")
		}
		after := openKeySet(t, store, newSecrets(t, current), options)
		for _, token := range []string{former, valid} {
			if _, err := after.Verify(token); err != nil {
				t.Error(err)
			}
		}
		now = now.Add(2 * day)
		if rotateIfDue(t, keys) || rotateIfDue(t, after) {
			t.Error("a key that was sealed anew is taken for one that the earlier secret sealed")
		}
	})
	t.Run("LeavesWhatItCannotOpen", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		keys := openKeySet(t, store, secrets, Options{})
		lost := testkit.Must(generateKey(newSecrets(t, randomSecret()), RS256, 2, time.Now(), time.Now()))(t)
		store.keys = append(store.keys, lost)
		if n, err := keys.Reseal(t.Context()); n != 0 || err != nil || string(store.keys[1].Sealed) != string(lost.Sealed) {
			t.Errorf("Reseal = %d, %v", n, err)
		}
	})
	t.Run("SaysThatTheStoreIsDown", func(t *testing.T) {
		store, old := new(keyStore), randomSecret()
		openKeySet(t, store, newSecrets(t, old), Options{})
		keys := openKeySet(t, store, newSecrets(t, randomSecret(), old), Options{})
		store.down = true
		if _, err := keys.Reseal(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("Reseal: %v", err)
		}
	})
}

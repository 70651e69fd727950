package keyring

import (
	"context"
	"crypto"
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

// algorithmsOf returns the alg of each key in the key set.
func algorithmsOf(t testing.TB, keys *KeySet) []string {
	t.Helper()
	var set jose.JSONWebKeySet
	testkit.OK(t, json.Unmarshal(keys.JWKS(), &set))
	algs := make([]string, len(set.Keys))
	for i, k := range set.Keys {
		algs[i] = k.Algorithm
	}
	return algs
}

func signed(t testing.TB, keys *KeySet, alg string) string {
	t.Helper()
	token := testkit.Must(keys.Sign(alg, []byte(`{"sub":"u1"}`)))(t)
	return token
}

func TestChains(t *testing.T) {
	all := Options{Algorithms: Algorithms()}
	t.Run("EachAlgorithmHasAKeyThatSignsAtOnce", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		first := openKeySet(t, store, secrets, Options{}).KeyID(RS256)
		options := Options{Algorithms: []string{EdDSA, ES256, RS256, PS256}}
		keys := openKeySet(t, store, secrets, options)
		if keys.KeyID(RS256) != first {
			t.Error("another algorithm has replaced the key of RS256")
		}
		if diff := cmp.Diff(Algorithms(), algorithmsOf(t, keys)); diff != "" {
			t.Errorf("key set:\n%s", diff)
		}
		if keys.KeyID(PS256) == first {
			t.Error("one RSA key is for two algorithms")
		}
		for _, alg := range Algorithms() {
			token := signed(t, keys, alg)
			if claims, err := openKeySet(t, store, secrets, options).Verify(token); err != nil || string(claims) != `{"sub":"u1"}` {
				t.Errorf("%s: Verify = %q, %v", alg, claims, err)
			}
		}
	})
	t.Run("SignsWithNoAlgorithmThatIsOff", func(t *testing.T) {
		keys := openKeySet(t, new(keyStore), newSecrets(t, randomSecret()), Options{Algorithms: []string{RS256, ES256}})
		for _, alg := range []string{PS256, EdDSA, "", "none", "HS256"} {
			if token, err := keys.Sign(alg, []byte(`{}`)); !errors.Is(err, ErrAlgorithm) {
				t.Errorf("%q: Sign = %q, %v", alg, token, err)
			}
		}
	})
	t.Run("EightProcessesEndUpWithOneKeyOfEach", func(t *testing.T) {
		store, secret := new(keyStore), randomSecret()
		sets := make([]*KeySet, 8)
		var group sync.WaitGroup
		for i := range sets {
			group.Go(func() {
				secrets, err := NewSecrets(secret)
				if err == nil {
					sets[i], err = Open(t.Context(), store, secrets, Options{Algorithms: []string{RS256, ES256, EdDSA}})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if len(store.keys) != 3 {
			t.Errorf("the store has %d keys, want 3", len(store.keys))
		}
	})
	t.Run("EachTurnsByItself", func(t *testing.T) {
		store, secrets, now := new(keyStore), newSecrets(t, randomSecret()), time.Now()
		clock := func() time.Time { return now }
		openKeySet(t, store, secrets, Options{Clock: clock})
		now = now.Add(40 * day)
		keys := openKeySet(t, store, secrets, Options{Algorithms: []string{RS256, ES256}, Clock: clock})
		rsa, curve := keys.KeyID(RS256), keys.KeyID(ES256)
		now = now.Add(49 * day)
		if !rotateIfDue(t, keys) {
			t.Fatal("the key of RS256 has no successor")
		}
		now = now.Add(day)
		if keys.KeyID(RS256) == rsa || keys.KeyID(ES256) != curve {
			t.Error("want another key of RS256, and the same of ES256")
		}
		turns := testkit.Must(keys.Turns(t.Context()))(t)
		var signing []string
		for _, turn := range turns {
			if turn.Signs {
				signing = append(signing, turn.Alg+" "+turn.ID)
			}
		}
		if diff := cmp.Diff([]string{"RS256 " + keys.KeyID(RS256), "ES256 " + curve}, signing); diff != "" {
			t.Errorf("turns:\n%s", diff)
		}
	})
	t.Run("ARowOfOneGoesByItsOwnSuccessors", func(t *testing.T) {
		store, secrets, now := new(keyStore), newSecrets(t, randomSecret()), time.Now()
		clock := func() time.Time { return now }
		openKeySet(t, store, secrets, Options{Algorithms: []string{RS256, EdDSA}, RotateEvery: 1000 * day, Clock: clock})
		keys := openKeySet(t, store, secrets, Options{Algorithms: []string{RS256, EdDSA}, RotateEvery: 2 * day, Clock: clock})
		idle := openKeySet(t, store, secrets, Options{Algorithms: []string{RS256}, RotateEvery: 2 * day, Clock: clock})
		edwards := keys.KeyID(EdDSA)
		for range 40 {
			now = now.Add(day)
			rotateIfDue(t, idle)
		}
		if !slices.ContainsFunc(store.keys, func(k storage.Key) bool { return k.ID == edwards }) || store.keys[0].Alg == RS256 && store.keys[0].Generation == 1 {
			t.Error("want the rows of RS256 to go, and that of EdDSA to stay")
		}
	})
	t.Run("RotateAddsOneOfEach", func(t *testing.T) {
		keys := openKeySet(t, new(keyStore), newSecrets(t, randomSecret()), all)
		var steps []string
		note := func(ctx context.Context, alg string, write func(context.Context) error) error {
			steps = append(steps, alg)
			return write(ctx)
		}
		for i, want := range []bool{true, false} {
			if added, err := keys.Rotate(t.Context(), note); err != nil || added != want {
				t.Fatalf("%d: Rotate = %v, %v", i, added, err)
			}
		}
		if diff := cmp.Diff(Algorithms(), steps); diff != "" || len(published(t, keys)) != 8 {
			t.Errorf("%d keys, steps:\n%s", len(published(t, keys)), diff)
		}
	})
	t.Run("ReplaceEndsAllAtOnce", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		before := openKeySet(t, store, secrets, all)
		keys := openKeySet(t, store, secrets, Options{Algorithms: []string{RS256, ES256}})
		tokens := make(map[string]string)
		for _, alg := range Algorithms() {
			tokens[alg] = signed(t, before, alg)
		}
		testkit.OK(t, keys.Replace(t.Context()))
		if diff := cmp.Diff([]string{RS256, ES256}, algorithmsOf(t, keys)); diff != "" {
			t.Errorf("key set:\n%s", diff)
		}
		before.loadedAt.Store(0)
		before.Refresh(t.Context())
		for alg, token := range tokens {
			for name, keys := range map[string]*KeySet{"here": keys, "in another process": before} {
				if _, err := keys.Verify(token); !errors.Is(err, ErrToken) {
					t.Errorf("%s %s: error %v, want ErrToken", alg, name, err)
				}
			}
		}
		// The other process still has PS256 and EdDSA on, and makes their keys anew.
		if _, err := before.Sign(EdDSA, []byte(`{}`)); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("a key that is gone: error %v", err)
		}
		if !rotateIfDue(t, before) {
			t.Error("no key was made in place of those that are gone")
		}
		signed(t, before, EdDSA)
		signed(t, before, PS256)
	})
	t.Run("ResealsAll", func(t *testing.T) {
		store, old, current := new(keyStore), randomSecret(), randomSecret()
		token := signed(t, openKeySet(t, store, newSecrets(t, old), all), EdDSA)
		keys := openKeySet(t, store, newSecrets(t, current, old), all)
		if n, err := keys.Reseal(t.Context()); err != nil || n != 4 {
			t.Fatalf("Reseal = %d, %v", n, err)
		}
		if _, err := openKeySet(t, store, newSecrets(t, current), all).Verify(token); err != nil {
			t.Error(err)
		}
	})
}

func TestAlgorithmThatIsSwitchedOff(t *testing.T) {
	store, secrets, now := new(keyStore), newSecrets(t, randomSecret()), time.Now()
	options := Options{Algorithms: []string{RS256, ES256}, VerifyFor: 14 * day, Clock: func() time.Time { return now }}
	token := signed(t, openKeySet(t, store, secrets, options), ES256)
	now = now.Add(day)
	options.Algorithms = []string{RS256}
	keys := openKeySet(t, store, secrets, options)
	look := func(algs []string, verifies bool) {
		t.Helper()
		if rotateIfDue(t, keys) {
			t.Error("a key was added")
		}
		if diff := cmp.Diff(algs, algorithmsOf(t, keys)); diff != "" {
			t.Errorf("key set:\n%s", diff)
		}
		if _, err := keys.Verify(token); (err == nil) != verifies {
			t.Errorf("Verify: %v", err)
		}
		if _, err := keys.Sign(ES256, []byte(`{}`)); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("Sign: %v, want ErrAlgorithm", err)
		}
		turns, err := keys.Turns(t.Context())
		if err != nil || len(turns) != len(algs) || turns[len(turns)-1].Signs != (len(algs) == 1) {
			t.Errorf("turns %+v, %v", turns, err)
		}
	}
	look([]string{RS256, ES256}, true)
	now = now.Add(day - time.Second)
	look([]string{RS256, ES256}, true)
	now = now.Add(time.Second)
	look([]string{RS256}, true)
	// A restart publishes the key once more: nothing says when it has signed last.
	keys = openKeySet(t, store, secrets, options)
	look([]string{RS256, ES256}, true)
	now = now.Add(14*day - time.Second)
	look([]string{RS256}, true)
	now = now.Add(time.Second)
	look([]string{RS256}, false)
	now = now.Add(44 * day)
	keys = openKeySet(t, store, secrets, options)
	look([]string{RS256, ES256}, true)

	options.Algorithms = []string{RS256, ES256}
	again := openKeySet(t, store, secrets, options)
	signed(t, again, ES256)
	if _, err := again.Verify(token); err != nil {
		t.Errorf("switched on again: %v", err)
	}

	// When its turn has ended, no restart brings it back.
	options.Algorithms = []string{RS256}
	now = now.Add(90 * day)
	keys = openKeySet(t, store, secrets, options)
	if _, err := keys.Verify(token); !errors.Is(err, ErrToken) {
		t.Errorf("after the end of its turn: %v", err)
	}
}

// A row that somebody relabels would make one key sign for two algorithms, and one of a former
// version takes every row for RS256.
func TestRowOfAnotherAlgorithmDoesNotOpen(t *testing.T) {
	store, secrets := new(keyStore), newSecrets(t, randomSecret())
	openKeySet(t, store, secrets, Options{Algorithms: Algorithms()})
	for i := range store.keys {
		for _, alg := range Algorithms() {
			own := store.keys[i].Alg
			if alg == own {
				continue
			}
			store.keys[i].Alg = alg
			if _, err := Open(t.Context(), store, secrets, Options{Algorithms: Algorithms()}); !errors.Is(err, ErrOpen) {
				t.Errorf("%s as %s: error %v, want ErrOpen", own, alg, err)
			}
			store.keys[i].Alg = own
		}
	}
}

func TestRowOfAnUnknownAlgorithmIsLeftAlone(t *testing.T) {
	store, secrets := new(keyStore), newSecrets(t, randomSecret())
	openKeySet(t, store, secrets, Options{})
	later := storage.Key{Generation: 2, Alg: "ML-DSA-44", ID: "later", Sealed: []byte{1}, UseFrom: time.Now()}
	store.keys = append(store.keys, later)
	keys := openKeySet(t, store, secrets, Options{Algorithms: []string{RS256, ES256}})
	if diff := cmp.Diff([]string{RS256, ES256}, algorithmsOf(t, keys)); diff != "" {
		t.Errorf("key set:\n%s", diff)
	}
	if store.keys[2].Generation != 3 || store.keys[1].ID != "later" {
		t.Errorf("rows %+v", store.keys)
	}
}

func TestOptionsOfUnknownAlgorithms(t *testing.T) {
	for _, alg := range []string{"none", "HS256", "RS512", "Ed25519", ""} {
		_, err := Open(t.Context(), new(keyStore), newSecrets(t, randomSecret()), Options{Algorithms: []string{RS256, alg}})
		if err == nil || !strings.Contains(err.Error(), "Algorithms") {
			t.Errorf("%q: error %v", alg, err)
		}
	}
}

func TestWrapGetsEachAlgorithm(t *testing.T) {
	var got []string
	options := Options{Algorithms: Algorithms(), Wrap: func(alg string, key crypto.Signer) (crypto.Signer, error) {
		got = append(got, alg)
		return key, nil
	}}
	openKeySet(t, new(keyStore), newSecrets(t, randomSecret()), options)
	slices.Sort(got)
	if diff := cmp.Diff([]string{ES256, EdDSA, PS256, RS256}, slices.Compact(got)); diff != "" {
		t.Error(diff)
	}
	options.Wrap = func(alg string, key crypto.Signer) (crypto.Signer, error) {
		if alg == ES256 {
			panic("no library")
		}
		return key, nil
	}
	if _, err := Open(t.Context(), new(keyStore), newSecrets(t, randomSecret()), options); err == nil || !strings.Contains(err.Error(), "Signing.Wrap: panic: no library") {
		t.Errorf("error %v", err)
	}
}

package keyring

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// ofCredentials are the options of a set beside that of tokens.
func ofCredentials(clock func() time.Time) Options {
	return Options{
		Purpose: "credential", Types: []string{TypeCredential, TypeStatusList}, Algorithms: []string{ES256}, KeepFor: 31 * day, Clock: clock,
	}
}

func TestPurpose(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	signed := func(t *testing.T, keys *KeySet) string {
		t.Helper()
		token := testkit.Must(keys.SignAs(TypeCredential, ES256, []byte(`{}`)))(t)
		return token
	}
	t.Run("SetsAreApart", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		tokens := openKeySet(t, store, secrets, Options{Algorithms: []string{RS256, ES256}, Clock: clock})
		ring := openKeySet(t, store, secrets, ofCredentials(clock))
		rotateIfDue(t, tokens)
		if all := append(published(t, tokens), published(t, ring)...); len(all) != 3 || slices.Contains(all[:2], all[2]) {
			t.Fatalf("published: %v", all)
		}
		if row := store.keys[2]; row.Alg != "ES256/credential" {
			t.Errorf("the row has %q", row.Alg)
		}
		if _, err := tokens.VerifyAs(TypeCredential, signed(t, ring)); !errors.Is(err, ErrToken) {
			t.Errorf("the set of tokens takes a credential: %v", err)
		}
		id := testkit.Must(tokens.Sign(ES256, []byte(`{}`)))(t)
		if _, err := ring.Verify(id); !errors.Is(err, ErrToken) {
			t.Errorf("the set of credentials takes an ID token: %v", err)
		}
		turns, err := ring.Turns(t.Context())
		if err != nil || len(turns) != 1 || turns[0].Alg != ES256 || !turns[0].Signs {
			t.Errorf("turns: %v, %v", turns, err)
		}
		again := openKeySet(t, store, secrets, ofCredentials(clock))
		if _, err := again.VerifyAs(TypeCredential, signed(t, ring)); err != nil {
			t.Errorf("another process: %v", err)
		}
		if again.KeyID(ES256) != ring.KeyID(ES256) || len(store.keys) != 3 {
			t.Error("another process has made another key")
		}
	})
	t.Run("RowOfAnotherPurposeDoesNotOpen", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		openKeySet(t, store, secrets, Options{Algorithms: []string{ES256}, Clock: clock})
		store.keys[0].Alg = "ES256/credential"
		if _, err := Open(t.Context(), store, secrets, ofCredentials(clock)); err == nil {
			t.Error("a key of tokens signs credentials")
		}
	})
	t.Run("KeysLiveByTheirOwnTimes", func(t *testing.T) {
		now := now
		clock := func() time.Time { return now }
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		tokens, ring := openKeySet(t, store, secrets, Options{Clock: clock}), openKeySet(t, store, secrets, ofCredentials(clock))
		first := ring.KeyID(ES256)
		for _, step := range []time.Duration{89 * day, day + time.Second, 31*day - 2*time.Second} {
			now = now.Add(step)
			rotateIfDue(t, tokens)
			rotateIfDue(t, ring)
		}
		if ids := published(t, ring); !slices.Contains(ids, first) || ring.KeyID(ES256) == first {
			t.Errorf("published %v: the first key left while what it has signed is good", ids)
		}
		now = now.Add(2 * time.Second)
		rotateIfDue(t, ring)
		if ids := published(t, ring); slices.Contains(ids, first) {
			t.Error("the first key stays longer than what it has signed")
		}
	})
	t.Run("RevocationOfOneLeavesTheOther", func(t *testing.T) {
		store, secrets := new(keyStore), newSecrets(t, randomSecret())
		tokens, ring := openKeySet(t, store, secrets, Options{Clock: clock}), openKeySet(t, store, secrets, ofCredentials(clock))
		former, id := signed(t, ring), tokens.KeyID(RS256)
		testkit.OK(t, ring.Replace(t.Context()))
		rotateIfDue(t, tokens)
		if _, err := ring.VerifyAs(TypeCredential, former); !errors.Is(err, ErrToken) || tokens.KeyID(RS256) != id || len(store.keys) != 2 {
			t.Errorf("%v; %d rows", err, len(store.keys))
		}
		former = signed(t, ring)
		testkit.OK(t, tokens.Replace(t.Context()))
		rotateIfDue(t, ring)
		if _, err := ring.VerifyAs(TypeCredential, former); !errors.Is(err, ErrToken) {
			t.Errorf("who has read the keys of tokens has read these: %v", err)
		}
		signed(t, ring)
	})
	t.Run("SecretIsReplacedForAll", func(t *testing.T) {
		former, secret := randomSecret(), randomSecret()
		store := new(keyStore)
		before := openKeySet(t, store, newSecrets(t, former), Options{Clock: clock})
		ring := openKeySet(t, store, newSecrets(t, former), ofCredentials(clock))
		both := openKeySet(t, store, newSecrets(t, secret, former), Options{Clock: clock})
		if n, err := both.Reseal(t.Context()); n != 2 || err != nil {
			t.Fatalf("%d keys encrypted again, %v", n, err)
		}
		after := openKeySet(t, store, newSecrets(t, secret), ofCredentials(clock))
		if after.KeyID(ES256) != ring.KeyID(ES256) || before.KeyID(RS256) != both.KeyID(RS256) {
			t.Error("another key")
		}
	})
}

func TestCertificatesNameAKey(t *testing.T) {
	signer := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	keys := testkit.Must(Static(map[string]Held{ES256: {Signer: signer, Certificates: [][]byte{[]byte("leaf"), []byte("above")}}}, TypeCredential))(t)
	token := testkit.Must(keys.SignAs(TypeCredential, ES256, []byte(`{}`)))(t)
	encoded, _, _ := strings.Cut(token, ".")
	text := testkit.Must(base64.RawURLEncoding.DecodeString(encoded))(t)
	var header map[string]any
	testkit.OK(t, json.Unmarshal(text, &header))
	if chain, _ := header["x5c"].([]any); len(header) != 3 || header["typ"] != "dc+sd-jwt" || !slices.Equal(chain, []any{"bGVhZg==", "YWJvdmU="}) {
		t.Errorf("header %s", text)
	}
	if _, err := keys.VerifyAs(TypeCredential, token); err != nil {
		t.Error(err)
	}
}

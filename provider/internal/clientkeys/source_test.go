package clientkeys

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"
)

// keyAt is a key set with one key of this name, and a token that the key has signed.
func keyAt(t *testing.T, id string) (set []byte, token *Token) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	set, err = json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: id}}})
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: private, KeyID: id}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	if token, err = Read(text); err != nil {
		t.Fatal(err)
	}
	return set, token
}

func TestKeysAtAnAddress(t *testing.T) {
	t.Parallel()
	first, byFirst := keyAt(t, "first")
	second, bySecond := keyAt(t, "second")
	now, fetched, served, down := time.Unix(1_800_000_000, 0), 0, first, false
	s := NewSource(func(context.Context, string) ([]byte, error) {
		fetched++
		if down {
			return nil, errors.New("down")
		}
		return served, nil
	}, func() time.Time { return now })
	at := Holder{URI: "https://rp.test/keys"}
	step := func(what string, token *Token, want error, fetches int) {
		t.Helper()
		if err := s.Verify(t.Context(), at, token, ""); !errors.Is(err, want) || fetched != fetches {
			t.Errorf("%s: %v after %d fetches, want %v after %d", what, err, fetched, want, fetches)
		}
	}
	step("first use", byFirst, nil, 1)
	step("from memory", byFirst, nil, 1)
	served = second
	step("a new key within the minute", bySecond, ErrKey, 1)
	now = now.Add(time.Minute)
	step("a new key", bySecond, nil, 2)
	step("the withdrawn key", byFirst, ErrKey, 2)
	down, now = true, now.Add(59*time.Minute)
	step("an address that is down", bySecond, nil, 3)
	step("once a minute", bySecond, nil, 3)
	now = now.Add(time.Minute)
	step("down for too long", bySecond, ErrUnreachable, 4)
	down, now = false, now.Add(time.Minute)
	step("up again", bySecond, nil, 5)
}

func TestRegisteredRefuses(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]string{
		"Nothing":    `{}`,
		"NoKeys":     `{"keys":[]}`,
		"Text":       `"keys"`,
		"Private":    `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}]}`,
		"Symmetric":  `{"keys":[{"kty":"oct","k":"AAAA"}]}`,
		"SmallRSA":   `{"keys":[{"kty":"RSA","n":"uBYZ","e":"AQAB"}]}`,
		"Encryption": `{"keys":[{"kty":"OKP","use":"enc","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
	} {
		if _, err := Registered([]byte(set)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

package clientkeys

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// keyAt is a key set with one key of this name, and a token that the key has signed.
func keyAt(t *testing.T, id string) (set []byte, token *Token) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	testkit.OK(t, err)
	set = testkit.Must(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: id}}}))(t)
	signer := testkit.Must(jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: private, KeyID: id}}, nil))(t)
	signed := testkit.Must(signer.Sign([]byte(`{}`)))(t)
	text := testkit.Must(signed.CompactSerialize())(t)
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

// TestSetThatIsRefused tests that an address that answers with no usable keys is told from one
// that does not answer, and its keys from before stay good meanwhile.
func TestSetThatIsRefused(t *testing.T) {
	t.Parallel()
	good, token := keyAt(t, "good")
	for name, set := range map[string]string{
		"TooMany": `{"keys":[` + strings.Repeat(`{"kty":"RSA"},`, MaxKeys) + `{"kty":"RSA"}]}`,
		"Private": `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}]}`,
		"NoSet":   `<html>`,
		"Odd":     `{"keys":[{"kty":"EC","crv":"P-521","x":"AAAA","y":"AAAA"}]}`,
	} {
		served := []byte(set)
		now := time.Unix(1_800_000_000, 0)
		s := NewSource(func(context.Context, string) ([]byte, error) { return served, nil }, func() time.Time { return now })
		at := Holder{URI: "https://rp.test/keys"}
		var refused *RefusedError
		if err := s.Verify(t.Context(), at, token, ""); !errors.As(err, &refused) || errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
		served, now = good, now.Add(time.Minute)
		if err := s.Verify(t.Context(), at, token, ""); err != nil {
			t.Errorf("%s, mended: %v", name, err)
		}
		served, now = []byte(set), now.Add(fresh)
		if err := s.Verify(t.Context(), at, token, ""); err != nil {
			t.Errorf("%s, after a good one: %v", name, err)
		}
	}
}

// TestRegisteredSaysWhy tests that what is wrong with a key is said in its own terms.
func TestRegisteredSaysWhy(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return base64.RawURLEncoding.EncodeToString(make([]byte, n)) }
	for key, want := range map[string]string{
		`{"kty":"EC","crv":"P-521","x":"` + zeros(65) + `","y":"` + zeros(66) + `"}`: "x has 65 bytes where P-521 needs 66",
		`{"kty":"EC","crv":"P-256","x":"` + zeros(32) + `","y":"` + zeros(31) + `"}`: "y has 31 bytes where P-256 needs 32",
		`{"kty":"OKP","crv":"Ed25519","x":"` + zeros(31) + `"}`:                      "x has 31 bytes where Ed25519 needs 32",
		`{"kty":"EC","crv":"P-256","x":"` + zeros(32) + `","y":"` + zeros(32) + `"}`: "has numbers that are no key",
		`{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}`:                           "has a curve other than",
		`{"kty":"EC","crv":"P-256","x":"+/","y":"AA"}`:                               "x is not base64url",
		`{"kty":"AKP"}`: "is not a key of the type RSA, EC or OKP",
		`7`:             "is not a JSON object",
	} {
		_, err := Registered([]byte(`{"keys":[` + key + `]}`))
		if err == nil || !strings.HasPrefix(err.Error(), "keys[0]: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
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

package openid_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

var text = base64.RawURLEncoding.EncodeToString

// TestKeysOfAnUpstream has an upstream publish keys that nobody can read: beside a good one they
// are passed over, and without one the log says whose fault it is.
func TestKeysOfAnUpstream(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]any{
		"UnknownCurve":     m{"kty": "EC", "crv": "secp256k1", "x": text(make([]byte, 32)), "y": text(make([]byte, 32))},
		"ShortCoordinate":  m{"kty": "EC", "crv": "P-521", "x": text(make([]byte, 65)), "y": text(make([]byte, 66))},
		"PointOfNoCurve":   m{"kty": "EC", "crv": "P-256", "x": text(make([]byte, 32)), "y": text(make([]byte, 32))},
		"Certificate":      m{"kty": "RSA", "n": "AQAB", "e": "AQAB", "x5c": []string{"not a certificate"}},
		"AnotherSignature": m{"kty": "AKP", "alg": "ML-DSA-44", "pub": text(make([]byte, 1312))},
		"Exchange":         m{"kty": "OKP", "crv": "X25519", "x": text(make([]byte, 32))},
		"NumberForACurve":  m{"kty": "EC", "crv": 256},
		"Text":             "key",
		"Null":             nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t)
			only := false
			a.up.Alter(func(path string, answer map[string]any) {
				if path == "/keys" && only {
					answer["keys"] = []any{odd}
				} else if path == "/keys" {
					answer["keys"] = append([]any{odd}, answer["keys"].([]any)...)
				}
			})
			if who, err := a.finish(t); err != nil || who.Subject != "1815" {
				t.Errorf("%+v, %v", who, err)
			}
			a.up.Rotate()
			only = true
			_, err := a.finish(t)
			if !errors.Is(err, upstream.ErrUnavailable) || !strings.Contains(err.Error(), "the key set of the upstream has no key that can be used: keys[0]") {
				t.Errorf("without another key: %v", err)
			}
		})
	}
}

// TestEd25519 tests that an upstream may name the algorithm either way (RFC 9864).
func TestEd25519(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{"Ed25519", "EdDSA"} {
		a := newAttempt(t)
		a.up.Describe(func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{named} })
		a.up.Alter(func(path string, answer map[string]any) {
			if path == "/keys" {
				answer["keys"] = []any{m{"kty": "OKP", "crv": "Ed25519", "x": text(public)}}
				return
			}
			signed := text([]byte(`{"alg":"`+named+`"}`)) + "." + strings.Split(answer["id_token"].(string), ".")[1]
			answer["id_token"] = signed + "." + text(ed25519.Sign(private, []byte(signed)))
		})
		if who, err := a.finish(t); err != nil || who.Subject != "1815" {
			t.Errorf("%s: %+v, %v", named, who, err)
		}
	}
}

// TestUpstreamThatSignsOtherwise tests that people come in when an upstream signs by an algorithm, or
// with keys at an address, that its configuration did not have when it was read. It is read again
// once, however many tokens nothing signs.
func TestUpstreamThatSignsOtherwise(t *testing.T) {
	t.Parallel()
	const configuration = "/.well-known/openid-configuration"
	for _, name := range []string{"Algorithm", "Address"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t)
			a.up.Describe(func(d map[string]any) {
				if name == "Algorithm" {
					d["id_token_signing_alg_values_supported"] = []string{"RS256"}
				} else {
					d["jwks_uri"] = a.up.URL + "/former-keys"
				}
			})
			for range 3 {
				if who, err := a.finish(t); err == nil {
					t.Fatalf("%+v came in before the configuration has it", who)
				}
			}
			a.up.Describe(nil)
			a.now = a.now.Add(5 * time.Second)
			for range 3 {
				if who, err := a.finish(t); err != nil || who.Subject != "1815" {
					t.Errorf("%+v, %v", who, err)
				}
			}
			a.up.Alter(func(_ string, answer map[string]any) {
				if raw, ok := answer["id_token"].(string); ok {
					answer["id_token"] = raw[:strings.LastIndex(raw, ".")+1] + text(make([]byte, 64))
				}
			})
			for range 3 {
				if who, err := a.finish(t); err == nil {
					t.Errorf("%+v came in by a token that nobody has signed", who)
				}
			}
			if n := a.up.Calls(configuration); n != 2 {
				t.Errorf("the configuration was read %d times", n)
			}
		})
	}
}

// TestTokenResponse tests that nothing is made of how long an access token lasts.
func TestTokenResponse(t *testing.T) {
	t.Parallel()
	for name, lasts := range map[string]any{"Fraction": 3600.5, "Text": "3600", "Null": nil, "Word": "an hour", "Huge": 1e300} {
		a := newAttempt(t)
		a.up.Alter(func(path string, answer map[string]any) {
			if path == "/token" {
				answer["expires_in"] = lasts
			}
		})
		if who, err := a.finish(t); err != nil || who.Subject != "1815" {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
}

// TestTokenWithoutEnd tests that an ID token may expire at a time that no clock will see.
func TestTokenWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, end := range []int64{253402300800, 9007199254740991, 9223372036854775807} {
		a := newAttempt(t)
		p := ada
		p.Claims = map[string]any{"exp": end}
		a.up.Be(p)
		if who, err := a.finish(t); err != nil || who.Subject != "1815" {
			t.Errorf("%d: %+v, %v", end, who, err)
		}
	}
}

package faults

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// Sign returns what signs ID tokens with an algorithm in place of sign.
func (f *Faults) Sign(sign func(alg string, claims []byte) (string, error)) func(ctx context.Context, alg string, claims []byte) (string, error) {
	if f == nil {
		return func(_ context.Context, alg string, claims []byte) (string, error) { return sign(alg, claims) }
	}
	return func(ctx context.Context, alg string, claims []byte) (string, error) {
		var of struct {
			Audience string `json:"aud"`
		}
		if err := json.Unmarshal(claims, &of); err != nil {
			return "", fmt.Errorf("decode claims: %w", err)
		}
		fault, err := f.of(ctx, of.Audience)
		if err != nil {
			return "", err
		}
		switch fault {
		case sandbox.KeyRotated:
			return f.rotated.sign(rotatedFor{of.Audience, alg}, claims, f.Clock(), sign)
		case sandbox.IDTokenSignature:
			token, err := sign(alg, claims)
			return spoiled(token), err
		}
		if claims, err = changed(claims, wrongClaims(fault, f.Clock())); err != nil {
			return "", err
		}
		return sign(alg, claims)
	}
}

// wrongClaims returns what a fault puts into an ID token.
func wrongClaims(fault sandbox.Fault, now time.Time) map[string]any {
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }
	switch fault {
	case sandbox.IDTokenIssuer:
		return map[string]any{"iss": "https://issuer.sandbox.test/oidc"}
	case sandbox.IDTokenAudience:
		return map[string]any{"aud": "client.of.another"}
	case sandbox.IDTokenNonce:
		return map[string]any{"nonce": "nonce-of-another-session"}
	case sandbox.IDTokenExpired:
		return map[string]any{"iat": at(-2 * time.Hour), "exp": at(-time.Hour)}
	case sandbox.IDTokenNotYetValid:
		return map[string]any{"iat": at(time.Hour), "nbf": at(time.Hour), "exp": at(2 * time.Hour)}
	default:
		return nil
	}
}

// changed returns claims with others in their place.
func changed(claims []byte, wrong map[string]any) ([]byte, error) {
	if wrong == nil {
		return claims, nil
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(claims, &all); err != nil {
		return nil, fmt.Errorf("decode claims: %w", err)
	}
	merged := map[string]any{}
	for name, value := range all {
		merged[name] = value
	}
	maps.Copy(merged, wrong)
	return json.Marshal(merged)
}

// spoiled returns a token with a signature of the right length that is none.
func spoiled(token string) string {
	end := strings.LastIndexByte(token, '.') + 1
	signature, err := base64.RawURLEncoding.DecodeString(token[end:])
	if err != nil || len(signature) == 0 {
		return token
	}
	signature[len(signature)/2] ^= 0x55
	return token[:end] + base64.RawURLEncoding.EncodeToString(signature)
}

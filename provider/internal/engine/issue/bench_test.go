package issue

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

func benchMaker(sign func([]byte) (string, error)) *Maker {
	return &Maker{
		Issuer: "https://id.test/oidc", IDLife: 300 * time.Second,
		Sign: func(_ context.Context, _ string, claims []byte) (string, error) { return sign(claims) },
		Claims: func(context.Context, storage.Grant, *registry.Client, authorization.Place) (Claims, error) {
			return Claims{List: benchClaims}, nil
		},
	}
}

var benchClaims = []Claim{
	{"fname", json.RawMessage(`"Alice"`)}, {"lname", json.RawMessage(`"Ødegård"`)}, {"email", json.RawMessage(`"alice@example.com"`)},
	{"uuid", json.RawMessage(`"0197a3f0-7d0f-7d6f-9a4e-1f1b5b1f5f00"`)}, {"zip", json.RawMessage(`"12345"`)}, {"street", json.RawMessage(`"1 Main Street"`)},
	{"city", json.RawMessage(`"Springfield"`)}, {"state", json.RawMessage(`"IL"`)}, {"birthdate", json.RawMessage(`"1980-01-31"`)}, {"age", json.RawMessage(`46`)},
	{"status", json.RawMessage(`[{"group":"military","subgroups":["Veteran","Retiree"],"verified":true}]`)},
}

var benchGrant = storage.Grant{
	ClientID: "v3", Subject: "0197a3f0-7d0f-7d6f-9a4e-1f1b5b1f5f00", Scopes: []string{"openid", "military"},
	Nonce: "n-0S6_WzA2Mj", AuthTime: time.Unix(1_790_000_000, 0), AMR: []string{"pwd"},
}

func signRSA(b *testing.B) func([]byte) (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	return func(claims []byte) (string, error) {
		input := "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IngifQ." + base64.RawURLEncoding.EncodeToString(claims)
		sum := sha256.Sum256([]byte(input))
		s, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
		return input + "." + base64.RawURLEncoding.EncodeToString(s), err
	}
}

func benchmarkIDToken(b *testing.B, m *Maker) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := m.IDToken(b.Context(), IDTokenFor{Grant: benchGrant, Client: &registry.Client{}, Now: time.Now(), Nonce: benchGrant.Nonce, Access: "bna_abcdefgh"})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIDToken makes an ID token of eleven claims, with its signature.
func BenchmarkIDToken(b *testing.B) { benchmarkIDToken(b, benchMaker(signRSA(b))) }

// BenchmarkIDTokenClaims makes the same without the signature.
func BenchmarkIDTokenClaims(b *testing.B) {
	benchmarkIDToken(b, benchMaker(func([]byte) (string, error) { return "", nil }))
}

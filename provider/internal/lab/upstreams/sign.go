package upstreams

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// signTruly signs as an upstream does.
func (up *OpenID) signTruly(claims map[string]any) string {
	return signES256(up.key, map[string]any{"alg": "ES256", "kid": up.keyID}, claims)
}

// signNone does not sign.
func (up *OpenID) signNone(claims map[string]any) string {
	return part(map[string]any{"alg": "none"}) + "." + part(claims) + "."
}

// signHS256 signs with what the client knows, too.
func (up *OpenID) signHS256(claims map[string]any) string {
	signed := part(map[string]any{"alg": "HS256", "kid": up.keyID}) + "." + part(claims)
	mac := hmac.New(sha256.New, []byte(up.Secret))
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// signForeign signs with a key that is not the upstream's, under the name of its own.
func (up *OpenID) signForeign(claims map[string]any) string {
	return signES256(newKey(), map[string]any{"alg": "ES256", "kid": up.keyID}, claims)
}

// signEmbedded signs with a key that the header of the token brings along.
func (up *OpenID) signEmbedded(claims map[string]any) string {
	key := newKey()
	return signES256(key, map[string]any{"alg": "ES256", "jwk": jwk(&key.PublicKey, "mine")}, claims)
}

// signChanged changes the claims under a signature.
func (up *OpenID) signChanged(claims map[string]any) string {
	parts := strings.Split(up.signTruly(claims), ".")
	claims["sub"] = "somebody-else"
	return parts[0] + "." + part(claims) + "." + parts[2]
}

// signES256 returns a JWT (RFC 7518 section 3.4).
func signES256(key *ecdsa.PrivateKey, header, claims map[string]any) string {
	signed := part(header) + "." + part(claims)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		panic(err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature[:])
}

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

func part(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// jwk returns a public key (RFC 7518 section 6.2).
func jwk(key *ecdsa.PublicKey, id string) map[string]any {
	point, err := key.Bytes() // 4, x and y
	if err != nil {
		panic(err)
	}
	return map[string]any{
		"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": id,
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}
}

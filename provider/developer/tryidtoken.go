package developer

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"

	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// idClaims are the claims of an ID token that a client checks.
type idClaims struct {
	Issuer    string   `json:"iss"`
	Subject   string   `json:"sub"`
	Audience  audience `json:"aud"`
	Expires   int64    `json:"exp"`
	Nonce     string   `json:"nonce"`
	TokenHash string   `json:"at_hash"`
}

// audience is one client or several (RFC 7519 section 4.1.3).
type audience []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *audience) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(a))
}

// idToken checks the ID token (OpenID Connect Core section 3.1.3.7).
func (run *tryRun) idToken() {
	header, payload, ok := decodeJWT(run.tokens.IDToken)
	var c idClaims
	if !ok || json.Unmarshal(payload, &c) != nil {
		run.add(screens.TryStep{Name: screens.TryIDToken, Failed: true, Received: short(run.tokens.IDToken)})
		return
	}
	run.subject = c.Subject
	keys := run.ask(http.MethodGet, "/oidc/.well-known/jwks", nil, http.Header{})
	hash := sha256.Sum256([]byte(run.tokens.AccessToken))
	run.add(screens.TryStep{
		Name: screens.TryIDToken, Received: shown([]byte(run.tokens.IDToken)),
		Checks: []screens.TryCheck{
			{Name: screens.CheckSignature, Failed: verifyRS256(run.tokens.IDToken, header, keys.body.Bytes()) != nil},
			{Name: screens.CheckIssuer, Failed: c.Issuer != run.p.Issuer()},
			{Name: screens.CheckAudience, Failed: !slices.Equal(c.Audience, audience{run.client.ID})},
			{Name: screens.CheckExpiry, Failed: run.d.Clock().Unix() >= c.Expires},
			{Name: screens.CheckNonce, Failed: c.Nonce != run.t.Nonce},
			{Name: screens.CheckTokenHash, Failed: c.TokenHash != base64.RawURLEncoding.EncodeToString(hash[:sha256.Size/2])},
		},
	})
}

// verifyRS256 checks the signature of a JWT with the key that its header names in a key
// set.
func verifyRS256(token string, header, keySet []byte) error {
	var h struct{ Alg, Kid string }
	var set struct {
		Keys []struct{ Kid, Kty, N, E string }
	}
	if err := errors.Join(json.Unmarshal(header, &h), json.Unmarshal(keySet, &set)); err != nil {
		return err
	}
	if h.Alg != "RS256" {
		return errors.New("the algorithm is not RS256")
	}
	end := max(0, strings.LastIndex(token, "."))
	signed := token[:end]
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token[end:], "."))
	if err != nil {
		return err
	}
	for _, key := range set.Keys {
		if key.Kid != h.Kid || key.Kty != "RSA" {
			continue
		}
		n, err1 := base64.RawURLEncoding.DecodeString(key.N)
		e, err2 := base64.RawURLEncoding.DecodeString(key.E)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		public := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		digest := sha256.Sum256([]byte(signed))
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature)
	}
	return errors.New("the key set has no such key")
}

// subjectOf returns the subject of userinfo, which is JSON or a JWT, in the V3 dialect in a
// JSON string.
func subjectOf(body []byte) string {
	var c struct{ Sub string }
	if token, ok := asJWT(body); ok {
		if _, claims, ok := decodeJWT(token); ok {
			body = claims
		}
	}
	if json.Unmarshal(body, &c) != nil {
		return ""
	}
	return c.Sub
}

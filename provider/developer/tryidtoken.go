package developer

import (
	"encoding/json"
	"net/http"
	"slices"

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
	run.add(screens.TryStep{
		Name: screens.TryIDToken, Received: shown([]byte(run.tokens.IDToken)),
		Checks: []screens.TryCheck{
			{Name: screens.CheckSignature, Failed: verifySignature(run.tokens.IDToken, header, keys.body.Bytes()) != nil},
			{Name: screens.CheckIssuer, Failed: c.Issuer != run.p.Issuer()},
			{Name: screens.CheckAudience, Failed: !slices.Equal(c.Audience, audience{run.client.ID})},
			{Name: screens.CheckExpiry, Failed: run.d.Clock().Unix() >= c.Expires},
			{Name: screens.CheckNonce, Failed: c.Nonce != run.t.Nonce},
			{Name: screens.CheckTokenHash, Failed: c.TokenHash != tokenHash(header, run.tokens.AccessToken)},
		},
	})
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

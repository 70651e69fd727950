package issue

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// AccessTokenFor is what an access token is made for.
type AccessTokenFor struct {
	Client *registry.Client
	Scopes []string

	// Resources are those that the request for the token names; nil for those of the grant
	// and the endpoints of the provider.
	Resources []string

	// JKT is the thumbprint of the key to which it is bound, or zero.
	JKT storage.Digest

	// Actors are those that have exchanged a token for it, the latest first; nil for none.
	Actors []string

	Now  time.Time
	Life time.Duration
}

// AccessToken makes an access token of the session's grant, and returns it with the scopes
// that it is good for.
func (m *Maker) AccessToken(s *Batch, f AccessTokenFor) (token string, scopes []string, err error) {
	token = m.Token(s, storage.AccessToken, f.Now, f.Life)
	issued := &s.Issued[len(s.Issued)-1]
	issued.JKT, issued.Actors = f.JKT, f.Actors
	scopes = f.Scopes
	if f.Resources != nil {
		scopes = m.Resources.Meaningful(scopes, f.Resources)
		issued.Resources = f.Resources
	}
	if len(scopes) < len(s.Grant.Scopes) {
		issued.Scopes = append([]string{}, scopes...) // nil, which slices.Clone and slices.Concat may return, is all
	}
	if f.Client.JWTAccessTokens {
		token, err = m.signAccessToken(s.Grant, *issued, f.Client, scopes)
	}
	return token, scopes, err
}

// accessClaims are those of an access token that is a JWT (RFC 9068 section 2.2). Groups,
// roles and what else scopes release are not in it: an API asks for what it needs.
type accessClaims struct {
	Issuer    string   `json:"iss"`
	Subject   string   `json:"sub"`
	Audience  Audience `json:"aud"`
	ExpiresAt int64    `json:"exp"`
	IssuedAt  int64    `json:"iat"`
	ID        string   `json:"jti"`
	ClientID  string   `json:"client_id"`
	Scope     string   `json:"scope,omitempty"`
	AuthTime  int64    `json:"auth_time,omitempty"`
	Class     string   `json:"acr,omitempty"`
	AMR       []string `json:"amr,omitempty"`

	Confirmation *Confirmation `json:"cnf,omitempty"`
	Actor        *Actor        `json:"act,omitempty"`
}

// Confirmation is the claim cnf of a token that is bound to a key (RFC 9449 section 6).
type Confirmation struct {
	JKT string `json:"jkt"`
}

// ConfirmationOf returns the claim for the thumbprint of a key; nil for zero.
func ConfirmationOf(jkt storage.Digest) *Confirmation {
	if jkt.IsZero() {
		return nil
	}
	return &Confirmation{base64.RawURLEncoding.EncodeToString(jkt[:])}
}

// Audience is the claim aud (RFC 7519 section 4.1.3): a string when it is only one.
type Audience []string

// MarshalJSON implements json.Marshaler.
func (a Audience) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil), nil }

// AppendJSON writes what MarshalJSON returns.
func (a Audience) AppendJSON(to []byte) []byte {
	if len(a) == 1 {
		return AppendText(to, a[0])
	}
	to = append(to, '[')
	for i, name := range a {
		if i > 0 {
			to = append(to, ',')
		}
		to = AppendText(to, name)
	}
	return append(to, ']')
}

// signAccessToken returns an access token as a JWT. Its jti is the digest of what is
// stored, which leads to it and is of no use to whoever reads it.
func (m *Maker) signAccessToken(g storage.Grant, issued storage.Token, c *registry.Client, scopes []string) (string, error) {
	resources, own := m.AudienceOf(g, issued, c)
	alg, err := m.Resources.Signing(resources)
	if err != nil {
		return "", err
	}
	claims := accessClaims{
		Issuer: m.Issuer, Subject: SubjectOf(g), Audience: resources,
		ExpiresAt: issued.ExpiresAt.Unix(), IssuedAt: issued.CreatedAt.Unix(),
		ID: base64.RawURLEncoding.EncodeToString(issued.Digest[:]), ClientID: c.ID, Scope: strings.Join(scopes, " "),
		Confirmation: ConfirmationOf(issued.JKT), Actor: ActorOf(issued.Actors),
	}
	if own {
		claims.Audience = append(claims.Audience, m.Issuer)
	}
	if !g.AuthTime.IsZero() { // else nobody has authenticated, and any class would say so
		claims.AuthTime, claims.Class, claims.AMR = authTime(g, issued.CreatedAt), m.Classes.Name(g), g.AMR
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode access token: %w", err)
	}
	token, err := m.SignAccessToken(alg, payload)
	if err != nil {
		return "", fmt.Errorf("sign access token: %w", err)
	}
	return token, nil
}

// SubjectOf is the sub of a token: its user, or the client that it is for itself (RFC 9068
// section 2.2).
func SubjectOf(g storage.Grant) string {
	if user := UserOf(g); user != "" {
		return user
	}
	return g.ClientID
}

// AudienceOf returns the resources that a token is for, and whether it is for the
// provider's own endpoints: not when its request named resources, because each of these
// could present it there (RFC 8707 section 3).
func (m *Maker) AudienceOf(g storage.Grant, t storage.Token, c *registry.Client) (resources []string, own bool) {
	if len(t.Resources) > 0 {
		return m.Resources.Standing(t.Resources, c), false
	}
	return m.Resources.Standing(g.Resources, c), true
}

// DigestOf returns by which digest a presented token is stored, when this provider has
// made it. An ID token and what else it has signed is no access token: those have a typ of
// their own (RFC 9068 section 4).
func (m *Maker) DigestOf(ctx context.Context, kind storage.TokenKind, presented string) (storage.Digest, bool) {
	if kind != storage.AccessToken || !strings.Contains(presented, ".") {
		return m.Tokens.Parse(kind, presented)
	}
	payload, err := m.VerifyAccessToken(ctx, presented)
	if err != nil {
		return storage.Digest{}, false
	}
	var claims struct {
		Issuer string `json:"iss"`
		ID     string `json:"jti"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil || claims.Issuer != m.Issuer {
		return storage.Digest{}, false
	}
	digest, err := base64.RawURLEncoding.DecodeString(claims.ID)
	if err != nil || len(digest) != len(storage.Digest{}) {
		return storage.Digest{}, false
	}
	return storage.Digest(digest), true
}

package engine

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// accessTokenFor is what an access token is made for.
type accessTokenFor struct {
	client *registry.Client
	scopes []string

	// resources are those that the request for the token names; nil for those of the grant
	// and the endpoints of the provider.
	resources []string

	now  time.Time
	life time.Duration
}

// accessToken makes an access token of the session's grant, and returns it with the scopes
// that it is good for.
func (e *Engine) accessToken(s *session, f accessTokenFor) (token string, scopes []string, err error) {
	token = e.issue(s, storage.AccessToken, f.now, f.life)
	issued := &s.issued[len(s.issued)-1]
	scopes = f.scopes
	if f.resources != nil {
		scopes = e.Resources.Meaningful(scopes, f.resources)
		issued.Resources = f.resources
	}
	if len(scopes) < len(s.grant.Scopes) {
		issued.Scopes = append([]string{}, scopes...) // nil, which slices.Clone and slices.Concat may return, is all
	}
	if f.client.JWTAccessTokens {
		token, err = e.signAccessToken(s.grant, *issued, f.client, scopes)
	}
	return token, scopes, err
}

// accessClaims are those of an access token that is a JWT (RFC 9068 section 2.2). Groups,
// roles and what else scopes release are not in it: an API asks for what it needs.
type accessClaims struct {
	Issuer    string   `json:"iss"`
	Subject   string   `json:"sub"`
	Audience  audience `json:"aud"`
	ExpiresAt int64    `json:"exp"`
	IssuedAt  int64    `json:"iat"`
	ID        string   `json:"jti"`
	ClientID  string   `json:"client_id"`
	Scope     string   `json:"scope,omitempty"`
	AuthTime  int64    `json:"auth_time,omitempty"`
	Class     string   `json:"acr,omitempty"`
	AMR       []string `json:"amr,omitempty"`
}

// audience is the claim aud (RFC 7519 section 4.1.3): a string when it is only one.
type audience []string

// MarshalJSON implements json.Marshaler.
func (a audience) MarshalJSON() ([]byte, error) {
	if len(a) == 1 {
		return json.Marshal(a[0])
	}
	return json.Marshal([]string(a))
}

// signAccessToken returns an access token as a JWT. Its jti is the digest of what is
// stored, which leads to it and is of no use to whoever reads it.
func (e *Engine) signAccessToken(g storage.Grant, issued storage.Token, c *registry.Client, scopes []string) (string, error) {
	resources, own := e.audienceOf(g, issued, c)
	claims := accessClaims{
		Issuer: e.Issuer, Subject: subjectOf(g), Audience: resources,
		ExpiresAt: issued.ExpiresAt.Unix(), IssuedAt: issued.CreatedAt.Unix(),
		ID: base64.RawURLEncoding.EncodeToString(issued.Digest[:]), ClientID: c.ID, Scope: strings.Join(scopes, " "),
	}
	if own {
		claims.Audience = append(claims.Audience, e.Issuer)
	}
	if !g.AuthTime.IsZero() { // else nobody has authenticated, and any class would say so
		claims.AuthTime, claims.Class, claims.AMR = authTime(g, issued.CreatedAt), authorization.ClassFor(g.AMR, authorization.ClaimsOf(g)), g.AMR
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode access token: %w", err)
	}
	token, err := e.SignAccessToken(payload)
	if err != nil {
		return "", fmt.Errorf("sign access token: %w", err)
	}
	return token, nil
}

// subjectOf is the sub of a token: its user, or the client that it is for itself (RFC 9068
// section 2.2).
func subjectOf(g storage.Grant) string {
	if user := UserOf(g); user != "" {
		return user
	}
	return g.ClientID
}

// audienceOf returns the resources that a token is for, and whether it is for the
// provider's own endpoints: not when its request named resources, because each of these
// could present it there (RFC 8707 section 3).
func (e *Engine) audienceOf(g storage.Grant, t storage.Token, c *registry.Client) (resources []string, own bool) {
	if len(t.Resources) > 0 {
		return e.Resources.Standing(t.Resources, c), false
	}
	return e.Resources.Standing(g.Resources, c), true
}

// digestOf returns by which digest a presented token is stored, when this provider has
// made it. An ID token and what else it has signed is no access token: those have a typ of
// their own (RFC 9068 section 4).
func (e *Engine) digestOf(ctx context.Context, kind storage.TokenKind, presented string) (storage.Digest, bool) {
	if kind != storage.AccessToken || !strings.Contains(presented, ".") {
		return e.Tokens.Parse(kind, presented)
	}
	payload, err := e.VerifyAccessToken(ctx, presented)
	if err != nil {
		return storage.Digest{}, false
	}
	var claims struct {
		Issuer string `json:"iss"`
		ID     string `json:"jti"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil || claims.Issuer != e.Issuer {
		return storage.Digest{}, false
	}
	digest, err := base64.RawURLEncoding.DecodeString(claims.ID)
	if err != nil || len(digest) != len(storage.Digest{}) {
		return storage.Digest{}, false
	}
	return storage.Digest(digest), true
}

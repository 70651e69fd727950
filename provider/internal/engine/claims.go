package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Claim is one member of a JSON object beside those of the protocol.
type Claim struct {
	Name  string
	Value json.RawMessage
}

// Claims are what a grant releases at a moment.
type Claims struct {
	List []Claim

	// Until is when the first of them becomes another; zero means never.
	Until time.Time
}

// jwtClaims are the protocol's claims of a JWT about a grant's subject for its client
// (OpenID Connect Core section 2).
type jwtClaims struct {
	Issuer     string   `json:"iss"`
	Subject    string   `json:"sub,omitempty"`
	Audience   string   `json:"aud,omitempty"`
	ExpiresAt  int64    `json:"exp,omitempty"`
	IssuedAt   int64    `json:"iat"`
	AuthTime   int64    `json:"auth_time,omitempty"`
	Class      string   `json:"acr,omitempty"`
	SID        string   `json:"sid,omitempty"`
	AMR        []string `json:"amr,omitempty"`
	Nonce      string   `json:"nonce,omitempty"`
	AccessHash string   `json:"at_hash,omitempty"`
	CodeHash   string   `json:"c_hash,omitempty"`
}

func (e *Engine) jwtClaims(g storage.Grant, now time.Time) jwtClaims {
	return jwtClaims{Issuer: e.Issuer, Subject: g.Subject, Audience: g.ClientID, IssuedAt: now.Unix()}
}

// UserinfoJWT returns the payload of a userinfo response that is a JWT (OpenID Connect
// Core section 5.3.2). In v3 it has the form of an ID token, which its contract wants, but
// for auth_time: here it is not taken for one. In the standard dialect it cannot pass for
// an ID token, since it has no exp, which every ID token has and every client demands of one
// (RFC 8725 section 3.12). Another typ would not do: few clients look at it in an ID token,
// and some refuse any but JWT.
func (e *Engine) UserinfoJWT(g storage.Grant, d Dialect, released Claims, now time.Time) ([]byte, error) {
	c := e.jwtClaims(g, now)
	if d.UserinfoAsString {
		c.ExpiresAt = earliest(now.Add(e.Lifetimes.ID), released.Until).Unix()
	}
	return encodeClaims(c, released.List)
}

// UserinfoJSON returns the userinfo response that is a plain JSON object (OpenID Connect
// Core section 5.3.2).
func UserinfoJSON(g storage.Grant, released Claims) ([]byte, error) {
	return encodeClaims(struct {
		Subject string `json:"sub"`
	}{g.Subject}, released.List)
}

// encodeClaims returns a struct of the protocol's claims as a JSON object, followed by
// the released ones in their order, which the maps of encoding/json do not keep.
func encodeClaims(protocol any, released []Claim) ([]byte, error) {
	object, err := json.Marshal(protocol)
	if err != nil {
		return nil, fmt.Errorf("encode claims: %w", err)
	}
	for _, c := range released {
		name, err := json.Marshal(c.Name)
		if err != nil {
			return nil, fmt.Errorf("encode claims: %w", err)
		}
		value, err := json.Marshal(c.Value)
		if err != nil {
			return nil, fmt.Errorf("encode claim %q: %w", c.Name, err)
		}
		object = append(append(object[:len(object)-1], ','), name...)
		object = append(append(append(object, ':'), value...), '}')
	}
	return object, nil
}

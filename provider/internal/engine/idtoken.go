package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNoUser says that the subject of a grant no longer exists.
var ErrNoUser = errors.New("engine: no such user")

// idTokenFor is what an ID token is made from. Nonce, access and code are empty
// where the token must not mention them.
type idTokenFor struct {
	grant               storage.Grant
	client              *registry.Client
	now                 time.Time
	nonce, access, code string
}

// idToken returns a signed ID token (OpenID Connect Core section 2).
func (e *Engine) idToken(ctx context.Context, f idTokenFor) (string, error) {
	released, err := e.Claims(ctx, f.grant, f.client, authorization.InIDToken)
	if errors.Is(err, ErrNoUser) {
		return "", errGrant.Because(diagnosis.UserGone)
	}
	if err != nil {
		return "", fmt.Errorf("read claims: %w", err)
	}
	c := e.jwtClaims(f.grant, f.now)
	c.ExpiresAt = earliest(f.now.Add(e.Lifetimes.ID), released.Until).Unix()
	c.AuthTime = authTime(f.grant, f.now)
	c.Class, c.AMR, c.Nonce = authorization.ClassFor(f.grant.AMR, authorization.ClaimsOf(f.grant)), f.grant.AMR, f.nonce
	if f.client.BackchannelLogoutURI != "" { // nobody else has a use for it
		c.SID = f.grant.SID
	}
	c.AccessHash, c.CodeHash = halfHash(f.access), halfHash(f.code)
	payload, err := encodeClaims(c.append, released.List)
	if err != nil {
		return "", err
	}
	token, err := e.Sign(ctx, payload)
	if err != nil {
		return "", fmt.Errorf("sign ID token: %w", err)
	}
	return token, nil
}

// authTime returns the claim auth_time, in seconds; 0 for a grant without one. A time
// in the future comes from another clock and counts as now.
func authTime(g storage.Grant, now time.Time) int64 {
	return max(0, min(g.AuthTime.Unix(), now.Unix()))
}

// earliest returns the earlier of two times; a zero end is never.
func earliest(t, end time.Time) time.Time {
	if !end.IsZero() && end.Before(t) {
		return end
	}
	return t
}

// halfHash is at_hash and c_hash: the left half of the digest (OpenID Connect Core
// section 3.3.2.11); empty for an empty value.
func halfHash(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2])
}

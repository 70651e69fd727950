package issue

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNoUser says that the subject of a grant no longer exists.
var ErrNoUser = errors.New("engine: no such user")

// IDTokenFor is what an ID token is made from. Nonce, access and code are empty
// where the token must not mention them.
type IDTokenFor struct {
	Grant               storage.Grant
	Client              *registry.Client
	Now                 time.Time
	Nonce, Access, Code string
}

// IDToken returns a signed ID token (OpenID Connect Core section 2); ErrNoUser when its
// subject is gone.
func (m *Maker) IDToken(ctx context.Context, f IDTokenFor) (string, error) {
	released, err := m.Claims(ctx, f.Grant, f.Client, authorization.InIDToken)
	if err != nil {
		return "", fmt.Errorf("read claims: %w", err)
	}
	c := m.jwtClaims(f.Grant, f.Now)
	c.ExpiresAt = earliest(f.Now.Add(m.IDLife), released.Until).Unix()
	c.AuthTime = authTime(f.Grant, f.Now)
	c.Class, c.AMR, c.Nonce = m.Classes.Name(f.Grant), f.Grant.AMR, f.Nonce
	if f.Client.BackchannelLogoutURI != "" || f.Client.SkipConsent { // nobody else has a use for it
		c.SID = f.Grant.SID
	}
	alg := f.Client.IDTokenSigning()
	c.AccessHash, c.CodeHash = halfHash(alg, f.Access), halfHash(alg, f.Code)
	payload, err := encodeClaims(c.append, released.List)
	if err != nil {
		return "", err
	}
	token, err := m.Sign(ctx, alg, payload)
	if err != nil {
		return "", fmt.Errorf("sign ID token: %w", registry.Unsigned(alg, err))
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

// halfHash is at_hash and c_hash: the left half of the digest of the signature's algorithm
// (OpenID Connect Core section 3.3.2.11), which is SHA-512 for Ed25519 (RFC 8032 section 5.1);
// empty for an empty value.
func halfHash(alg, value string) string {
	if value == "" {
		return ""
	}
	if alg == keyring.EdDSA {
		sum := sha512.Sum512([]byte(value))
		return base64.RawURLEncoding.EncodeToString(sum[:sha512.Size/2])
	}
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2])
}

package issue

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Maker makes what is issued.
type Maker struct {
	// Issuer is the iss of tokens and responses.
	Issuer string

	// Tokens makes and recognizes opaque tokens.
	Tokens Tokens

	// Sign returns claims as a JWT signed with an algorithm.
	Sign func(ctx context.Context, alg string, claims []byte) (string, error)

	// SignAccessToken and VerifyAccessToken write and read access tokens that are JWTs (RFC
	// 9068); no other JWT passes for one.
	SignAccessToken   func(alg string, claims []byte) (string, error)
	VerifyAccessToken func(ctx context.Context, token string) (claims []byte, err error)

	// SignResponse returns claims as an authorization response that is a JWT.
	SignResponse func(alg string, claims []byte) (string, error)

	// Clock tells when a response is made.
	Clock func() time.Time

	// Resources are the APIs that access tokens can be for.
	Resources registry.Resources

	// Claims returns what a grant releases about its subject in a place, read now.
	// ErrNoUser when the subject is gone.
	Claims func(ctx context.Context, g storage.Grant, c *registry.Client, in authorization.Place) (Claims, error)

	// Classes name how well a user has authenticated (acr).
	Classes authorization.Classes

	// IDLife is how long an ID token is good for.
	IDLife time.Duration
}

// Tokens makes and recognizes opaque tokens.
type Tokens interface {
	New(kind storage.TokenKind) (token string, digest storage.Digest)
	Parse(kind storage.TokenKind, token string) (storage.Digest, bool)

	// DigestOf is Parse of a text that somebody else may have made.
	DigestOf(kind storage.TokenKind, token string) (storage.Digest, bool)
}

// Batch is a grant with the tokens that are issued of it in one response.
type Batch struct {
	Grant  storage.Grant
	Issued []storage.Token
}

// Token makes a token of the session's grant.
func (m *Maker) Token(s *Batch, kind storage.TokenKind, now time.Time, life time.Duration) string {
	token, digest := m.Tokens.New(kind)
	s.Issued = append(s.Issued, storage.Token{
		Digest: digest, Kind: kind, GrantID: s.Grant.ID, CreatedAt: now, ExpiresAt: now.Add(life),
	})
	return token
}

// TokenType returns the type of an access token that is bound to a key, by RFC 9449 section 5,
// or to none, by RFC 6750.
func TokenType(jkt storage.Digest) string {
	if jkt.IsZero() {
		return "bearer"
	}
	return "DPoP"
}

// Nobody is the subject of a grant that no user has allowed: no user can have this name.
const Nobody = " "

// UserOf returns the user that a grant is about; "" for one that no user has allowed.
func UserOf(g storage.Grant) string {
	if g.Subject == Nobody {
		return ""
	}
	return g.Subject
}

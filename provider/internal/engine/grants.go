package engine

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Issued is a token with its grant. Requests share it and must not change it.
type Issued struct {
	Token storage.Token
	Grant storage.Grant
}

// holder returns the client that a token was issued to: that of its grant, or the last to have
// exchanged it.
func (i *Issued) holder() string {
	if len(i.Token.Actors) > 0 {
		return i.Token.Actors[0]
	}
	return i.Grant.ClientID
}

// Grants are the records of grants and tokens, with the methods of [storage.Grants]; the token of
// an exchange is passed as it was read.
type Grants interface {
	// Issued returns a token with its grant.
	Issued(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (*Issued, error)

	// Recent returns what Issued would, if it is in memory; nil if not. now is what the
	// clock says.
	Recent(digest storage.Digest, now time.Time) *Issued

	CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error
	Exchange(ctx context.Context, spent *Issued, at time.Time, issued ...storage.Token) error
	Reissue(ctx context.Context, spent *Issued, within storage.Grace, issued ...storage.Token) error
	Derive(ctx context.Context, from *Issued, issued storage.Token) error
	Renew(ctx context.Context, kept *Issued, until time.Time, issued ...storage.Token) error
	RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error)
}

package storage

import (
	"context"
	"time"
)

// GrantID identifies a grant. Identifiers made one after the other sort in that
// order (as UUID version 7, RFC 9562), so that an index grows at its end.
type GrantID [16]byte

// Grant is what a user allowed one application once. Code, access and refresh
// tokens point at it; ending the grant ends them all.
type Grant struct {
	ID GrantID

	// Flow identifies the authorization request that the grant came from; no
	// two grants come from one.
	Flow Digest

	ClientID string
	Subject  string
	Scopes   []string

	// RedirectURI is where the code went. RedirectSent reports whether the
	// authorization request named it (RFC 6749 section 4.1.3).
	RedirectURI  string
	RedirectSent bool

	ResponseType string
	Nonce        string
	EID          string

	// Challenge is the S256 code challenge, or empty (RFC 7636).
	Challenge string

	// AuthTime and AMR tell when and how the user authenticated.
	AuthTime time.Time
	AMR      []string

	CreatedAt time.Time

	// ExpiresAt is when the last token that can come of the grant has expired.
	ExpiresAt time.Time

	// RevokedAt is zero while the grant is in force.
	RevokedAt time.Time
}

// TokenKind tells what a token is good for.
type TokenKind uint8

// The kinds of token.
const (
	AuthorizationCode TokenKind = 1
	AccessToken       TokenKind = 2
	RefreshToken      TokenKind = 3
)

// Token is a code, an access token or a refresh token, known by its digest.
type Token struct {
	Digest  Digest
	Kind    TokenKind
	GrantID GrantID

	// Scopes is what the token is good for when that is less than what its
	// grant allows (RFC 6749 section 6), or nil.
	Scopes []string

	CreatedAt time.Time
	ExpiresAt time.Time

	// SpentAt is when the token was exchanged or revoked; zero while it can be
	// used.
	SpentAt time.Time
}

// GrantFilter selects grants. All fields that are not zero must match; a filter
// without any matches nothing.
type GrantFilter struct {
	ID            GrantID
	Subject       string
	ClientID      string
	CreatedBefore time.Time
}

// Grants keeps what users allowed, and the tokens issued for it.
type Grants interface {
	// CreateGrant records what a user allowed and the tokens issued with it,
	// all or nothing. When a consent of the same subject and client exists, its
	// LastUsedAt becomes g.CreatedAt if it is more than a minute older.
	// ErrConflict when the flow has produced a grant already, or a digest
	// exists; nothing is ever overwritten. ErrNotFound when the client does not
	// exist. ErrEnded when the subject has an account and it is disabled.
	CreateGrant(ctx context.Context, g Grant, issued ...Token) error

	// Token returns the token with this digest and the grant that it belongs
	// to; spent, expired and revoked ones included. ErrNotFound when there is
	// none of this kind.
	Token(ctx context.Context, kind TokenKind, digest Digest) (Token, Grant, error)

	// Exchange spends one token at a moment and records those issued in its
	// place (none, for a revocation), all or nothing. Of any number of
	// concurrent calls exactly one succeeds; the others get ErrSpent. ErrEnded
	// when the grant is revoked, spent or not; ErrNotFound when there is no such
	// token; ErrConflict when an issued digest exists.
	Exchange(ctx context.Context, spent Digest, at time.Time, issued ...Token) error

	// Reissue records further tokens in place of one that was spent at
	// notBefore or later: the answer to the exchange may have been lost on its
	// way. ErrSpent when it was spent earlier, ErrEnded when the grant is
	// revoked, ErrNotFound when there is no such token or it is not spent.
	Reissue(ctx context.Context, spent Digest, notBefore time.Time, issued ...Token) error

	// RevokeGrants ends the grants that match, and so every token of theirs,
	// and reports how many were in force until then.
	RevokeGrants(ctx context.Context, match GrantFilter, at time.Time) (int, error)
}

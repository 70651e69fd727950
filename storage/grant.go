package storage

import (
	"context"
	"time"
)

// GrantID identifies a grant. Identifiers made one after the other sort in that
// order (as UUID version 7, RFC 9562), so that an index grows at its end.
type GrantID [16]byte

// Grant is what a user allowed one application once, or what an application was granted
// for itself. Code, access and refresh tokens point at it; ending the grant ends them all.
type Grant struct {
	ID GrantID

	// Flow identifies the authorization request that the grant came from; no
	// two grants come from one.
	Flow Digest

	ClientID string

	// Subject is the user; a space, which no user is called, when there is none.
	Subject string
	Scopes  []string

	// Attributes and Groups are what the grant releases at most: what the scopes
	// meant when the user allowed it.
	Attributes []string
	Groups     []string

	// RedirectURI is where the code went. RedirectSent reports whether the
	// authorization request named it (RFC 6749 section 4.1.3).
	RedirectURI  string
	RedirectSent bool

	ResponseType string
	Nonce        string
	EID          string

	// Claims are the single claims that the request asked for beside its scopes, as
	// canonical JSON of the parameter (OpenID Connect Core section 5.5), or empty.
	Claims string

	// Resources are the resource servers that tokens of the grant may be for (RFC
	// 8707), or nil when the request named none.
	Resources []string

	// SID names the session of the subject to the client (OpenID Connect Back-Channel
	// Logout section 2.1), or is empty.
	SID string

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

// TokenKind says what a token is for.
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

	// Parent is the token that this one was issued in place of, for a refresh
	// token; the store records it.
	Parent Digest

	// Scopes is what the token is good for when that is less than what its
	// grant allows (RFC 6749 section 6), or nil.
	Scopes []string

	// Resources are those that an access token is for, when its request named some
	// (RFC 8707 section 2.2), or nil.
	Resources []string

	CreatedAt time.Time
	ExpiresAt time.Time

	// SpentAt is when the token was exchanged or revoked; zero while it can be
	// used.
	SpentAt time.Time
}

// GrantFilter selects grants. All fields that are not zero must match; a filter
// without any matches nothing. Those of one client, or of before a moment, are too many
// for one step: FindGrants finds them.
type GrantFilter struct {
	ID            GrantID
	Subject       string
	ClientID      string
	CreatedBefore time.Time
}

// Basis is what a grant rests on. What is zero is no condition.
type Basis struct {
	// Session is the session in which the subject of the grant is signed in.
	Session Digest

	// Consent is the decision that allows the grant, as it was read.
	Consent Consent

	// Notice says that the client is to be told when the session ends.
	Notice Notice
}

// Grace is the limits within which a spent token is replaced once more.
type Grace struct {
	// NotBefore and NotAfter are between what moments, both included, the token
	// must have been spent.
	NotBefore, NotAfter time.Time

	// Successors is how many refresh tokens there may be in place of one.
	Successors int
}

// Grants keeps what users allowed, and the tokens issued for it.
type Grants interface {
	// CreateGrant records what a user allowed and the tokens issued with it,
	// all or nothing, while all that it rests on stands. The LastUsedAt of the
	// consent becomes g.CreatedAt if it is more than a minute older.
	// ErrConflict when the flow has produced a grant already, or a digest
	// exists; nothing is ever overwritten. ErrNotFound when the client does not
	// exist. ErrEnded when the session or the decision of the basis is there no
	// more, or the subject has an account and it is disabled.
	CreateGrant(ctx context.Context, g Grant, on Basis, issued ...Token) error

	// Token returns the token with this digest and the grant that it belongs
	// to; spent, expired and revoked ones included. ErrNotFound when there is
	// none of this kind.
	Token(ctx context.Context, kind TokenKind, digest Digest) (Token, Grant, error)

	// Exchange spends one token at a moment and records those issued in its
	// place (none, for a revocation), all or nothing. Of any number of
	// concurrent calls exactly one succeeds; the others get ErrSpent. ErrEnded
	// when the grant is revoked, spent or not; ErrNotFound when there is no such
	// token; ErrConflict when an issued digest exists. The first of several
	// tokens that were issued in place of one spends the others: what came of a
	// repeated exchange cannot grow two branches.
	Exchange(ctx context.Context, spent Digest, at time.Time, issued ...Token) error

	// Reissue records further tokens in place of one that was exchanged within
	// the grace: the answer may have been lost on its way. ErrSpent when it was
	// spent at another time, when one of its successors has been used, or when it
	// has none; ErrLimit when it has as many as it may have; ErrEnded when the
	// grant is revoked, ErrNotFound when there is no such token or it is not
	// spent.
	Reissue(ctx context.Context, spent Digest, within Grace, issued ...Token) error

	// RevokeGrants ends the grants that match, and so every token of theirs,
	// and reports how many were in force until then. A filter that is not empty and
	// names neither ID nor Subject is an error.
	RevokeGrants(ctx context.Context, match GrantFilter, at time.Time) (int, error)

	// FindGrants looks at up to limit grants whose identifiers follow after, in
	// their order, and returns those that match, ended ones included, and the last
	// that it has looked at; zero when there are no more to look at.
	FindGrants(ctx context.Context, match GrantFilter, after GrantID, limit int) (found []GrantID, last GrantID, err error)

	// EndGrants ends the first of these grants, as many as a step of a few
	// milliseconds can, at least one, and reports how many; a caller repeats with
	// the others. One that is gone, or ended, counts.
	EndGrants(ctx context.Context, ids []GrantID, at time.Time) (done int, err error)

	// RemoveGrants removes the first of these grants with their tokens, as many as a
	// step of a few milliseconds can, and reports how many are gone; a caller
	// repeats with the others. Zero says that some tokens of the first are gone.
	RemoveGrants(ctx context.Context, ids []GrantID) (done int, err error)
}

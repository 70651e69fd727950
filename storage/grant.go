package storage

import (
	"context"
	"time"
)

// GrantID identifies a grant. Identifiers sort in the order in which they are made (as UUID
// version 7, RFC 9562), so that an index grows at its end.
type GrantID [16]byte

// Grant is one approval for one application: of a user, or of the application for itself.
// It has a code, access tokens and refresh tokens; its end ends them all.
type Grant struct {
	ID GrantID

	// Flow identifies the authorization request of the grant; each has one grant at most.
	Flow Digest

	ClientID string

	// Subject is the user; a space, which is not a valid user ID, for none.
	Subject string
	Scopes  []string

	// Attributes and Groups are the most that the grant releases: the meaning of the scopes
	// when the user allowed it.
	Attributes []string
	Groups     []string

	// RedirectURI is where the code was sent. RedirectSent reports whether the
	// authorization request named it (RFC 6749 section 4.1.3).
	RedirectURI  string
	RedirectSent bool

	ResponseType string
	Nonce        string
	EID          string

	// Claims are the single claims that the request adds to its scopes, as canonical JSON
	// of the parameter (OpenID Connect Core section 5.5), or empty.
	Claims string

	// Resources are the resource servers for tokens of the grant (RFC 8707), or nil if the
	// request named none.
	Resources []string

	// SID identifies the session of the subject to the client (OpenID Connect Back-Channel
	// Logout section 2.1), or is empty.
	SID string

	// Challenge is the S256 code challenge, or empty (RFC 7636).
	Challenge string

	// AuthTime and AMR are the time and the methods of the user's authentication.
	AuthTime time.Time
	AMR      []string

	// Assurance is the level that the authentication has reached; AnyAssurance for a grant
	// of before it was recorded.
	Assurance Assurance

	// EnrolledAt is since when the account has had all factors of the authentication; zero for
	// those of a user of the host.
	EnrolledAt time.Time

	CreatedAt time.Time

	// ExpiresAt is the latest expiry of any token of the grant.
	ExpiresAt time.Time

	// RevokedAt is zero while the grant is in force.
	RevokedAt time.Time
}

// TokenKind is the type of a token.
type TokenKind uint8

// The types of token.
const (
	AuthorizationCode TokenKind = 1
	AccessToken       TokenKind = 2
	RefreshToken      TokenKind = 3
)

// Token is a code, an access token or a refresh token, identified by its digest.
type Token struct {
	Digest  Digest
	Kind    TokenKind
	GrantID GrantID

	// Parent is the refresh token that this one replaced, which the store records, or the access
	// token that this one was exchanged for (RFC 8693).
	Parent Digest

	// Scopes are those of the token if they are fewer than those of its grant (RFC 6749
	// section 6), or nil.
	Scopes []string

	// Resources are those of an access token whose request named some (RFC 8707 section
	// 2.2), or nil.
	Resources []string

	// JKT is the SHA-256 thumbprint (RFC 7638) of the key to which the token is bound (RFC 9449
	// sections 6 and 10), or zero for a bearer. It never changes.
	JKT Digest

	// Actors are the client IDs of those that have exchanged an access token for this one, the
	// latest first (act of RFC 8693 section 4.1); nil for a token of the grant's own client.
	Actors []string

	CreatedAt time.Time
	ExpiresAt time.Time

	// SpentAt is when the token was exchanged or revoked; zero while it is valid.
	SpentAt time.Time
}

// GrantFilter selects grants. All nonzero fields must match; an empty filter matches
// nothing. Those of one client, or of before a moment, are too many for one step:
// FindGrants finds them.
type GrantFilter struct {
	ID            GrantID
	Subject       string
	ClientID      string
	CreatedBefore time.Time
}

// Basis is the condition of a grant. A zero field is no condition.
type Basis struct {
	// Session is the session in which the subject of the grant is signed in.
	Session Digest

	// Consent is the decision behind the grant, as it was read.
	Consent Consent

	// Notice has the client told when the session ends.
	Notice Notice
}

// Grace limits the repeated replacement of a spent token.
type Grace struct {
	// NotBefore and NotAfter limit when the token was spent, both included.
	NotBefore, NotAfter time.Time

	// Successors is the maximum number of refresh tokens that replace one.
	Successors int
}

// Grants stores grants and their tokens.
type Grants interface {
	// CreateGrant records a grant and the tokens issued with it, all or nothing, if its
	// basis holds. The LastUsedAt of the consent becomes g.CreatedAt if it is more than a
	// minute older. ErrConflict if the flow already has a grant, or a digest exists;
	// nothing is ever overwritten. ErrNotFound if the client does not exist. ErrEnded if
	// the session or the decision of the basis is gone, or the subject's account is
	// disabled.
	CreateGrant(ctx context.Context, g Grant, on Basis, issued ...Token) error

	// Token returns the token with this digest and its grant; spent, expired and revoked
	// ones included. ErrNotFound if there is none of this kind.
	Token(ctx context.Context, kind TokenKind, digest Digest) (Token, Grant, error)

	// Exchange spends one token at a moment and records the tokens that replace it (none,
	// for a revocation), all or nothing. Of any number of concurrent calls exactly one
	// succeeds; the others get ErrSpent. ErrEnded if the grant is revoked, whether the
	// token is spent or not; ErrNotFound if there is no such token; ErrConflict if an
	// issued digest exists. Of several tokens that replaced one, the first to be exchanged
	// spends the others, so that a repeated exchange cannot grow two branches.
	Exchange(ctx context.Context, spent Digest, at time.Time, issued ...Token) error

	// Reissue records further tokens in place of one that was exchanged within the grace,
	// because the response may have been lost. ErrSpent if it was spent at another time,
	// one of its successors has been used, or it has none; ErrLimit if it has the maximum
	// number of successors; ErrEnded if the grant is revoked, ErrNotFound if there is no
	// such token or it is not spent.
	Reissue(ctx context.Context, spent Digest, within Grace, issued ...Token) error

	// Derive records an access token that was exchanged for its Parent, which stays valid, of
	// the same grant (RFC 8693). ErrSpent if the parent is spent, or has expired when the token
	// was created; ErrEnded if the grant is revoked; ErrNotFound if there is no such parent of
	// this grant; ErrConflict if the digest exists.
	Derive(ctx context.Context, issued Token) error

	// Renew sets the end of a token that stays in use, and records tokens beside it, all or
	// nothing. ErrSpent if it was exchanged; ErrEnded if the grant is revoked; ErrNotFound if
	// there is no such token; ErrConflict if an issued digest exists.
	Renew(ctx context.Context, kept Digest, until time.Time, issued ...Token) error

	// RevokeGrants ends the matching grants, and so all their tokens, and returns the
	// number of those that were in force. A nonempty filter without ID and Subject is an
	// error.
	RevokeGrants(ctx context.Context, match GrantFilter, at time.Time) (int, error)

	// FindGrants examines up to limit grants with IDs after the given one, in order. It
	// returns those that match, ended ones included, and the last examined; zero if none
	// are left to examine.
	FindGrants(ctx context.Context, match GrantFilter, after GrantID, limit int) (found []GrantID, last GrantID, err error)

	// EndGrants ends the first of these grants, as many as fit a step of a few
	// milliseconds, at least one, and returns their number; the caller repeats with the
	// others. One that is gone, or ended, counts. The step records the events that it is given
	// ([EventsOf]).
	EndGrants(ctx context.Context, ids []GrantID, at time.Time, events ...EventsOf) (done int, err error)

	// RemoveGrants removes the first of these grants with their tokens, as many as fit a
	// step of a few milliseconds, and returns how many are gone; the caller repeats with
	// the others. Zero means that only some tokens of the first are gone.
	RemoveGrants(ctx context.Context, ids []GrantID) (done int, err error)
}

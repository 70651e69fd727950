package storage

import (
	"context"
	"time"
)

// Link is an identity at an upstream provider with which the owner of an account signs in.
type Link struct {
	// Digest is the keyed digest of issuer and subject, unique among all accounts.
	Digest    Digest `json:",omitzero"`
	AccountID string `json:",omitzero"`

	// Upstream is the ID of the upstream by which it was made.
	Upstream string

	// Issuer and Subject are the identity.
	Issuer, Subject string

	// Name is what the upstream calls the person, to be shown to the owner: an address or a
	// name.
	Name string

	CreatedAt time.Time

	// LastUsedAt is zero for never.
	LastUsedAt time.Time
}

// MethodVouched is the Method of a Status for which an upstream provider vouches: a record that
// it keeps. Its VerifiedBy is the issuer, its Origin is empty.
const MethodVouched = "record"

// Links stores the identities of accounts at upstream providers. Those of an account are in
// its AuthenticatorSet, and every change of them is one of Authenticators. The step that removes
// a link ends what its issuer vouches for (MethodVouched), even if the account has another link
// of that issuer: one membership there makes one here at a time.
type Links interface {
	// LinkedAccount returns the link with this digest and its account. ErrNotFound if there
	// is none.
	LinkedAccount(ctx context.Context, digest Digest) (Link, Account, error)

	// AddLink records a link. ErrConflict if any account has it; ErrLimit if the account has
	// limit of them; ErrNotFound as well if the account is disabled.
	AddLink(ctx context.Context, l Link, limit int, on Proof) error

	// RemoveLink removes a link and ends the sessions in which it is a factor, all but that
	// of the proof. ErrLast if the account could no longer sign in.
	RemoveLink(ctx context.Context, accountID string, digest Digest, on Proof, at time.Time) error
}

package storage

import (
	"context"
	"time"
)

// Credentials stores what was put into wallets: signed statements about the status of a subject in a
// group, and the lists on which it is published whether they are still in force (Token Status List).
// Like [Signals] it is not a part of [Store], and one database has both: a credential rests on a
// status, a grant and an account, and in the step of their end no later one is recorded.
//
// What deletes a person ends the credentials as well and empties their subject ([Deletions]), and Sweep
// removes those that expired a day ago. A grant stays until its last credential has expired.
type Credentials interface {
	// OpenList returns the number of the list that takes new credentials: the latest, or the next if
	// that has most places taken. The first is 1. Of any number of concurrent calls one opens the next.
	OpenList(ctx context.Context, most int, at time.Time) (list int64, err error)

	// SaveCredential records a credential in force. ErrConflict if its place is taken, or its ID or
	// Notification exists; ErrNotFound if its list was never opened. ErrEnded if the subject's account is
	// disabled or to be removed, if the grant is gone, revoked, or that of another subject or client,
	// or if the status has not the StatusRevision, or is not verified at IssuedAt.
	SaveCredential(ctx context.Context, c Credential) error

	// Credentials returns the matching credentials, the latest first; those that have ended or expired
	// included.
	Credentials(ctx context.Context, match CredentialFilter) ([]Credential, error)

	// AcceptCredential records when a wallet has stored a credential; of two times the first stays.
	// ErrNotFound if there is no such credential in force.
	AcceptCredential(ctx context.Context, id string, at time.Time) error

	// EndCredentials ends the matching credentials in force, and returns their number. With them
	// it takes one to three free places of each of their lists, as ended ones: who watches a list cannot tell which
	// places belong to somebody. A filter without ID and Subject is an error.
	EndCredentials(ctx context.Context, match CredentialFilter, end CredentialEnd, at time.Time) (ended int, err error)

	// LapsedCredentials returns up to limit credentials in force with IDs after the given one, in order, of
	// which something that they rest on has ended or changed, or that rest on the word of the host and
	// were last checked before the given time; and the ID of the last, empty if none are left behind it. It is
	// called all the time: what it reads are these, and not all that there are.
	LapsedCredentials(ctx context.Context, now, checkedBefore time.Time, after string, limit int) (found []LapsedCredential, last string, err error)

	// KeepCredential records that a credential in force rests on another revision of its status, which says
	// the same, and when it was checked. It does nothing if the credential is not in force, or the status
	// has yet another revision.
	KeepCredential(ctx context.Context, id string, revision int64, at time.Time) error

	// EndedPlaces returns the ended places of a list, in order. ErrNotFound if the list was never
	// opened; ErrEnded if it takes no new credentials and the last one is removed.
	EndedPlaces(ctx context.Context, list int64) ([]int, error)
}

// Credential is a statement about a status, in a wallet.
type Credential struct {
	// ID sorts in the order in which credentials are issued.
	ID string

	// Subject is empty once the person is deleted, and of a place that is nobody's.
	Subject string

	// ClientID is the wallet, GrantID what the subject has allowed it.
	ClientID string
	GrantID  GrantID

	// Group is the group of the status.
	Group string

	// List and Place are where it is published whether it is in force; from zero to CredentialPlaces.
	List  int64
	Place int

	// StatusRevision is the Revision of the status; zero for the word of the host, which none records.
	StatusRevision int64

	// Content is a digest of what it says.
	Content Digest

	// Notification is the digest of a secret by which the wallet tells what has become of it.
	Notification Digest

	IssuedAt  time.Time
	ExpiresAt time.Time

	// CheckedAt is when it was last found to be still true, beginning with IssuedAt; 1970 if something that
	// it rests on has changed since.
	CheckedAt time.Time

	// AcceptedAt is when the wallet has stored it; zero if it has not said so.
	AcceptedAt time.Time

	// EndedAt is when it was ended before its time, and End is why; both are zero while it is in force, or has expired.
	EndedAt time.Time
	End     CredentialEnd
}

// CredentialPlaces is the number of places of a list.
const CredentialPlaces = 1 << 17

// CredentialEnd is why a credential was ended before its time.
type CredentialEnd string

// The ends of credentials.
const (
	EndedByOwner    CredentialEnd = "owner"    // who has withdrawn it
	EndedByWallet   CredentialEnd = "wallet"   // which could not store it, or has deleted it
	EndedByStaff    CredentialEnd = "staff"    // of the host
	EndedByStatus   CredentialEnd = "status"   // which has ended, or says something else
	EndedByGrant    CredentialEnd = "grant"    // which was revoked, with the consent or alone
	EndedByAccount  CredentialEnd = "account"  // which is disabled or to be removed
	EndedByDeletion CredentialEnd = "deletion" // of the person
)

// CredentialFilter selects credentials. All nonzero fields must match.
type CredentialFilter struct {
	ID           string
	Subject      string
	ClientID     string
	Notification Digest

	// BeforeID selects credentials with a lower ID: the next page.
	BeforeID string

	// Limit is the maximum number of those that are read; 100 if zero.
	Limit int
}

// LapsedCredential is a credential in force that is to be looked at.
type LapsedCredential struct {
	Credential

	// By is EndedByAccount or EndedByGrant if that has ended, and it has to end, too. Else it is
	// empty: what the status says now decides.
	By CredentialEnd
}

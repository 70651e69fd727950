package storage

import (
	"context"
	"encoding/json"
	"time"
)

// Account is an embedded account.
type Account struct {
	// ID is the subject: stable, never reused, not an e-mail address.
	ID string

	// Email is the address as its owner wrote it. EmailKey is its unique key, the same for
	// all spellings of one address. Both may be empty.
	Email         string
	EmailKey      string
	EmailVerified bool

	// PasswordHash is a password hash in PHC string format, or empty: then there is no
	// password sign-in.
	PasswordHash      string
	PasswordChangedAt time.Time

	// Disabled accounts cannot sign in; their grants and sessions have ended.
	Disabled bool

	// Epoch counts the ends of the owner's proofs: each new password, each new address, each
	// end of an address's verification and each lock begins the next epoch. A password or a mailbox that was checked in one
	// epoch proves nothing in the next. It starts at the value given to CreateAccount; only
	// the store changes it.
	Epoch int64

	// FactorsVersion counts the changes of what the owner can sign in with beside the
	// password, and its removal. It starts at the value given to CreateAccount; only the
	// store changes it.
	FactorsVersion int64

	// SecondStep reports that the password alone does not sign in.
	SecondStep bool

	// UserHandle names the account to authenticators (WebAuthn Level 3 section 14.6.1), or
	// is nil until its first passkey. It never changes.
	UserHandle []byte

	// Language is the owner's choice for screens and mails, a BCP 47 tag; empty for none.
	Language string

	// Unreadable reports that the address cannot be decrypted, and is left out. Only lists
	// have such accounts; alone one cannot be read.
	Unreadable bool

	// DeleteAt is the time of the deletion that the owner has requested; zero for never.
	// Only Deletions change it.
	DeleteAt time.Time

	CreatedAt time.Time
}

// EmailChange is a change of an account's address, by its owner or by the host.
type EmailChange struct {
	AccountID string

	// On is what the change rests on.
	On Proof

	// Email and EmailKey are the new address.
	Email    string
	EmailKey string

	// Unverified reports that nobody has proved the new address: it is recorded as such.
	Unverified bool

	// At is the time of the change.
	At time.Time

	// Begin is a session that replaces those that end; zero for none.
	Begin Session

	// ReturnUntil is the end of the time in which the change can be taken back
	// (EmailReturns); zero for never.
	ReturnUntil time.Time
}

// Accounts stores the embedded accounts.
type Accounts interface {
	// CreateAccount creates an account. Of any number of concurrent calls with one EmailKey
	// exactly one succeeds; the others get ErrConflict, as does a call with an existing ID,
	// or with a passkey or a link that an account has. Its first factors, if given, are created with
	// it, and their session; ErrProof if what they rest on does not hold.
	// ErrUnavailable until the deletion of a person with its ID is complete ([Departed]).
	CreateAccount(ctx context.Context, a Account, first ...FirstFactors) error

	// Account returns the account with this ID.
	Account(ctx context.Context, id string) (Account, error)

	// AccountByEmail returns the account with this EmailKey. An empty key is never found.
	AccountByEmail(ctx context.Context, key string) (Account, error)

	// Accounts returns up to limit accounts with IDs after the given one, in a stable
	// order. With a due
	// only those that are due for deletion at that time.
	Accounts(ctx context.Context, after string, limit int, due ...time.Time) ([]Account, error)

	// SetEmail changes the address of an account whose EmailKey is oldKey, and whether it
	// is verified. Another EmailKey begins the next epoch, and so does the end of the
	// verification, which ends no session and no grant; another EmailKey also ends all ways
	// back from earlier changes (EmailReturns). ErrChanged if the
	// account has another EmailKey, ErrConflict if another account has the new one,
	// ErrNotFound if there is no such account.
	SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error

	// VerifyEmail records that the address of an account is verified. ErrChanged if the proof is
	// of an earlier version of the account, ErrProof if another part of it does not hold,
	// ErrNotFound if there is no such account.
	VerifyEmail(ctx context.Context, id string, on Proof) error

	// ChangeEmail gives an account another address and begins the next epoch: it
	// ends the account's sessions, grants and trusted devices, as SetPassword does. ErrChanged if the proof
	// is of an earlier version of the account, ErrProof if another part of it does not
	// hold, ErrNotFound if there is no such account;
	// ErrConflict if another account has the address, or the digest of the session exists.
	ChangeEmail(ctx context.Context, c EmailChange) error

	// SetLanguage records the owner's language; empty for none. ErrNotFound if there is no
	// such account.
	SetLanguage(ctx context.Context, id, language string) error

	// SetPassword changes the password hash of an account and begins the next epoch: it
	// ends the account's sessions, grants and trusted devices. The session begin,
	// if given, replaces them. ErrChanged if the proof is of an earlier version of the
	// account, ErrProof if another part of it does not hold, ErrNotFound if there is no
	// such account; ErrConflict if the digest of the session exists. A proof without a session
	// is that of a mailbox or of the host: then the links of the account are removed, since
	// somebody who had got in may have made them.
	SetPassword(ctx context.Context, id string, on Proof, hash string, at time.Time, begin ...Session) error

	// Rehash replaces the hash of a password by a better one of the same password; nothing
	// ends. It changes nothing, and returns nil, if the account no longer has the old hash.
	Rehash(ctx context.Context, id, oldHash, hash string) error

	// SetDisabled locks or unlocks the account. A lock ends its sessions, grants, trusted
	// devices and epoch. ErrNotFound if there is no such account.
	SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error

	// EndIssued ends the sessions and grants of a subject, and the epoch and trusted devices
	// of its account, if any. It returns nil if there is nothing.
	EndIssued(ctx context.Context, id string, at time.Time) error

	// DeleteAccount removes the account with its sessions, and the grants, consents,
	// attributes and statuses of a subject, who need not have an account. In its events the
	// pseudonym replaces the subject, and the address is emptied; of those in closed blocks
	// the step keeps what erase returns ([Trail]), unless that is nil. In its matters, breaks
	// and targets of plans the pseudonym replaces it as well, and the matters lose their
	// notes. It reports whether there was anything. The subject is among the Departed
	// afterwards: nothing takes the deletion back, and what is left is for RemoveDeparted. With
	// a due it does nothing unless the account is due for deletion at that time: its owner may
	// have withdrawn the request. Of any number of concurrent such calls one reports found.
	DeleteAccount(ctx context.Context, id, pseudonym string, erase Erase, due ...time.Time) (found bool, err error)
}

// Person is a subject's data: attribute values by handle, the statuses in groups, and the
// address of its account.
type Person struct {
	// Revision changes with each change of the attributes of a subject with an account that
	// is neither disabled nor to be deleted; zero for any other.
	Revision int64

	Attributes map[string]json.RawMessage
	Statuses   []Status

	// HasAccount reports whether the subject has an account that is neither disabled nor to
	// be deleted. Email and EmailVerified are of that account.
	HasAccount    bool
	Email         string
	EmailVerified bool
}

// Status is a subject's membership in a group, and its source.
type Status struct {
	// Group is the name of a group in the catalogue.
	Group string `json:"group"`

	// Subgroups are the subject's subgroups.
	Subgroups []string `json:"subgroups"`

	// Verified reports whether the membership was checked, Pending that a check is under way.
	// Then it is not verified, and is never released as verified.
	Verified bool `json:"verified"`
	Pending  bool `json:"pending,omitempty"`

	// VerifiedBy is the verifier, VerifiedAt the time; the subject may read both.
	VerifiedBy string    `json:"verified_by"`
	VerifiedAt time.Time `json:"verified_at,omitzero"`

	// Source is the origin of the status, such as "National Student Clearinghouse", Method the
	// kind of check; the subject may read both. The screens have words for the methods document, code, email_domain, roster and record, and show any other as it is.
	// Both may be empty. Applications get neither, but by Method the evidence of verified_claims.
	Source string `json:"source,omitempty"`
	Method string `json:"method,omitempty"`

	// Reason is why it was refused; the subject may read it. The screens have words for the
	// reasons unreadable, expired, mismatch, not_found and not_eligible, and show any other
	// as it is. It is empty unless the status is neither verified nor pending.
	Reason string `json:"reason,omitempty"`

	// ExpiresAt is the end: an expired status is released as not verified. Zero for never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`

	// Origin is the ID of the Case that recorded it; empty for the host.
	Origin string `json:"origin,omitempty"`

	// Revision is unique to each recorded status; the store assigns it.
	Revision int64 `json:"revision"`

	// PersonRevision is the Revision of the person who was checked, a condition of the
	// write; zero for none. It is not stored.
	PersonRevision int64 `json:"-"`
}

// PersonBasis is the condition of a write about a person. A zero field is no condition.
type PersonBasis struct {
	// HasAccount requires an account of the subject, disabled ones included.
	HasAccount bool

	// Revision is that of the Person that the caller has read.
	Revision int64
}

// AnyRevision and NoStatus stand for a revision in SetStatus: any status or none, and none.
const (
	AnyRevision int64 = -1
	NoStatus    int64 = 0
)

// SubjectFilter selects those with a value of an attribute that was recorded with a digest; all,
// without a handle. The zero Digest finds nobody.
type SubjectFilter struct {
	Handle string
	Find   Digest
}

// People stores attributes and statuses. A subject needs no account: a host with its own
// users records only these here.
type People interface {
	// Person returns the subject's data, empty if there is none. Statuses are in the byte
	// order of their groups.
	Person(ctx context.Context, subject string) (Person, error)

	// SetAttributes records values by handle; other handles keep theirs. A nil value, or
	// the JSON null, removes the handle. A value that is not JSON is an error and changes
	// nothing. find has the digests by which Subjects finds people, by handle; a value
	// without one is not found. ErrNotFound if the subject lacks the account of the basis,
	// ErrChanged if the person has another revision.
	SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, find map[string]Digest, on ...PersonBasis) error

	// SetOwnAttributes is SetAttributes for the owner of an account in this epoch without a
	// status that is pending, or verified and in force at the given time: the owner cannot
	// change what was checked. ErrChanged if the epoch has ended, ErrConflict if there is
	// such a status, ErrNotFound if there is no such account.
	SetOwnAttributes(ctx context.Context, accountID string, epoch int64, values map[string]json.RawMessage, find map[string]Digest, at time.Time) error

	// Subjects returns up to limit matching subjects with attributes after the given one, in a
	// stable order.
	Subjects(ctx context.Context, match SubjectFilter, after string, limit int) ([]string, error)

	// ReplaceAttribute replaces a value that is byte for byte the old one, and the digest by
	// which it is found; zero for none. ErrChanged if there is another value, or none. A
	// value that is not JSON is an error.
	ReplaceAttribute(ctx context.Context, subject, handle string, old, value json.RawMessage, find Digest) error

	// SetStatus records the status of one group in place of the one with this revision,
	// AnyRevision or NoStatus; the revisions of s are ignored. ErrChanged if another is
	// recorded, or the person has another revision than the basis; ErrNotFound if the
	// subject lacks the account of the basis. It is the word of the host: the Origin of s is
	// ignored as well, and the recorded one is empty.
	SetStatus(ctx context.Context, subject string, s Status, replaced int64, on ...PersonBasis) error

	// RemoveStatus removes the status of one group. It returns nil if there is none.
	RemoveStatus(ctx context.Context, subject, group string) error

	// EndStatuses notes that up to limit verified statuses have ended by now, and records an event
	// of each, which it returns: event makes it, and does nothing but compute. Of any number of
	// concurrent calls one does, for each status as it is recorded: exactly once.
	EndStatuses(ctx context.Context, now time.Time, limit int, event func(subject, group string) Event) ([]Event, error)
}

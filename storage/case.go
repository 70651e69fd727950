package storage

import (
	"context"
	"time"
)

// Case is one attempt of a subject to become, or stay, a verified member of a group. At
// most one case of a subject and a group is open at a time; ended ones are kept.
type Case struct {
	// ID sorts in the order in which cases are started.
	ID      string
	Subject string
	Group   string
	State   CaseState

	// Version is unique to each recorded case; the store assigns it. A move names the one
	// that it was decided on.
	Version int64

	// StatusRevision is the Revision of the subject's status in the group when the case
	// started or last recorded one, NoStatus for none; the store assigns it. An approval
	// requires that this status still stands: the word of the host in the meantime wins.
	StatusRevision int64

	// Renewal reports that the subject was verified when the case started.
	Renewal bool

	// Appeals is the ID of the declined case that this one appeals against, or empty. A
	// case can be appealed against once.
	Appeals string

	// Method is the name of the method in progress, or of the one that decided; empty
	// before the first.
	Method string

	// Round counts how often the case has come to review. Escalated cases are for senior
	// reviewers.
	Round     int
	Escalated bool

	// TakenBy is the reviewer who works on the case until TakenUntil; the store assigns
	// both (Reviews.TakeCase). They end with each move.
	TakenBy    string
	TakenUntil time.Time

	CreatedAt time.Time

	// DueAt is when a review was promised; zero before review. A case in review has one: the
	// store refuses it otherwise.
	DueAt time.Time

	// NextAt is when something has to happen without the subject, such as the end of an
	// unfinished case or a reminder; zero for never.
	NextAt time.Time

	// EndedAt is when the case reached its final state; zero before. The store refuses a
	// final case without, and any other with one.
	EndedAt time.Time

	// Content is the rest of the case, encrypted by the caller.
	Content []byte
}

// CaseState is the state of a case.
type CaseState string

// The states of a case. The last four are final.
const (
	// CaseOpen waits for the subject.
	CaseOpen CaseState = "open"
	// CasePending waits for a machine or a third party.
	CasePending CaseState = "pending"
	// CaseReview waits for a reviewer.
	CaseReview CaseState = "review"

	CaseApproved  CaseState = "approved"
	CaseDeclined  CaseState = "declined"
	CaseWithdrawn CaseState = "withdrawn"
	CaseExpired   CaseState = "expired"
)

// IsFinal reports whether a case in this state has ended.
func (s CaseState) IsFinal() bool {
	switch s {
	case CaseApproved, CaseDeclined, CaseWithdrawn, CaseExpired:
		return true
	default:
		return false
	}
}

// CaseReference is the name that a method or a third party gave to a case.
type CaseReference struct{ Method, Reference string }

// LeftReference is a name that another side has given to a case which is gone, and with it the
// person, and under which that side still has to delete what it keeps.
type LeftReference struct {
	ID            string
	Group, Method string

	// Sealed is the reference, which the provider has encrypted.
	Sealed []byte

	LeftAt, NextAt time.Time
}

// CaseFilter selects cases. All nonzero fields must match.
type CaseFilter struct {
	Subject string
	Group   string
	State   CaseState

	// Reference selects the case with this name, a final one included.
	Reference *CaseReference

	// Reviewer selects the cases in review that a reviewer may take ([Reviews]), those included
	// that others have taken; DueAfter and AfterID, with a Reviewer, those that are due after this
	// case: the next page.
	Reviewer *Reviewer
	DueAfter time.Time
	AfterID  string

	// BeforeID selects cases with a lower ID: the next page.
	BeforeID string

	// Limit is the maximum number of cases; 100 if zero.
	Limit int
}

// CaseMove is a change of a case, with everything that has to happen in the same step.
type CaseMove struct {
	// Case is the case as it will be. Its ID and Version name the recorded one that it
	// replaces; ID, Subject, Group, Renewal, Appeals and CreatedAt never change.
	Case Case
	At   time.Time

	// References are new names of the case.
	References []CaseReference

	// Message is the identifier of a received message, which is applied at most once for
	// the Method of the case; empty for none.
	Message string

	// Decision is recorded with the move; nil for none. A move to CaseReview, CaseOpen or a
	// final state by a reviewer has one.
	Decision *Decision

	// Status is recorded in place of that with the StatusRevision of the case, with the ID
	// of the case as its Origin; nil records none.
	Status *Status

	// Fingerprints are what proved the membership. Each is bound to the subject of the case
	// as long as the status is in force and, for a while, after that.
	Fingerprints []Fingerprint

	// EvidenceUntil is the time at which the evidence of the case is shredded, unless it is
	// held; zero leaves that as it is.
	EvidenceUntil time.Time
}

// Fingerprint is a keyed digest of a proof, such as an address or a row of a roster. It is
// bound to one subject at a time: one proof, one person.
type Fingerprint struct {
	Group  string
	Kind   string
	Digest Digest

	// Until is when it becomes free; zero for as long as the status is in force
	// (Cases.EndStatus).
	Until time.Time
}

// BoundFingerprint is a fingerprint with the case that it was recorded for.
type BoundFingerprint struct {
	Fingerprint
	Subject string
	CaseID  string
}

// StatusEnd ends the status that a case has recorded.
type StatusEnd struct {
	CaseID string
	At     time.Time

	// Reason is for the Status, which is then neither verified nor pending.
	Reason string

	// FreeAt is when the fingerprints of the case become free.
	FreeAt time.Time
}

// Cases stores cases.
type Cases interface {
	// StartCase records an open case, unless the subject has one that is not final for the
	// group: then it returns that one and reports false. After is the ID of the latest case
	// of the subject for the group that was read, empty for none, and the ID of c is later.
	// ErrChanged if there has been another since: it may bar this one, or be the appeal that
	// c is to be. ErrNotFound if the subject lacks the account of the basis.
	StartCase(ctx context.Context, c Case, after string, on PersonBasis) (started Case, created bool, err error)

	// Case returns a case. ErrNotFound if there is none.
	Case(ctx context.Context, id string) (Case, error)

	// Cases returns the matching cases, the latest first; those that wait for a reviewer in the
	// order of DueAt and ID.
	Cases(ctx context.Context, f CaseFilter) ([]Case, error)

	// MoveCase replaces a case that is not final. ErrChanged if it is gone or has another
	// version, or the person has another revision than that of the basis.
	// ErrEnded if it is final, its subject's account is gone or, unless the move ends the
	// case without an approval, has been disabled (where the basis requires one), or, with
	// a Status, another status stands than that of the case. ErrSpent if the message was applied before. ErrConflict if a reference exists,
	// and ErrTaken if a fingerprint is bound to another subject. ErrForbidden if the
	// reviewer of the decision may not decide: see Reviews. Any of them changes nothing.
	MoveCase(ctx context.Context, m CaseMove, on PersonBasis) (moved Case, err error)

	// DueCases returns up to limit cases whose NextAt is not after now, and moves it to
	// now + lease, so that each is returned to one caller at a time. Final cases with a
	// NextAt are among them. The version of a case stays.
	DueCases(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]Case, error)

	// PostponeCase sets the NextAt of a case of any state, and its Content if that is not
	// nil: then the case has another version afterwards. ErrChanged if it is gone or has
	// another version than the given one.
	PostponeCase(ctx context.Context, id string, version int64, next time.Time, content []byte) error

	// EndStatus ends the status that the case has recorded, and frees its fingerprints in
	// time. It reports whether that status was verified or pending until then, and its end by time not
	// noted (EndStatuses of [People]); another one
	// of the subject in the group, such as that of the host or of a later case, stays. A
	// renewal may still be approved after a status that had expired by then, and not after
	// one that ends early.
	EndStatus(ctx context.Context, e StatusEnd) (ended bool, err error)

	// Fingerprints returns up to limit bound fingerprints of a kind with a digest after the given
	// one, in order; with the name of a roster only those whose digest is not in the roster in
	// force, but for those that become free already: their status is to end. Nobody vanishes from
	// a roster without a generation in force.
	Fingerprints(ctx context.Context, group, kind string, after Digest, limit int, vanishedFrom ...string) ([]BoundFingerprint, error)

	// ForgetCase removes a case as ForgetCases does, and records what other sides still have to
	// delete of it. ErrChanged if it is gone or has another version.
	ForgetCase(ctx context.Context, id string, version int64, left ...LeftReference) error

	// DueReferences returns up to limit references whose NextAt is not after now, and moves it
	// to now + lease, so that each is returned to one caller at a time.
	DueReferences(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]LeftReference, error)

	// SettleReference sets the NextAt of a reference, or removes it if that is zero. It does
	// nothing if it is gone.
	SettleReference(ctx context.Context, id string, next time.Time) error

	// ForgetCases removes the cases of a subject with their decisions and fingerprints,
	// shreds their evidence, held or not, forgets which codes the subject has redeemed, and
	// replaces the subject as a reviewer by a pseudonym. It changes at most limit records of
	// each kind and returns their number; the caller repeats until zero.
	ForgetCases(ctx context.Context, subject, pseudonym string, limit int) (removed int, err error)
}

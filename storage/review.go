package storage

import (
	"context"
	"time"
)

// Decision is what a reviewer decided about a case. Decisions are kept as long as the case.
type Decision struct {
	// ID sorts in the order in which decisions are made.
	ID     string
	CaseID string
	Kind   DecisionKind

	// Reviewer is the reviewer's name in the system that admits reviewers, and Subject the
	// user of the provider that the reviewer is, or empty.
	Reviewer string
	Subject  string

	// Round is that of the case; the store assigns it.
	Round int

	At time.Time

	// Undone reports that the reviewer took it back before it was carried out.
	Undone bool

	// Content is the rest, such as reasons and a note, encrypted by the caller.
	Content []byte
}

// DecisionKind is the kind of a decision.
type DecisionKind string

// The kinds of decisions.
const (
	DecisionApprove  DecisionKind = "approve"
	DecisionDecline  DecisionKind = "decline"
	DecisionAskAgain DecisionKind = "ask_again"
	// DecisionEscalate hands a case to senior reviewers.
	DecisionEscalate DecisionKind = "escalate"
	// DecisionRecuse hands a case on for good: the reviewer knows the person.
	DecisionRecuse DecisionKind = "recuse"
	// DecisionOverride is an approval without the evidence that the policy requires.
	DecisionOverride DecisionKind = "override"
)

// Reviewer is somebody who decides cases.
type Reviewer struct {
	// ID and Subject are those of a Decision.
	ID      string
	Subject string

	// Groups are the groups whose cases the reviewer may take; nil for all.
	Groups []string

	// Senior reviewers take escalated cases, too.
	Senior bool
}

// Reviews stores the work of reviewers. A reviewer may take and decide a case in review
// that is not their own (neither ID nor Subject is its subject), of which they have not
// recused themselves, of which they have no decision in the same round but for undone ones,
// and that does not appeal against a case with a decision of theirs. A decision also
// requires that they have taken the case, and that the time is not over.
type Reviews interface {
	// TakeCase gives a reviewer the case with this ID or, if that is empty, the one with
	// the earliest DueAt of those that nobody else has taken, until a time. Another case
	// that the reviewer has taken is given back in the same step. Concurrent calls get
	// different cases. ErrNotFound if there is none that the reviewer may take.
	TakeCase(ctx context.Context, r Reviewer, id string, now, until time.Time) (Case, error)

	// ReturnCase gives back a case that the reviewer has taken. ErrSpent if another reviewer
	// has it, or none.
	ReturnCase(ctx context.Context, reviewer, id string) error

	// UndoDecision takes back a decision of the reviewer that has not been carried out,
	// with a move of the case, in one step, and the reviewer has the case until a time.
	// ErrChanged if the case has another version or the decision is undone.
	UndoDecision(ctx context.Context, id, reviewer string, m CaseMove, until time.Time) (Case, error)

	// Decisions returns the decisions about a case, the earliest first.
	Decisions(ctx context.Context, caseID string) ([]Decision, error)

	// CaseNumbers counts, for each group, method and state, in that order, the cases that
	// started from a time on and before another, and those in review at present.
	CaseNumbers(ctx context.Context, from, to time.Time) ([]CaseNumber, error)
}

// CaseNumber counts the cases of one group, method and state.
type CaseNumber struct {
	Group  string
	Method string
	State  CaseState

	// Count is how many started in the period, and Late how many of them ended after their
	// DueAt or, if they have not ended, were due before the end of the period.
	Count int
	Late  int

	// Waiting is how many are in review at present, whenever they started, and Oldest the
	// earliest DueAt of these; zero for any other state.
	Waiting int
	Oldest  time.Time
}

package verification

import (
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// The errors of the verbs. A failing store is a storage.ErrUnavailable.
var (
	// ErrNoCase means that there is no such case, or that it is somebody else's.
	ErrNoCase = errors.New("verification: no such case")

	// ErrNoPolicy means that nobody can be verified in the group, or not any more.
	ErrNoPolicy = errors.New("verification: no policy for the group")

	// ErrNotNow means that the case has moved on, so that the action no longer fits. Read
	// it again.
	ErrNotNow = errors.New("verification: the case has moved on")

	// ErrForbidden means that the reviewer may not do this with the case: see
	// storage.Reviews.
	ErrForbidden = errors.New("verification: the reviewer may not decide this case")
)

// LimitError means that a person has tried too often.
type LimitError struct {
	// Wait is the time until another try; zero for not in this case.
	Wait time.Duration
}

// Error implements error.
func (e LimitError) Error() string {
	return fmt.Sprintf("verification: too many tries; wait %v", e.Wait)
}

// Request is what a case begins with.
type Request struct {
	// UserID is the user, and Group a group with a policy.
	UserID, Group string

	// ClientID is the application that the person comes from, and ReturnTo the
	// provider.Verification.ReturnTo, for this person and of that application. Both may be
	// empty. In an open case they replace the former ones.
	ClientID, ReturnTo string

	// Language is the BCP 47 tag of the person's language.
	Language string

	// Appeals is the ID of a declined case that the person appeals against, or empty.
	Appeals string
}

// RecordedCase is a case with what is known about it.
type RecordedCase struct {
	ID, UserID, Group string
	Version           int64

	// State is that of the store, but review while a decision waits to be carried out.
	State storage.CaseState

	// Unreadable reports that the content of the case cannot be decrypted, as after damage or
	// with a key that is gone: then only what the storage.Case has is known. Verbs on such a
	// case fail.
	Unreadable bool

	// Method is the method in progress, or the one that decided; empty for none.
	Method  string
	Renewal bool
	Appeals string

	// Methods are the methods of the rule in its order, and Step is what the person has to
	// do now, or what the other side works on: an Ask, SendCode, Upload, GoTo or Wait; nil
	// for none.
	Methods []MethodState
	Step    Result

	// Reasons are why the case was sent back, or how it ended. They are for reviewers; a
	// person reads their Public ones.
	Reasons []Reason

	// Choices are the methods that the person can begin, or begin again.
	Choices []string

	// Claimed is the name that the person says the files have; empty for none, and once the
	// case has ended.
	Claimed string

	// Facts are what a reviewer should know. WholeCase reports that reviewers decide about
	// what speaks against the case, not about one method.
	Facts     []Text
	WholeCase bool

	// Member is the membership that was found; nil for none. Until zero is for ever.
	Member *Membership

	// CreatedAt, DueAt and EndedAt are as in the storage.Case. FinishBy is when an open case
	// expires, RetryFrom when a declined one can be followed by another; each may be zero.
	CreatedAt, DueAt, EndedAt, FinishBy, RetryFrom time.Time

	// CanAppeal reports whether the person can ask for another decision.
	CanAppeal bool

	// Round, Escalated, TakenBy and TakenUntil are as in the storage.Case.
	Round      int
	Escalated  bool
	TakenBy    string
	TakenUntil time.Time

	// Waiting is a decision that its reviewer can take back until a time; nil for none.
	Waiting *WaitingDecision

	// ClientID is the application that the person came from, or empty, and Language the
	// person's.
	ClientID, Language string
}

// MethodState is a method in a case.
type MethodState struct {
	// Name is that of the Verifier.
	Name string

	// State is empty before the method was chosen; asked, waiting, review, accepted, failed
	// (it can be tried again) or refused.
	State    string
	Attempts int
	Reasons  []Reason
}

// Membership is what was found about a person.
type Membership struct {
	Subgroups []string
	Until     time.Time
	Source    string
	Method    string
}

// WaitingDecision is a decision that has not been carried out.
type WaitingDecision struct {
	Kind       storage.DecisionKind
	Reviewer   string
	UndoBefore time.Time
}

// Decision is what a reviewer decides.
type Decision struct {
	Kind storage.DecisionKind

	// Reasons are why not; a decline and a request for more have at least one.
	Reasons []Reason

	// Note is for other reviewers, at most 2000 characters. ReasonOther, an override and an
	// escalation require one.
	Note string

	// Subgroups and Until are those of an approval. An Until of zero, or later than that of
	// the policy, is that of the policy.
	Subgroups []string
	Until     time.Time

	// Kinds are the requirements whose files are asked for again; empty for all.
	Kinds []string

	// NameMatches says that the files have the name that the person gave, RecordedCase.Claimed.
	// An approval of a Verifier with ComparesName requires it.
	NameMatches bool

	// Answers are what the reviewer has seen about each requirement, in the order of its
	// Must. It is kept.
	Answers map[string][]bool
}

// RecordedDecision is a decision, as recorded.
type RecordedDecision struct {
	Decision
	Reviewer string
	Round    int
	At       time.Time
	Undone   bool

	// Unreadable reports that all of the Decision but its Kind cannot be decrypted.
	Unreadable bool
}

package storage

import (
	"context"
	"time"
)

// Plan is an action on a frozen list of targets that another member of the staff approves.
type Plan struct {
	// ID sorts in the order in which plans are proposed.
	ID string

	// Action names what is done to each target, Kind what a target is: KindPerson, or
	// another.
	Action, Kind string

	// Reason is one of a fixed list. Content is the rest, such as the values of the action
	// and a note, encrypted by the caller.
	Reason  string
	Content []byte

	// Digest is of all that was shown to who proposed it: who approves has seen the same.
	Digest Digest

	State PlanState

	// ProposedBy is the ID of the staff or client that proposed it; ApprovedBy is who
	// approved or refused it.
	ProposedBy, ApprovedBy string
	ProposedAt, DecidedAt  time.Time

	// ProposedAs and ApprovedAs are the IDs of the users as whom the two were signed in, by
	// which their roles are asked again; empty for who was no user.
	ProposedAs, ApprovedAs string

	// ExpiresAt is the end of the time to approve it. NotBefore is when it may run; zero
	// for at once. EndedAt is when it was done, stopped or refused.
	ExpiresAt, NotBefore, EndedAt time.Time

	// Targets is the number of its targets, Done and Skipped how many of them are.
	Targets, Done, Skipped int
}

// KindPerson is the Kind of plans whose targets are people. Who is deleted has a pseudonym
// there.
const KindPerson = "person"

// PlanMove is a step of a plan to another state.
type PlanMove struct {
	// To is PlanRunning for an approval, PlanStopped for the end of a plan that waits or runs, and
	// PlanDone for that of one of which no target waits.
	To PlanState
	// Staff takes the step at At. Who approves is signed in as the user As; empty for who is no
	// user.
	Staff, As string
	At        time.Time
	// Digest is that of what was shown to who approves.
	Digest Digest
	// NotBefore is when an approved plan may run; zero for at once.
	NotBefore time.Time
}

// PlanState is the state of a plan.
type PlanState string

// The states of a plan. A proposed one past its ExpiresAt is over, though its state stays.
const (
	PlanProposed PlanState = "proposed"
	PlanRunning  PlanState = "running"
	PlanStopped  PlanState = "stopped"
	PlanRefused  PlanState = "refused"
	PlanDone     PlanState = "done"
)

// TargetID names a target of a plan: the place in its list, from 1.
type TargetID struct {
	Plan   string
	Number int
}

// PlanTarget is one target of a plan.
type PlanTarget struct {
	Number int
	// ID is that of a person, an application or an organization, as the plan's Kind says.
	ID string
	// Revision is that of the target when the plan was proposed.
	Revision string
	State    TargetState
	// Why says why it was skipped, a name from a fixed list.
	Why string
	// BegunAt is when an act on a waiting one was begun that is not known to be done (Deed.InParts),
	// by the At of its DeedBasis; zero for none.
	BegunAt time.Time
}

// TargetState is the state of a target.
type TargetState string

// The states of a target.
const (
	TargetWaiting TargetState = "waiting"
	TargetDone    TargetState = "done"
	TargetSkipped TargetState = "skipped"
)

// PlanFilter selects plans. All nonzero fields must match.
type PlanFilter struct {
	// ID selects the one with this ID, which is none if it is empty.
	ID *string

	State      PlanState
	ProposedBy string
	// BeforeID selects those with a lower ID: the next page.
	BeforeID string
	// DueAt selects running ones that may run at that moment, if it is zero those that wait for none;
	// AfterID, with it, those with a higher ID: the next page.
	DueAt   *time.Time
	AfterID string
	// Limit is the maximum number; 100 if zero.
	Limit int
}

// Plans stores the plans of the staff.
type Plans interface {
	// CreatePlan records a proposed plan with its waiting targets, whose numbers are their
	// places. What is decided later of a plan or a target is ignored.
	// ErrConflict if the ID exists.
	CreatePlan(ctx context.Context, p Plan, targets []PlanTarget) error

	// Plans returns the matching plans, the latest first; those that are due the earliest first.
	Plans(ctx context.Context, match PlanFilter) ([]Plan, error)

	// PlanTargets returns up to limit targets of a plan with a number after the given one,
	// in their order; only those in a state unless that is empty.
	PlanTargets(ctx context.Context, plan string, state TargetState, after, limit int) ([]PlanTarget, error)

	// MovePlan takes a plan to another state. Of any number of concurrent calls one succeeds.
	//
	// An approval starts a proposed plan that has not expired at its time and has its digest, by
	// somebody other than who proposed it. ErrForbidden if the same staff or user has proposed it,
	// ErrChanged if it has another digest, ErrSpent if it is no longer proposed, ErrEnded if it has
	// expired, ErrNotFound if there is none.
	//
	// The end refuses a proposed plan, or stops a running one. ErrSpent if it is neither,
	// ErrNotFound if there is none. Who has proposed it may take it back.
	//
	// A running plan without a waiting target is done. ErrSpent if it is not running, or has one.
	MovePlan(ctx context.Context, id string, m PlanMove) error

	// SkipTarget records that a waiting target of a running plan was not acted on. ErrSpent
	// if it is not waiting, or the plan is not running.
	SkipTarget(ctx context.Context, t TargetID, why string) error
}

// Break is an act of one member of the staff alone that would have needed another, or a
// proof: it waits for another to sign it off.
type Break struct {
	// ID sorts in the order in which breaks are made.
	ID string

	Staff          string
	Action, Target string
	// Sentence is why, in the words of the staff, encrypted by the caller.
	Sentence []byte
	At       time.Time

	// Done reports that the act was carried out whole (Deed.InParts). Otherwise it is under way,
	// or has failed in between.
	Done bool

	// Told reports that the host was told of it.
	Told bool

	// SignedOffBy is who has signed it off, or empty.
	SignedOffBy string
	SignedOffAt time.Time
}

// BreakMark is what became of a break.
type BreakMark struct {
	// Told reports that the host was told; otherwise SignedOffBy has signed it off.
	Told bool

	SignedOffBy string
	SignedOffAt time.Time
}

// BreakFilter selects breaks.
type BreakFilter struct {
	// ID selects the one with this ID, which is none if it is empty.
	ID *string
	// Open selects those that nobody has signed off.
	Open bool
	// BeforeID selects those with a lower ID: the next page.
	BeforeID string
	// Limit is the maximum number; 100 if zero.
	Limit int
}

// Breaks stores what was done alone. A break is recorded by a Deed.
type Breaks interface {
	// Breaks returns the matching breaks, the latest first.
	Breaks(ctx context.Context, match BreakFilter) ([]Break, error)

	// MarkBreak records that the host was told of a break, or else that another member of the
	// staff has looked at it: ErrForbidden if it is the same, ErrSpent if it is signed off.
	// ErrNotFound if there is none.
	MarkBreak(ctx context.Context, id string, m BreakMark) error
}

// Answer is the response to a request with an idempotency key, for its repetition.
type Answer struct {
	// Client and Key identify the request.
	Client string
	Key    Digest
	// Body is the digest of the request's method, address and body: with another one the
	// key is used twice.
	Body Digest
	// Status is the status of the response, Content its body, encrypted by the caller. One that
	// is only begun (Deed.InParts) is read with the status zero.
	Status    int
	Content   []byte
	ExpiresAt time.Time
}

// Answers stores responses. An answer is recorded by a Deed.
type Answers interface {
	// Answer returns the answer to a request that has not expired at now.
	Answer(ctx context.Context, client string, key Digest, now time.Time) (Answer, error)
}

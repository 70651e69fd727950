package plans

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
)

// The fields and actions of the forms.
const (
	FieldName     = desk.FieldName
	FieldTargets  = desk.FieldTargets
	FieldLines    = desk.FieldLines
	FieldMatter   = desk.FieldMatter
	FieldRevision = desk.FieldRevision
	FieldReason   = "plan_reason"
	FieldNote     = "note"
	FieldShown    = "shown"
	FieldCount    = "count"
	FieldSentence = "sentence"
	FieldBreak    = "break"

	ActionCheck   = desk.ActionCheck
	ActionDraft   = desk.ActionDraft
	ActionChange  = "change"
	ActionPropose = "propose"
	ActionApprove = "approve"
	ActionEnd     = "end"
	ActionAlone   = "alone"
	ActionSignOff = "sign_off"
)

// State is what has become of a plan.
type State string

// The states.
const (
	StateWaiting   State = "waiting"
	StateExpired   State = "expired"
	StateScheduled State = "scheduled"
	StateRunning   State = "running"
	StateStopped   State = "stopped"
	StateRefused   State = "refused"
	StateDone      State = "done"
)

// Proof is what the caller had proved when a plan was proposed.
type Proof string

// The proofs.
const (
	ProofNone    Proof = "none"
	ProofMailbox Proof = "mailbox"
	ProofSession Proof = "session"
)

// TargetState is what has become of a target.
type TargetState string

// The states of targets.
const (
	TargetWaiting TargetState = "waiting"
	TargetDone    TargetState = "done"
	TargetSkipped TargetState = "skipped"
)

// PlansView lists plans, the latest first.
type PlansView struct {
	Page
	// NewURL leads to a new plan for many; empty for who may not propose one.
	NewURL  string
	Plans   []Row
	MoreURL string
}

// Row is a plan in a list.
type Row struct {
	URL string
	// Action is the name of the action.
	Action  string
	State   State
	Targets int
	// Done and Skipped are how many of the targets are.
	Done, Skipped int
	By            string
	// Yours reports that who reads it has proposed it.
	Yours     bool
	At, Until time.Time
}

// NewView offers the actions that can be done to many.
type NewView struct {
	Page
	PlansURL string
	Actions  []ActionLink
}

// ActionLink leads to the form of an action.
type ActionLink struct{ Action, URL string }

// ManyView is the form of a plan for many. It posts [ui.FieldAction] with [ActionCheck], and
// [FieldName], [FieldTargets], [FieldReason], [FieldNote] and the fields of the action, as
// multipart/form-data.
type ManyView struct {
	Page
	ui.Form
	NewURL  string
	Action  string
	Fields  []Value
	Targets string
	Reasons []ui.Option
	Note    string
}

// Value is a value of an action.
type Value struct{ Name, Value string }

// DraftView is what a dry run has found. It posts what it was made of again, with [FieldShown] and
// [ui.FieldAction] with [ActionPropose], or with [ActionChange] if it is of a list.
type DraftView struct {
	Page
	ui.Form
	// Changed reports that it is no longer what was shown before.
	Changed bool
	// BackURL leads back to the person or the application that it is about; empty for a list.
	BackURL string
	Action  string
	Values  []Value
	Count   int
	Facts   []desk.ActFact
	Left    []Left
	// First are the IDs of the first targets of a list.
	First []string
	// Reasons is empty where the reason is that of the matter. Note is what was entered.
	Reasons []ui.Option
	Note    string
	// AskNote asks for a note, which a list already has.
	AskNote bool
	// AloneURL leads to doing it alone; empty where nobody may.
	AloneURL string
}

// Left is how many targets are left out or skipped, and why.
type Left struct {
	Why   string
	Count int
}

// PlanView is one plan. It posts [ui.FieldAction] with [ActionApprove], [FieldShown] and, for
// many, [FieldCount], or with [ActionEnd].
type PlanView struct {
	Page
	ui.Form
	Row
	PlansURL string
	// Altered reports that the plan is not what was proposed.
	Altered bool
	// Reason is why, in words of the reader; the zero Label for none.
	Reason ui.Label
	Note   string
	Values []Value
	Facts  []desk.ActFact
	Left   []Left
	// Person reports that it is about one person, of whom Proof is what the caller had proved.
	Person bool
	Proof  Proof
	// DecidedBy and DecidedAt are empty before there is a decision.
	DecidedBy string
	DecidedAt time.Time
	// NotBefore is when it happens; zero for at once.
	NotBefore time.Time
	First     []Target
	CSVURL    string
	// Skips are why targets were skipped.
	Skips []Left
	// Shown is the digest that an approval is about.
	Shown string
	// MayApprove, MayRefuse, MayTakeBack and MayStop are what the reader may do.
	MayApprove, MayRefuse, MayTakeBack, MayStop bool
}

// Target is one target of a plan.
type Target struct {
	Number int
	ID     string
	State  TargetState
	Why    string
}

// AloneView is the form of what somebody does alone. It posts what it was made of again, with
// [FieldSentence] and [ui.FieldAction] with [ActionAlone].
type AloneView struct {
	Page
	ui.Form
	BackURL string
	Action  string
	Target  string
	// Entries are the values that are asked for, Values those that were looked at.
	Entries, Values []Value
	Facts           []desk.ActFact
	// Left is why there is nothing to do; empty for what can be done.
	Left     []Left
	Sentence string
}

// AloneDoneView is shown after something was done alone that shows a value.
type AloneDoneView struct {
	Page
	Shown     string
	BreaksURL string
}

// BreaksView lists what was done alone. It posts [FieldBreak] and [ui.FieldAction] with
// [ActionSignOff].
type BreaksView struct {
	Page
	ui.Form
	// All reports that those that are signed off are listed as well; OtherURL leads to the
	// other list.
	All      bool
	OtherURL string
	Breaks   []Break
	MoreURL  string
}

// Break is what somebody did alone.
type Break struct {
	ID, By   string
	Yours    bool
	At       time.Time
	Action   string
	Target   string
	Sentence string
	// Told reports that the host was told, Overdue that it waits too long, Unfinished that it was
	// begun, and is not known to be done.
	Told, Overdue, Unfinished bool
	// SignedOffBy is empty for one that waits.
	SignedOffBy string
	SignedOffAt time.Time
	MaySignOff  bool
}

// BannerView says on every page of operators that things were done alone, and how many.
type BannerView struct {
	Locale *ui.Locale
	Count  int
	URL    string
}

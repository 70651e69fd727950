package desk

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// State is the state of a case.
type State string

// The states.
const (
	StateOpen      State = "open"
	StatePending   State = "pending"
	StateReview    State = "review"
	StateApproved  State = "approved"
	StateDeclined  State = "declined"
	StateWithdrawn State = "withdrawn"
	StateExpired   State = "expired"
)

// The fields and actions of the forms of the desk.
const (
	FieldCase      = "case"
	FieldVersion   = "version"
	FieldAnswer    = "answer" // with a dot, the requirement, a dot and the number of the question
	FieldSubgroup  = "subgroup"
	FieldUntil     = "until"
	FieldReasons   = "reasons"
	FieldNote      = "note"
	AnswerYes      = "yes"
	AnswerNo       = "no"
	ActionNext     = "next"
	ActionTake     = "take"
	ActionUndo     = "undo"
	ActionReturn   = "return"
	ActionApprove  = "approve"
	ActionAskAgain = "ask_again"
	ActionDecline  = "decline"
	ActionEscalate = "escalate"
	ActionRecuse   = "recuse"
	ActionOverride = "override"
)

// InboxView lists what is waiting. It posts [ui.FieldAction] with [ActionNext], or with
// [ActionTake] and [ActionUndo] and [FieldCase].
type InboxView struct {
	Page
	ui.Form
	// Undo is the decision that can be taken back for a few seconds; nil for none.
	Undo *Undo
	// Mine is the case that the reviewer has; nil for none.
	Mine  *Waiting
	Cases []Waiting
	// MoreURL leads to the next page; empty for none.
	MoreURL string
}

// Undo is a decision that can be taken back.
type Undo struct {
	Case    string
	Seconds int
}

// Waiting is a case in the inbox.
type Waiting struct {
	ID string
	// URL leads to it; empty where it is not the reviewer's.
	URL   string
	Group ui.Label
	// Method is what is reviewed; the zero Label is the whole case.
	Method ui.Label
	Due    time.Time
	// Late reports that the promise is over.
	Late bool
	// Taken reports that another reviewer has it, and Unreadable that nobody can: it is damaged.
	Taken, Unreadable          bool
	Renewal, Appeal, Escalated bool
}

// CaseView is a case that the reviewer has taken. It posts [FieldVersion] and
// [ui.FieldAction] with one of the decisions and their fields, or with [ActionReturn].
type CaseView struct {
	Page
	ui.Form
	Version string
	Group   ui.Label
	// Person is the name that the account has; empty for none.
	Person string
	// ComparesName reports that the files must have the name Claimed, which the person has
	// given; empty for none: then nobody can approve. NameMatches is [AnswerYes], [AnswerNo]
	// or empty, posted as [FieldName].
	ComparesName         bool
	Claimed, NameMatches string
	// Method is what is reviewed; the zero Label is the whole case.
	Method ui.Label
	Due    time.Time
	// TakenUntil is when others may take it.
	TakenUntil                 time.Time
	Renewal, Appeal, Escalated bool

	// Source and Found are what a method has found; empty for nothing.
	Source string
	Found  []ui.Label
	Facts  []ui.Label

	// Before are the decisions of others about an escalated case.
	Before []Opinion

	Evidence []Evidence

	// Subgroups can be chosen, Until is a day (2006-01-02).
	Subgroups []ui.Option
	Until     string
	Reasons   []ReasonOption
	Note      string

	// NeedsOverride reports that nothing supports an approval, which then is an override.
	NeedsOverride bool
	// MayEscalate reports that there is somebody to hand the case to.
	MayEscalate bool
}

// Evidence is a file of a case, with what it must show.
type Evidence struct {
	// ID is that of its element, and Title what it is.
	ID    string
	Title ui.Label
	// URL opens it for a few minutes; empty where it is gone. Picture shows it on the page.
	URL       string
	Picture   bool
	Questions []Question
	// Alike is in how many cases of other people there is a file like it, and Programs are
	// those that it said it was made with.
	Alike    int
	Programs []string
}

// Question is about one thing that a file must show.
type Question struct {
	Field string
	Text  ui.Label
	// Answer is [AnswerYes], [AnswerNo] or empty.
	Answer string
}

// Opinion is what another reviewer has decided and noted. Action is that of a decision.
type Opinion struct {
	Action  string
	Reasons []string
	Note    string
}

// ReasonOption is a reason that can be chosen.
type ReasonOption struct {
	Reason string
	Chosen bool
}

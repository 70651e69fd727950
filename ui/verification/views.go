package verification

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields of the forms, besides those of package ui.
const (
	// FieldMethod is the name of the chosen method.
	FieldMethod = "method"

	// FieldVersion is the version of the case that the user has seen.
	FieldVersion = "version"

	// FieldAnswer is before the name of each field of an [AskView].
	FieldAnswer = "answer_"

	// ActionOther is the ui.FieldAction that returns to the choice of methods.
	ActionOther = "other"
)

// CasePage is what every page about one group has around its own content.
type CasePage struct {
	ui.Page
	Notice Notice

	// Group is what the user is verified as.
	Group ui.Label

	// Steps are those of which all have to be taken; none are shown if there is only one.
	Steps []Step

	// ListURL leads back to the list, WithdrawURL to the page that ends the case. Empty
	// shows no link.
	ListURL, WithdrawURL string

	// KeptUntil is the end of the status that the user has in the meantime; zero for none.
	KeptUntil time.Time

	// ApplicationURL is where the user continues at the application that they came from, which is
	// the Client of the page; empty for none.
	ApplicationURL string

	// Simulation is what the user of a sandbox can choose; nil for nothing.
	Simulation *Simulation
}

// Step is one of several that all have to be taken, by any of its ways.
type Step struct {
	Ways  []ui.Label
	State StepState
}

// StepState is whether a step has been taken.
type StepState string

// The states of a step.
const (
	StepDone  StepState = "done"
	StepNow   StepState = "now"
	StepLater StepState = "later"
)

// ListView lists the groups that a user can be verified as a member of.
type ListView struct {
	ui.Page
	Notice Notice

	// Groups may be empty; the screen then says so.
	Groups []Group

	// AccountURL leads back to the account.
	AccountURL string
}

// Group is a group of the list, with the one thing that the user can do.
type Group struct {
	Label     ui.Label
	State     State
	Subgroups []ui.Label

	// Until is the end of the status, By the end of the time to finish or to answer. Zero
	// shows no date.
	Until, By time.Time

	// Source is where the membership is known from, VerifiedBy who has verified it and Method
	// how, or empty.
	Source, VerifiedBy, Method string

	// Decided is when a request was declined, AppealUntil how long a second look can be asked
	// for. Zero shows no date.
	Decided, AppealUntil time.Time

	// NoWay says that nobody can be verified in the group here.
	NoWay bool

	// Action is what the user can do at URL; empty for nothing.
	Action Action
	URL    string
}

// State is where a user stands with a group.
type State string

// The states of a group in the list.
const (
	StateUnverified State = "unverified"
	StateVerified   State = "verified"
	StateEnding     State = "ending" // verified, and it is time to renew it
	StateExpired    State = "expired"
	StateOpen       State = "open"
	StateSentBack   State = "sent_back"
	StatePending    State = "pending"
	StateReview     State = "review"
	StateDeclined   State = "declined"
)

// Action is what a user can do about a group.
type Action string

// The actions of the list.
const (
	DoVerify   Action = "verify"
	DoContinue Action = "continue"
	DoStatus   Action = "status"
	DoRenew    Action = "renew"
	DoResult   Action = "result"
)

// few is how many methods are shown open: each is one press away.
const few = 3

// ChooseView lets the user choose a method. It posts [FieldMethod].
type ChooseView struct {
	CasePage
	ui.Form

	// Renewal says that the user is verified and stays so.
	Renewal bool

	// Reasons are why the case was sent back; none for a new one.
	Reasons []Reason

	// Methods are in the order in which they are shown, the recommended one first.
	Methods []Method
}

// Method is a way to be verified.
type Method struct {
	Name               string
	Title, Asks, Keeps ui.Label

	// Takes is the usual time until the result; zero is at once.
	Takes time.Duration

	// Failed says that it can be tried again, Refused that it cannot.
	Failed, Refused bool

	// Reasons are why.
	Reasons []Reason
}

// AskView asks for the fields of a method. It posts them under their names after
// [FieldAnswer], and may post ui.FieldAction with [ActionOther].
type AskView struct {
	CasePage
	ui.Form
	Title  ui.Label
	Fields []Field

	// Reasons are why the case was sent back.
	Reasons []Reason

	// CanChoose shows the way back to the choice of methods.
	CanChoose bool
}

// Field is a field of an AskView. Kind is text, email, date or code.
type Field struct {
	Name, Kind, Value, Autocomplete string
	Label, Hint                     ui.Label
	Example                         string // behind Hint
	Optional                        bool
}

// CodeView asks for a mailed code. It posts ui.FieldCode, or ui.FieldAction with
// ui.ActionResend or [ActionOther].
type CodeView struct {
	CasePage
	ui.Form
	Email    string
	ValidFor time.Duration
}

// ElsewhereView leads to a page elsewhere. It may post ui.FieldAction with [ActionOther].
type ElsewhereView struct {
	CasePage
	ui.Form

	// URL is the page, and Host its host; empty for a page of this host.
	URL, Host string

	// Until is how long it can be used; zero for as long as the case is open.
	Until time.Time

	// AgainURL is this page.
	AgainURL string

	// CanChoose shows the way back to the choice of methods.
	CanChoose bool
}

// PendingView says what happens without the user.
type PendingView struct {
	CasePage

	// Review says that a person looks at it.
	Review bool

	// By is when a result was promised, Late that this is over, and Expected when the other
	// side said that it would know more. Zero shows no time.
	By, Expected time.Time
	Late         bool

	// Mailed says that the user gets a mail.
	Mailed bool
}

// DeclinedView says that the user was not verified, and what is left to do.
type DeclinedView struct {
	CasePage
	Renewal bool
	Reasons []Reason

	// RetryFrom is when the user can start again at StartURL; with the zero time at once.
	// Empty shows no link.
	RetryFrom time.Time
	StartURL  string

	// AppealURL is where the user can ask for another decision until AppealUntil; empty if
	// that is over.
	AppealURL   string
	AppealUntil time.Time
}

// ApprovedView says that the user is verified.
type ApprovedView struct {
	CasePage
	Subgroups []ui.Label

	// Until is the end; zero for none. RenewFrom is when it can be renewed; zero for no
	// date.
	Until, RenewFrom time.Time
	Source           string
}

// EndedView says that a case has ended without a result.
type EndedView struct {
	CasePage
	How Ending
	On  time.Time

	// StartURL starts again; empty shows no link.
	StartURL string
}

// Ending is how a case has ended without a result.
type Ending string

// The endings.
const (
	EndingExpired   Ending = "expired"
	EndingWithdrawn Ending = "withdrawn"
	EndingClosed    Ending = "closed"

	// EndingSuperseded is for a status that was set in another way meanwhile.
	EndingSuperseded Ending = "superseded"
)

// WithdrawView asks whether to end a case. It posts nothing but Form.Hidden.
type WithdrawView struct {
	CasePage
	ui.Form

	// CancelURL leads back to the case.
	CancelURL string
}

// AppealView asks whether to have a case decided again. It posts nothing but Form.Hidden.
type AppealView struct {
	CasePage
	ui.Form
	Reasons []Reason

	// CancelURL leads back to the case.
	CancelURL string
}

// Notice is what has just happened.
type Notice string

// The notices.
const (
	// NoticeCodeSent says that another code is on its way.
	NoticeCodeSent Notice = "code_sent"

	// NoticeFileReceived asks to look at a file that has arrived, NoticeFileRemoved says
	// that it is deleted.
	NoticeFileReceived Notice = "file_received"
	NoticeFileRemoved  Notice = "file_removed"
)

// Reason is why something was not accepted, by the names of package
// provider/verification. An unknown one reads as [ReasonOther].
type Reason string

// ReasonOther says no more than that it could not be accepted.
const ReasonOther Reason = "other"

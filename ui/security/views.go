package security

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields of the forms, besides those of package ui.
const (
	// FieldCredential names a passkey.
	FieldCredential = "credential"

	// FieldDevice names a trusted device.
	FieldDevice = "device"

	// FieldLink names a connected account.
	FieldLink = "link"

	// FieldSecret is the sealed secret of an app that is being set up, and FieldCodes are
	// sealed recovery codes to be downloaded.
	FieldSecret = "secret"
	FieldCodes  = "codes"
)

// The values of ui.FieldAction.
const (
	// ActionForget ends the trust in the device of FieldDevice, ActionForgetAll in all.
	ActionForget    = "forget"
	ActionForgetAll = "forget_all"
)

// HomeView shows how the owner of an account can sign in. It posts ui.FieldAction with
// [ActionForget] and [FieldDevice], or with [ActionForgetAll]; or what a [ui.UpstreamButton]
// does.
type HomeView struct {
	ui.Page
	ui.Form
	Notice Notice

	// Passkeys are the earliest first. AddPasskeyURL leads to the page that adds one; empty
	// shows no link. MaxPasskeys is how many there may be, if there are as many.
	Passkeys      []Passkey
	AddPasskeyURL string
	MaxPasskeys   int

	// HasPassword says whether there is a password, PasswordChanged since when; zero shows no
	// date. PasswordURL leads to the page that changes or sets it; empty shows no card.
	HasPassword     bool
	PasswordChanged time.Time
	PasswordURL     string

	// App is the authenticator app, or nil. AppURL leads to the page that sets one up, and
	// RemoveAppURL to the one that removes it; empty shows no link.
	App                  *App
	AppURL, RemoveAppURL string

	// CodesLeft is the number of unspent recovery codes, CodesMade when they were made; zero
	// for never. CodesURL leads to the page that makes new ones; empty shows no card.
	// CodesMissing warns of an account that should have some.
	CodesLeft    int
	CodesMade    time.Time
	CodesURL     string
	CodesMissing bool

	// SecondStep says whether the password alone does not sign in. StepURL leads to the page
	// that changes this; empty if it follows from the rest.
	SecondStep bool
	StepURL    string

	// Links are the accounts elsewhere that sign in to this one. Upstreams are those that none
	// of them is at, whose buttons connect one. With neither there is no card.
	Links     []Link
	Upstreams []ui.UpstreamButton

	// Devices are those without a second step.
	Devices []Device

	// Signals tell browsers which passkeys there are; empty tells nothing.
	Signals string

	// AccountURL leads back to the account.
	AccountURL string
}

// Passkey is one of the owner's passkeys. Zero times are not shown.
type Passkey struct {
	Name                 string
	Since, LastUsed      time.Time
	RenameURL, RemoveURL string
}

// App is the owner's authenticator app.
type App struct{ Since, LastUsed time.Time }

// Link is an account at an upstream provider that signs in to this one.
type Link struct {
	// Upstream is where it is. Only its title, mark and logo are used.
	Upstream ui.UpstreamButton

	// Name is what it is called there; empty shows none.
	Name string

	// Ended says that the service offers this upstream no longer, so that nobody signs in by it.
	Ended bool

	// Since and LastUsed are not shown if they are zero.
	Since, LastUsed time.Time

	// RemoveURL leads to the page that disconnects it.
	RemoveURL string
}

// RemoveLinkView asks whether to disconnect an account elsewhere. It posts [FieldLink].
type RemoveLinkView struct {
	ui.Page
	ui.Form
	ID string

	// Upstream and Name are those of the [Link].
	Upstream ui.UpstreamButton
	Name     string
	BackURL  string
}

// Device is a browser in which the second step is not asked.
type Device struct {
	// ID is what is posted to end this.
	ID string

	// Kind, Browser and System are those of a ui.Session.
	Kind            ui.DeviceKind
	Browser, System string

	Until time.Time
}

// PasskeyView adds a passkey, by the script of its prompt.
type PasskeyView struct {
	ui.Page
	ui.Form
	Prompt ui.PasskeyPrompt

	// BackURL leads back; empty shows no link.
	BackURL string
}

// RenameView asks for the name of a passkey. It posts [FieldCredential] and ui.FieldName.
type RenameView struct {
	ui.Page
	ui.Form
	ID, Name, BackURL string
}

// RemovePasskeyView asks whether to remove a passkey. It posts [FieldCredential].
type RemovePasskeyView struct {
	ui.Page
	ui.Form
	ID, Name, BackURL string
}

// AppView sets up an authenticator app. It posts [FieldSecret] and ui.FieldCode.
type AppView struct {
	ui.Page
	ui.Form

	// Symbol is a QR code of Size times Size modules, of which Path draws the dark ones.
	Symbol string
	Size   int

	// URI is what the symbol says, Secret the same to be typed, Sealed what is posted.
	URI, Secret, Sealed string

	// Replaces says that there is an app already.
	Replaces bool

	// BackURL leads back; empty shows no link.
	BackURL string
}

// RemoveAppView asks whether to remove the app. EndsStep says that this turns the second
// step off. It posts nothing but Form.Hidden.
type RemoveAppView struct {
	ui.Page
	ui.Form
	EndsStep bool
	BackURL  string
}

// CodesView asks whether to make new recovery codes. It posts nothing but Form.Hidden.
type CodesView struct {
	ui.Page
	ui.Form

	// Left is the number of unspent codes.
	Left    int
	BackURL string
}

// NewCodesView shows new recovery codes, once. It posts [FieldCodes].
type NewCodesView struct {
	ui.Page
	ui.Form
	Notice Notice
	Codes  []string

	// Sealed are the codes, as they are posted to be downloaded.
	Sealed string

	// ContinueURL leads on.
	ContinueURL string
}

// StepView turns the second step on or off. It posts nothing but Form.Hidden.
type StepView struct {
	ui.Page
	ui.Form

	// On says that it is on.
	On      bool
	BackURL string
}

// RemovePasswordView asks whether to remove the password. It posts nothing but Form.Hidden.
type RemovePasswordView struct {
	ui.Page
	ui.Form
	BackURL string
}

// EnrolView offers what a user can add to an account in order to go on. TooNew says that
// the application does not take what is added now.
type EnrolView struct {
	ui.Page

	// PasskeyURL and AppURL lead to the pages that add them; empty shows no link.
	PasskeyURL, AppURL string
	TooNew             bool

	// LeaveURL leads on without; empty shows no link.
	LeaveURL string
}

// Notice is what has just happened.
type Notice string

// The notices.
const (
	PasskeyAdded   Notice = "passkey_added"
	PasskeyThere   Notice = "passkey_there" // the device has one already
	PasskeyRenamed Notice = "passkey_renamed"
	PasskeyRemoved Notice = "passkey_removed"

	AppAdded   Notice = "app_added"
	AppRemoved Notice = "app_removed"

	StepTurnedOn  Notice = "step_on"
	StepTurnedOff Notice = "step_off"

	PasswordChanged Notice = "password_changed"
	PasswordSet     Notice = "password_set"
	PasswordRemoved Notice = "password_removed"

	LinkAdded   Notice = "link_added"
	LinkRemoved Notice = "link_removed"

	DeviceForgotten  Notice = "device_forgotten"
	DevicesForgotten Notice = "devices_forgotten"
	RecoveryStopped  Notice = "recovery_stopped"
)

// Problem is what is wrong with a form, besides the problems of package ui.
type Problem string

// The problems.
const (
	CodeMissing Problem = "code_missing"
	CodeWrong   Problem = "code_wrong"

	// PasskeyRefused is for a passkey that cannot be added, TooLate for a page that was left
	// open for too long.
	PasskeyRefused Problem = "passkey_refused"
	TooLate        Problem = "too_late"

	// LastWayIn is for what cannot be removed, because the owner could no longer sign in;
	// CodesFirst for what needs recovery codes.
	LastWayIn  Problem = "last_way_in"
	CodesFirst Problem = "codes_first"

	// LinkRefused is for an upstream provider at which the owner did not authenticate,
	// LinkUnavailable for one that does not answer or cannot be believed, LinkTaken for an
	// account there that is connected to another one here, LinkFull if no more can be.
	LinkRefused     Problem = "link_refused"
	LinkUnavailable Problem = "link_unavailable"
	LinkTaken       Problem = "link_taken"
	LinkFull        Problem = "link_full"

	// Meanwhile is for an account that has changed since the page was shown.
	Meanwhile Problem = "meanwhile"
)

// Say returns a problem of a form.
func Say(l *ui.Locale, p Problem) ui.Problem {
	field := ""
	if p == CodeMissing || p == CodeWrong {
		field = ui.FieldCode
	}
	return ui.Problem{Field: field, Text: l.OrEnglish().Plain(textOf(l).Problems[p])}
}

// Unnamed returns what a passkey is called of which nothing is known.
func Unnamed(l *ui.Locale) string { return l.OrEnglish().Plain(textOf(l).Passkey.Unnamed) }

// CodesFile returns the recovery codes as a text file.
func CodesFile(l *ui.Locale, brand, email string, codes []string, made time.Time) string {
	l = l.OrEnglish()
	t := textOf(l).Codes
	file := l.Plain(t.File, ui.With("brand", brand), ui.With("email", email)) + "\r\n\r\n"
	for _, code := range codes {
		file += code + "\r\n"
	}
	return file + "\r\n" + l.Plain(t.FileMade, ui.With("date", ui.Words(l.Date(made)))) + "\r\n"
}

package signin

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// RecoverStartView asks for the address of an account whose owner has lost a passkey or an app.
// It posts [ui.FieldEmail].
type RecoverStartView struct {
	ui.Page
	ui.Form
	Email string

	// OtherURL leads to the same screen for another address: Email was just given, and the screen
	// shows it. Empty asks for it.
	OtherURL string

	// SignInURL leads back to the sign-in screen. Empty shows no link.
	SignInURL string
}

// RecoverCodeView asks for the eight digits that were sent by mail. It posts [ui.FieldCode].
type RecoverCodeView struct {
	ui.Page
	ui.Form

	// Email is the address that was entered. The screen says the same whether an account has
	// it or not.
	Email string

	// ValidFor is how long a code can be used, shown in whole minutes.
	ValidFor time.Duration

	// RestartURL leads to a new code. Empty shows no link.
	RestartURL string
}

// RecoveryWay is what the owner proves beside the mailbox.
type RecoveryWay string

// The ways back into an account.
const (
	// WayPasskey, WayApp and WayCode are at once: a passkey, an authenticator app, and a
	// recovery code, which removes the other two.
	WayPasskey RecoveryWay = "passkey"
	WayApp     RecoveryWay = "app"
	WayCode    RecoveryWay = "codes"

	// WayPassword is the password and a wait, WayWait a longer one.
	WayPassword RecoveryWay = "password"
	WayWait     RecoveryWay = "wait"
)

// RecoverChoiceView asks the reader of the mailbox what else there is.
type RecoverChoiceView struct {
	ui.Page
	Ways []WayLink
}

// RecoverProofView asks the reader of the mailbox for one more proof. It posts what the way
// needs: the fields of a passkey, [ui.FieldCode] or [ui.FieldPassword].
type RecoverProofView struct {
	ui.Page
	ui.Form
	Email string

	// Way is that of the page; Others lead to the others.
	Way    RecoveryWay
	Others []WayLink

	// Passkey is for WayPasskey.
	Passkey ui.PasskeyPrompt

	// Wait is that of WayPassword and WayWait.
	Wait time.Duration
}

// WayLink leads to a way.
type WayLink struct {
	Way RecoveryWay
	URL string

	// Wait is that of WayPassword and WayWait.
	Wait time.Duration
}

// ActionStop is the [ui.FieldAction] that stops a recovery.
const ActionStop = "stop"

// RecoverWaitingView says when a recovery can be finished. It posts [ui.FieldAction] with
// [ActionStop].
type RecoverWaitingView struct {
	ui.Page
	ui.Form
	Email          string
	ReadyAt, EndAt time.Time
	Others         []WayLink
}

// RecoverFinishView asks for a new password. It posts [ui.FieldNewPassword].
type RecoverFinishView struct {
	ui.Page
	ui.Form
	Email string

	// MinLength is the least number of characters; zero if the password was chosen before.
	MinLength int

	// Removes reports that passkeys, app and codes are removed with it.
	Removes bool
}

// RecoverStopView asks somebody who follows the link of a mail whether to stop a recovery, or
// says what has become of it. It posts nothing but the hidden fields.
type RecoverStopView struct {
	ui.Page
	ui.Form
	State StopState

	// SignInURL leads to the sign-in screen.
	SignInURL string
}

// StopState is what can be said of a recovery that somebody wants to stop.
type StopState string

// The states of a recovery to stop.
const (
	StopAsked StopState = "asked"
	StopDone  StopState = "done"
	StopGone  StopState = "gone"
)

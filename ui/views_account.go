package ui

import "time"

// AccountView is the home of a user's own pages.
// It posts [FieldAction] with [ActionVerify] when the address is not verified.
type AccountView struct {
	Page
	Form
	Notice  Notice
	Account Account
	// EmailVerified says that the user has proved to own the address.
	EmailVerified bool
	// Each leads to another page. Empty shows no link.
	DataURL, GroupsURL, EmailURL, LanguageURL, ExportURL, DeleteURL string
	// WalletURL leads to what is in wallets.
	WalletURL                                     string
	PasswordURL, SessionsURL, HistoryURL, AppsURL string
	SignOutURL                                    string
	// SecurityURL leads to the page on which all ways to sign in are, the password among
	// them.
	SecurityURL string
	// CallURL leads to the page with a code for whoever calls support.
	CallURL string
}

// CallView shows the code that whoever calls support reads out. It posts nothing but
// [Form.Hidden], to get one.
type CallView struct {
	Page
	Form
	// Code is in the groups in which it is read out, and empty before it was asked for;
	// ValidFor is how long it can be used.
	Code     string
	ValidFor time.Duration
	// AccountURL leads back to the account.
	AccountURL string
}

// AppsView lists the applications that a user has granted access.
type AppsView struct {
	Page
	Notice Notice
	// Apps may be empty; the screen then says so.
	Apps []App
	// AccountURL leads back to the account.
	AccountURL string
}

// App is an application that a user has granted access.
type App struct {
	Client
	// Since is when the user first granted it, LastUsed when it last asked
	// for data. Zero shows no date.
	Since, LastUsed time.Time
	// Until is when it could no longer see Facts. Zero is for one that can.
	Until time.Time
	// OnDevice says that it is on devices, which have no Host.
	OnDevice bool
	// Facts are the attributes and groups that it may see, folded below the Scopes if there
	// are any.
	Facts []Label
	// Scopes are the titles of what it may see, Resources the names of the services that
	// it may use in the user's name.
	Scopes    []Label
	Resources []string
	// OpenURL is where it begins a sign-in. Empty shows no link.
	OpenURL string
	// RemoveURL leads to the screen that takes the permission back.
	RemoveURL string
}

// RemoveAppView asks whether to take back what an application was allowed.
// It posts nothing but [Form.Hidden].
type RemoveAppView struct {
	Page
	Form
	App App
	// CancelURL leads back to the list.
	CancelURL string
}

// SessionsView lists the browsers in which a user is signed in.
// It posts [FieldAction] with [ActionEnd] and [FieldSession], or
// [FieldAction] with [ActionOthers].
type SessionsView struct {
	Page
	Form
	Notice   Notice
	Sessions []Session
	// AccountURL leads back to the account.
	AccountURL string
}

// Session is one browser in which a user is signed in.
type Session struct {
	// ID is what is posted to end it.
	ID string
	// Kind is what the device looks like. Empty is a computer.
	Kind DeviceKind
	// Browser and System are names such as "Firefox" and "Windows". When both
	// are empty the device is called unknown.
	Browser, System string
	// Place is the network in which the user signed in.
	Place Place
	// Current marks the browser that shows the screen.
	Current bool
	// How is how the user signed in. Empty is unknown.
	How SessionHow
	// Upstream is the title of the upstream provider of SessionByUpstream.
	Upstream string
	// Trusted says that the second step is left out in this browser.
	Trusted bool
	// Since is when the user signed in, LastUsed when the session was last
	// seen. Zero shows no date.
	Since, LastUsed time.Time
}

// SessionHow is how a user has signed in.
type SessionHow string

// The ways to sign in.
const (
	SessionByPassword SessionHow = "password"
	SessionByPasskey  SessionHow = "passkey"
	SessionByTwoSteps SessionHow = "two_steps"
	// SessionByUpstream is by an account at an upstream provider.
	SessionByUpstream SessionHow = "upstream"
)

// DeviceKind is what a device looks like.
type DeviceKind string

// The kinds of devices.
const (
	DeviceComputer DeviceKind = "computer"
	DevicePhone    DeviceKind = "phone"
	DeviceTablet   DeviceKind = "tablet"
)

// Place is a network. Its zero value is unknown and is not shown.
type Place struct {
	// Network is in CIDR notation, for screens of a host's own: ours do not show it.
	Network string
	// Here says that the screen is opened in that network.
	Here bool
}

// PasswordView asks for a new password.
// It posts [FieldPassword], the old one, and [FieldNewPassword].
type PasswordView struct {
	Page
	Form
	// Email is for password managers, which need to know whose password it is.
	Email string
	// MinLength is the least number of characters of a password.
	MinLength int
	// First says that there is no password yet, Known that the user has just proved to be
	// the owner: then the old password is not asked for.
	First, Known bool
	// RemoveURL leads to the page that removes the password; empty shows no link.
	RemoveURL string
	// SecurityURL leads back to the page of all ways to sign in, AccountURL to the account.
	SecurityURL, AccountURL string
}

// DataView shows what is recorded about a user, and who has received it.
// It posts [FieldFirstName] and [FieldLastName].
type DataView struct {
	Page
	Form
	Notice Notice
	// Facts are what is known.
	Facts []ConsentAttribute
	// FirstName and LastName are what the fields hold, which are shown when the user CanName.
	FirstName, LastName string
	CanName             bool
	// NameChecked says instead that somebody has checked who the user is, and that the name
	// is no longer the user's to change.
	NameChecked bool
	// Received are the applications that were allowed something, each with Facts, and behind
	// them those that no longer are, with Until.
	Received []App
	// ExportURL leads to the page that gives everything as a file, AccountURL back to the
	// account. Empty shows no link.
	ExportURL, AccountURL string
}

// EmailView asks for another e-mail address.
// It posts [FieldEmail], the new one, and [FieldPassword].
type EmailView struct {
	Page
	Form
	// Email is the address that the account has, NewEmail what the field holds.
	Email, NewEmail string
	// EmailVerified says that a code goes to Email as well.
	EmailVerified bool
	// AccountURL leads back to the account.
	AccountURL string
	// Known says that the user has just proved to be the owner: then the password is not
	// asked for.
	Known bool
}

// EmailCodesView asks for the codes that were sent to the new address of an account and,
// when Email is not empty, to the one that it has.
// It posts [FieldCode] and [FieldOldCode].
type EmailCodesView struct {
	Page
	Form
	Email, NewEmail string
	ValidFor        time.Duration
	// RestartURL leads to the form that sends new codes, AccountURL back to the account.
	RestartURL, AccountURL string
}

// EmailReturnView takes a change of the address of an account back, for whoever reads the
// address that it had before. It posts [FieldNewPassword].
type EmailReturnView struct {
	Page
	Form
	// Email is the address that the account gets back.
	Email string
	// MinLength is the least number of characters of a password.
	MinLength int
}

// DeleteView asks whether to delete the account.
// It posts [FieldPassword].
type DeleteView struct {
	Page
	Form
	Email string
	// On is when the account will be gone.
	On time.Time
	// Duties are what the user alone answers for; with any there is no form.
	Duties []Duty
	// ExportURL and AccountURL lead to other pages.
	ExportURL, AccountURL string
	// Known says that the user has just proved to be the owner: then the password is not
	// asked for.
	Known bool
}

// Duty is something that a user alone answers for, and URL where somebody can follow.
type Duty struct{ Name, URL string }

// DeletionView says that the account will be deleted.
// It posts [FieldAction] with [ActionKeep] or [ActionGoOn], unless Decided.
type DeletionView struct {
	Page
	Form
	Email string
	// On is when the account will be gone.
	On time.Time
	// Decided says that the user has just decided so: there is nothing to ask.
	Decided bool
}

// ExportView asks for the password before it gives a file with everything that is recorded.
// It posts [FieldPassword].
type ExportView struct {
	Page
	Form
	Email string
	// AccountURL leads back to the account.
	AccountURL string
	// Known says that the user has just proved to be the owner: then the password is not
	// asked for.
	Known bool
}

// LanguageView asks for the language of screens and e-mails.
// It posts [FieldLanguage] with the Lang of one of [Locales].
type LanguageView struct {
	Page
	Form
	Notice Notice
	// ByMail says that the service sends e-mails to the user.
	ByMail bool
	// AccountURL leads back to the account.
	AccountURL string
}

// HistoryView lists what has happened to an account, the latest first.
type HistoryView struct {
	Page
	Entries []HistoryEntry
	// OlderURL leads to the next page; empty on the last.
	OlderURL string
	// AccountURL leads back to the account.
	AccountURL string
}

// HistoryEntry is something that has happened.
type HistoryEntry struct {
	Act HistoryAct
	At  time.Time
	// Client is the application that it is about, by its name, and Group the group; empty
	// for none.
	Client string
	Group  Label
	// How is how the user signed in, for HistorySignedIn. Empty is unknown.
	How SessionHow
	// Upstream is the title of the upstream provider of SessionByUpstream, and of
	// HistoryLinkAdded and HistoryLinkRemoved.
	Upstream string
	Place    Place
	// By is who else has done it, or nil for the user.
	By *HistoryActor
}

// HistoryActor is somebody of the service who has acted on an account; its zero value is the
// service itself.
type HistoryActor struct {
	// Role and Reason are for what, by their names. Those that the texts have no words for
	// are shown as they are.
	Role, Reason string
}

// HistoryAct names what has happened.
type HistoryAct string

// What happens to accounts.
const (
	HistorySignedIn        HistoryAct = "signed_in"
	HistorySignInFailed    HistoryAct = "sign_in_failed"
	HistorySignedOut       HistoryAct = "signed_out"
	HistorySignedUp        HistoryAct = "signed_up"
	HistoryPasswordChanged HistoryAct = "password_changed"
	HistoryPasswordRemoved HistoryAct = "password_removed"
	HistoryPasskeyAdded    HistoryAct = "passkey_added"
	HistoryPasskeyRemoved  HistoryAct = "passkey_removed"
	HistoryTOTPAdded       HistoryAct = "totp_added"
	HistoryTOTPRemoved     HistoryAct = "totp_removed"
	HistoryDeviceAllowed   HistoryAct = "device_allowed"
	HistoryDeviceReported  HistoryAct = "device_reported"
	HistoryLinkAdded       HistoryAct = "link_added"
	HistoryLinkRemoved     HistoryAct = "link_removed"
	HistoryCodesMade       HistoryAct = "recovery_codes_made"
	HistoryStepOn          HistoryAct = "second_step_on"
	HistoryStepOff         HistoryAct = "second_step_off"
	HistoryForgotten       HistoryAct = "devices_forgotten"
	HistoryEmailChanged    HistoryAct = "email_changed"
	HistoryEmailReturned   HistoryAct = "email_returned"
	HistoryEmailVerified   HistoryAct = "email_verified"

	HistoryRecoveryStarted     HistoryAct = "recovery_started"
	HistoryRecoveryStopped     HistoryAct = "recovery_stopped"
	HistoryRecoveryApproved    HistoryAct = "recovery_approved"
	HistoryRecovered           HistoryAct = "recovered"
	HistoryAuthenticatorsReset HistoryAct = "authenticators_reset"

	HistoryAppAllowed    HistoryAct = "app_allowed"
	HistoryAppDenied     HistoryAct = "app_denied"
	HistoryAppRemoved    HistoryAct = "app_removed"
	HistoryExchanged     HistoryAct = "exchanged_token"
	HistoryReuse         HistoryAct = "reuse"
	HistoryLocked        HistoryAct = "locked"
	HistoryUnlocked      HistoryAct = "unlocked"
	HistoryDeletionBegun HistoryAct = "deletion_begun"
	HistoryDeletionEnded HistoryAct = "deletion_ended"
	HistoryExported      HistoryAct = "exported"

	// HistoryLooked and those after it are of the staff, and of whoever calls it.
	HistoryLooked         HistoryAct = "looked"
	HistoryPartLooked     HistoryAct = "part_looked"
	HistoryValueShown     HistoryAct = "value_shown"
	HistoryCallerProved   HistoryAct = "caller_proved"
	HistoryCallerCode     HistoryAct = "caller_code"
	HistoryResetSent      HistoryAct = "reset_sent"
	HistoryExportSent     HistoryAct = "export_sent"
	HistoryValueCorrected HistoryAct = "value_corrected"
	HistoryStatusSet      HistoryAct = "status_set"
	HistoryStatusEnded    HistoryAct = "status_ended"
	HistorySessionEnded   HistoryAct = "session_ended"

	// HistoryProofAdded and HistoryProofEnded are about what is in wallets.
	HistoryProofAdded HistoryAct = "proof_added"
	HistoryProofEnded HistoryAct = "proof_ended"

	HistoryVerificationStarted HistoryAct = "verification_started"
	HistoryVerified            HistoryAct = "verified"
	HistoryNotApproved         HistoryAct = "not_approved"
	HistoryVerificationEnded   HistoryAct = "verification_ended" // without a result

	// HistoryAppEnded is HistoryAppRemoved where the application is not named.
	HistoryAppEnded HistoryAct = "app_ended"
)

// isWrong reports whether it may be the doing of somebody else.
func (a HistoryAct) isWrong() bool { return a == HistorySignInFailed || a == HistoryReuse }

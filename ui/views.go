package ui

import (
	"time"

	"github.com/bonafide-id/bonafide/ui/theme"
)

// Page is what every screen shows around its own content.
type Page struct {
	// Locale is the language of the screen, from [MatchLocale]. Nil is English.
	Locale *Locale
	// Brand is the service that the user sees.
	Brand Brand
	// Client is the application that sent the user. Its zero value means
	// that none did, as on the account pages.
	Client Client
	// AssetPath is the address under which [Assets] are served, with a slash
	// at its end.
	AssetPath string
	// Theme is the look of the service, whose files are to be served at AssetPath as
	// [Assets] are. Nil is the default.
	Theme *theme.Theme
	// ButtonColor is the colour of the application, #rrggbb. Anything else keeps that
	// of the service.
	ButtonColor string
	// Languages are the languages that the screen can be read in, with or
	// without its own, each with the address that shows it so and keeps the
	// request. Empty shows no switch.
	Languages []Language
	// Popup lays the screen out for a small window. It changes nothing else.
	Popup bool
	// Sandbox puts a banner on the screen that says that nothing here is real.
	Sandbox bool
	// Now is the time that "5 minutes ago" is counted from. Zero shows dates.
	Now time.Time
	// Recovery warns the owner of an account of a recovery in progress, on the pages of the
	// account. Nil warns of nothing.
	Recovery *Recovery

	// inert and scheme are of a preview.
	inert  bool
	scheme Scheme
	// next is where the page goes on by itself.
	next string
}

// Recovery is the recovery of an account in progress: somebody has asked for the account
// without its passkeys and apps.
type Recovery struct {
	// ReadyAt is when it can be finished.
	ReadyAt time.Time
	// Form posts [FieldAction] with [ActionStopRecovery].
	Form Form
}

// Brand is the service itself. Addresses that are empty show no link.
type Brand struct {
	// Name is what the service calls itself.
	Name string
	// Logo is next to the name. Its zero value shows the first letter of the name.
	Logo Picture
	// Wordmark is in the place of logo and name, which it has in it.
	Wordmark Picture
	// FaviconURL is the address of the image in the browser's tab. Empty shows the
	// logo there.
	FaviconURL string
	// HomeURL is where the logo leads.
	HomeURL string
	// TermsURL, PolicyURL and HelpURL are the service's terms of use, its
	// privacy policy and a page that helps users to sign in.
	TermsURL, PolicyURL, HelpURL string
	// Links are others at the foot of every screen.
	Links []Link
}

// Link is a link of the service's own.
type Link struct {
	Label Label
	URL   string
}

// Picture is a logo or a wordmark by day and by night. Its zero value is none.
type Picture struct {
	// URL is the address of an image, on the same origin.
	URL string
	// DarkURL is that of the image for the night. Empty shows the same.
	DarkURL string
	// Plate and DarkPlate are what the image is shown on by day and by night, where
	// it would hardly stand out from the screen.
	Plate, DarkPlate Plate
}

// Plate is a ground behind a picture.
type Plate string

// The plates.
const (
	PlateNone  Plate = ""
	PlateLight Plate = "light"
	PlateDark  Plate = "dark"
)

// Client is an application as users are to recognise it. Nothing in it is
// trusted to be true except Host, which the caller derives from a registered
// redirect URI.
type Client struct {
	// Name is what the application calls itself.
	Name string
	// Logo is next to its name. Its zero value shows the first letter of the name.
	Logo Picture
	// Wordmark is wide and has the name in it. The zero value shows the logo.
	Wordmark Picture
	// Host is the host that the user returns to, or the scheme when
	// the application is a native one.
	Host string
	// TermsURL and PolicyURL are the application's own. Empty shows no link.
	TermsURL, PolicyURL string
	// Unreviewed says that the service has not checked who runs it.
	Unreviewed bool
	// Unknown says that nobody has registered it: its name is the host of its address, and
	// Calls what it calls itself, or empty.
	Unknown bool
	Calls   string
	// Program says that the user returns to a program on their device, which any other could
	// be.
	Program bool
}

// Language is one entry of the language switch.
type Language struct {
	// Lang is the BCP 47 tag of the language.
	Lang string
	// URL shows the same screen in that language.
	URL string
	// Name is what the language is called in itself.
	Name string
}

// Account is the user who is signed in, as shown to that user.
type Account struct {
	// Name is empty when the user never gave one.
	Name string
	// Email is the address that the user signs in with.
	Email string
}

// Form is what every form sends back and what was wrong with it the last time.
type Form struct {
	// Action is the address that the form is posted to: the page's own.
	Action string
	// Hidden are fields that travel with every form of the screen, such as the
	// flow that it belongs to and the token that binds it to the browser.
	Hidden []Field
	// Problems are what the screen asks to correct, in the order of its fields.
	Problems []Problem

	// still is for a form that is only looked at: no field takes the focus.
	still bool
	// told are the fields of a form so short that what is wrong is said at them alone.
	told []string
}

// Field is a name and a value to be posted.
type Field struct{ Name, Value string }

// The names under which the screens post what was entered or chosen. Each view
// says which of them it posts.
const (
	FieldEmail = "email"
	// FieldPassword is the password that the account has now.
	FieldPassword    = "password"
	FieldNewPassword = "new_password"
	FieldCode        = "code"
	// FieldUserCode is the code that a device shows.
	FieldUserCode = "user_code"
	// FieldAction says which button was pressed on a screen that has several.
	FieldAction = "action"
	// FieldSession is the session to end.
	FieldSession = "session"
	// FieldScope is the scope value that was picked, or what a trial asks for.
	FieldScope = "scope"
	// FieldPersona is the persona to sign in as.
	FieldPersona = "persona"
	// FieldOldCode is the code that was sent to the address that the account has, where
	// FieldCode is the one to the new address.
	FieldOldCode   = "old_code"
	FieldFirstName = "first_name"
	FieldLastName  = "last_name"
	// FieldLanguage is the Lang of one of [Locales].
	FieldLanguage = "language"
	// FieldGroup is the verified group that ActionVerify is about.
	FieldGroup = "group"
	// FieldPasskey is the browser's answer to a [PasskeyPrompt] in JSON, or [PasskeyExists].
	FieldPasskey = "passkey"
	// FieldChallenge is the sealed challenge of a [PasskeyPrompt].
	FieldChallenge = "challenge"
	// FieldUpgrade is "1" if the browser can create a passkey without a word, right after
	// its user has signed in with a password.
	FieldUpgrade = "upgrade"
)

// The values of [FieldAction].
const (
	ActionAllow    = "allow"    // Consent
	ActionDeny     = "deny"     // Consent, SelectScope, DeviceConfirm
	ActionReport   = "report"   // DeviceConfirm
	ActionContinue = "continue" // SelectAccount: with the account shown
	ActionSwitch   = "switch"   // SelectAccount, Consent, Reauthenticate: with another account
	ActionResend   = "resend"   // Code: send a new code
	ActionVerify   = "verify"   // Account: send a code to the e-mail address; Consent, Groups: verify the group in FieldGroup
	ActionEnd      = "end"      // Sessions: end the one in FieldSession
	ActionOthers   = "others"   // Sessions: end all but this one
	ActionKeep     = "keep"     // Deletion: keep the account
	ActionPasskey  = "passkey"  // SignUp: with a passkey in place of a password
	ActionGoOn     = "go_on"    // Deletion: go on deleting

	// ActionHome signs in at the upstream provider of the address's domain, on SignIn.
	ActionHome = "home"

	// ActionStopRecovery ends a recovery, in the form of a [Recovery].
	ActionStopRecovery = "stop_recovery"
)

// Notice is a sentence at the top of a screen that says what has just
// happened. The empty notice says nothing.
type Notice string

// The notices that a screen can show.
const (
	NoticeCodeSent        Notice = "code_sent"
	NoticeEmailVerified   Notice = "email_verified"
	NoticePasswordChanged Notice = "password_changed"
	NoticeAppRemoved      Notice = "app_removed"
	// NoticeVerified and those after it say what has become of a verification.
	NoticeVerified      Notice = "verified"
	NoticePending       Notice = "verification_pending"
	NoticeUnverified    Notice = "verification_missing"
	NoticeSessionEnded  Notice = "session_ended"
	NoticeSessionsEnded Notice = "sessions_ended"
	NoticeNameSaved     Notice = "name_saved"
	NoticeEmailChanged  Notice = "email_changed"
	NoticeEmailReturned Notice = "email_returned"
	NoticeRecovered     Notice = "recovered"
	NoticeLanguageSaved Notice = "language_saved"
	NoticeAccountKept   Notice = "account_kept"
)

package ui

import "time"

// SignInView asks for an e-mail address and a password.
// It posts [FieldEmail], [FieldPassword] and [FieldUpgrade], or the fields of a passkey, or
// [FieldPersona], or [FieldEmail] and [FieldAction] with [ActionHome]; or what an
// [UpstreamButton] does.
type SignInView struct {
	Page
	Form
	Notice Notice
	// Personas can be signed in as without a password. None shows only the form.
	Personas []Persona
	// Email is what the field holds: a login_hint, or what was entered before.
	Email string
	// Passkey asks for a passkey of any account.
	Passkey PasskeyPrompt
	// Signals tell the browser that a passkey is of no use, for [PasskeySignals].
	Signals string
	// Upstreams are where people can sign in with an account of somebody else.
	Upstreams []UpstreamButton
	// HomeRealm offers to sign in at the upstream provider to which the domain of the address
	// belongs, without a password here.
	HomeRealm bool
	// Connecting is what is connected to the account that is signed in to.
	Connecting Connecting
	// ResetURL, SignUpURL lead to a new password and to a new account.
	// Empty shows no link.
	ResetURL, SignUpURL string
}

// Persona is somebody who does not exist, in a sandbox.
type Persona struct {
	// Name is posted as [FieldPersona].
	Name string
	// Title says who it is. Empty shows the name.
	Title Label
	// Groups are the verified groups that it belongs to.
	Groups []PersonaGroup
	// Locked says that nobody can sign in with the account, EmailUnverified that the
	// address is not known to be the user's.
	Locked, EmailUnverified bool
}

// PersonaGroup is a verified group and the place of a persona in it.
type PersonaGroup struct {
	Label     Label
	Subgroups []Label
	State     GroupState
}

// ReauthenticateView asks the signed-in user for the password again.
// It posts [FieldPassword], or [FieldAction] with [ActionSwitch], or what an [UpstreamButton]
// does.
type ReauthenticateView struct {
	Page
	Form
	Account Account
	// Upstreams are those that the account is connected to.
	Upstreams []UpstreamButton
	// ResetURL leads to a new password. Empty shows no link.
	ResetURL string
}

// SignUpView asks for what a new account needs.
// It posts [FieldEmail] and [FieldNewPassword], or [FieldAction] with [ActionPasskey], or what
// an [UpstreamButton] does.
type SignUpView struct {
	Page
	Form
	// Email is what the field holds: a login_hint, or what was entered before.
	Email string
	// MinLength is the least number of characters of a password.
	MinLength int
	// Passkeys lets the account begin with a passkey in place of a password.
	Passkeys bool
	// Upstreams are where people have an account that a new one can begin with.
	Upstreams []UpstreamButton
	// SignInURL leads to the sign-in screen. Empty shows no link.
	SignInURL string
}

// CodePurpose is what a code that was sent by e-mail is good for.
type CodePurpose string

// The purposes of a code.
const (
	// CodeSignUp finishes a new account.
	CodeSignUp CodePurpose = "sign_up"
	// CodeVerifyEmail proves that the account's address is the user's own.
	CodeVerifyEmail CodePurpose = "verify_email"
)

// CodeView asks for the eight digits that were sent to an e-mail address.
// It posts [FieldCode], or [FieldAction] with [ActionResend].
type CodeView struct {
	Page
	Form
	Notice  Notice
	Purpose CodePurpose
	// Email is the address that the code went to.
	Email string
	// ValidFor is how long a code can be used, shown in whole minutes.
	ValidFor time.Duration
	// Able is the name of a field that says "1" if the browser can create a passkey. Empty
	// asks nothing.
	Able string
	// BackURL leads to where another address can be given, or away from a
	// verification that nobody wants to finish now. Empty shows no link.
	BackURL string
}

// ResetStartView asks for the e-mail address of the account whose password is
// forgotten. It posts [FieldEmail].
type ResetStartView struct {
	Page
	Form
	Email string
	// SignInURL leads back to the sign-in screen. Empty shows no link.
	SignInURL string
}

// ResetFinishView asks for the eight digits that were sent and for a new
// password. It posts [FieldCode] and [FieldNewPassword].
type ResetFinishView struct {
	Page
	Form
	// Email is the address that was entered. The screen says the same whether
	// an account has it or not.
	Email string
	// ValidFor is how long a code can be used, shown in whole minutes.
	ValidFor time.Duration
	// MinLength is the least number of characters of a password.
	MinLength int
	// RestartURL leads to a new code. Empty shows no link.
	RestartURL string
}

// SelectAccountView asks whether to continue with the account that is signed in.
// It posts [FieldAction] with [ActionContinue] or [ActionSwitch].
type SelectAccountView struct {
	Page
	Form
	Account Account
}

// SelectScopeView lets the user pick one of several things that the application asks for.
// It posts [FieldScope], or [FieldAction] with [ActionDeny].
type SelectScopeView struct {
	Page
	Form
	Scopes []ScopeChoice
}

// ScopeChoice is one thing that an application asks for, in place of others.
type ScopeChoice struct {
	// Value is the scope value.
	Value string
	// Title and Text name and explain it. An empty Text shows only the title.
	Title, Text Label
}

// SignOutView asks whether to sign out. It posts nothing but [Form.Hidden].
type SignOutView struct {
	Page
	Form
	Account Account
	// CancelURL leads away without signing out. Empty shows no link.
	CancelURL string
}

// SignedOutView says that the user is signed out.
type SignedOutView struct {
	Page
	// SignInURL leads to the sign-in screen. Empty shows no link.
	SignInURL string
	// Stale says instead that the user has signed in, too long ago for what is behind
	// SignInURL.
	Stale bool
}

// ErrorView says what went wrong and what to do about it.
type ErrorView struct {
	Page
	Code ErrorCode
	// RequestID names the request in the logs. Empty shows none.
	RequestID string
	// LogURL leads to what is known of the request, for a developer of the application.
	// Empty shows no link.
	LogURL string
	// Time is when it happened, shown in UTC. Zero shows none.
	Time time.Time
	// BackURL leads to the application. To be set only when the request named
	// an address that the application has registered. Empty shows no link.
	BackURL string
	// HomeURL leads to the first of the screens that it happened on, where these are not
	// the provider's own. Empty shows no link.
	HomeURL string
	// AccountURL leads to the account page. It is the way out where there is neither
	// BackURL, HomeURL nor Brand.HomeURL, and no popup to close. Empty shows no link.
	AccountURL string
	// Details are for the developers of the application and for nobody
	// else. They are shown as they are, in no particular language.
	Details []Detail
}

// Detail is a fact for the developers of an application.
type Detail struct {
	Name string
	// Value is followed by Marked, which stands out, and Rest. Either may be empty.
	Value, Marked, Rest string
}

// said is the error by which the sentences of the screen are found.
func (v ErrorView) said() ErrorCode {
	if v.Code == ErrorRedirect && v.Client.label() != "" {
		return errorRedirectOf
	}
	return v.Code
}

// DeniedView says that the application gets no data of this account. The one way to
// continue leads back to the application, with an error response.
type DeniedView struct {
	Page
	// Message is the host's reason, as it is and in no particular language. Empty
	// says that there is no such account.
	Message string
	// URL is a registered redirect URI with the response in it, or the one to which
	// Fields are posted.
	URL    string
	Fields []Field
	// FedCM says that a browser has opened the window, and gets the URL.
	FedCM bool
}

// FinishedView says that the request was answered before, as when a user
// goes back to a form that was sent already.
type FinishedView struct {
	Page
	// BackURL leads to the application. Empty shows no link.
	BackURL string
}

// ContinueView sends the user on to the application, by itself (a meta element that
// refreshes at once) and by a link. It is for responses that no redirect can carry: those to
// an app after a form, which form-action would stop, and those that are too long for a header.
type ContinueView struct {
	Page
	// URL is a registered redirect URI with the response in it. Schemes that run
	// code in the browser are not followed.
	URL string
}

// FormPostView sends the response to the application in the body of a POST,
// as OAuth 2.0 Form Post Response Mode describes. A script sends the form; a
// button does where there is none.
type FormPostView struct {
	Page
	// URL is a registered redirect URI.
	URL string
	// Fields are the parameters of the response.
	Fields []Field
}

// FedCMView is what a window ends with that a browser has opened for its user (Federated Credential
// Management API). A script hands the answer to the browser, which closes the window.
type FedCMView struct {
	Page
	// Answer is a registered redirect URI with the response in it. Empty says that the user has
	// signed in, and only closes the window.
	Answer string
	// AccountID is what the browser calls the account. Empty keeps the one that the user has
	// chosen there.
	AccountID string
}

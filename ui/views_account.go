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
	AppsURL, GroupsURL, SessionsURL, PasswordURL, SignOutURL string
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
	// Scopes are the titles of what it may see, Resources the names of the services that
	// it may use in the user's name.
	Scopes    []Label
	Resources []string
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
	// Browser and System are names such as "Firefox" and "Windows". When both
	// are empty the device is called unknown.
	Browser, System string
	// Current marks the browser that shows the screen.
	Current bool
	// Since is when the user signed in, LastUsed when the session was last
	// seen. Zero shows no date.
	Since, LastUsed time.Time
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
	// AccountURL leads back to the account.
	AccountURL string
}

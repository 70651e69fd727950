package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The names under which the page of the registration tokens posts what was entered.
const (
	FieldToken = "registration_token"
	FieldHosts = "hosts"
	FieldCount = "count"
	FieldDays  = "days"
)

// ActionMake makes a registration token.
const ActionMake = "make"

// TokenCounts are how many applications a token can register, and TokenDays for how many days it
// is valid.
var (
	TokenCounts = []int{1, 10, 100}
	TokenDays   = []int{1, 7, 30, 90, 365}
)

// RegistrationTokensView lists the tokens with which programs register applications. It posts
// [ui.FieldAction] with [ActionMake] ([ui.FieldName], [FieldHosts], [FieldCount], [FieldDays]) or
// [ui.ActionEnd] ([FieldToken]).
type RegistrationTokensView struct {
	Page
	ui.Form
	Tokens []RegistrationToken
	// MayMake shows the form for another one.
	MayMake bool
	// Name, Hosts, Count and Days are what the form shows.
	Name, Hosts string
	Count, Days int
	// New is a token that was just made, to be copied; it is shown once.
	New string
	// Endpoint is the address of the registration endpoint.
	Endpoint string
}

// RegistrationToken is one that has not expired.
type RegistrationToken struct {
	// ID is posted to revoke it.
	ID   string
	Name string
	// Hosts are those that its applications have addresses on.
	Hosts []string
	// Left is how many applications it can still register.
	Left int
	// By is the address of the owner who made it; empty for one who is gone.
	By      string
	Expires time.Time
}

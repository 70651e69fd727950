package developer

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// need is the audience of a page.
type need int

const (
	// everybody, signed in or not.
	everybody need = iota
	// users are signed in.
	users
	// viewers, developers and owners are members of the organization in the path with at
	// least that role.
	viewers
	developers
	owners
	// operators run the service.
	operators
)

// route is a page, with its audience and that of its form, which is nil for a page without
// one.
type route struct {
	path  string
	looks need
	show  handler
	posts need
	act   handler

	// mild reports whether a posted form is no power (see power.go). Nil means that every
	// form is one, so that a new page is safe by default.
	mild func(*request) bool

	// gives reports whether a posted form is refused while the organization is suspended,
	// because it gives it something. Nil means that every form does. The write refuses it,
	// too: an operator may suspend the organization at that moment.
	gives func(*request) bool

	// keep shows a power's form again, with the entered values, to a user who must
	// reauthenticate. Nil if nothing is lost by that.
	keep handler

	// shows has the user reauthenticate before the page opens: it shows secrets, or exists
	// only for its form.
	shows bool
}

// pathOfApplication is the page of an application, which exists as long as anything is left
// of it.
const pathOfApplication = "/o/{org}/{env}/{client}"

// handler answers a request of a user with the right.
type handler func(*request) error

// actsBut is for forms of which all acts but these give the organization something.
func actsBut(acts ...string) func(*request) bool {
	return func(r *request) bool { return !slices.Contains(acts, r.posted(ui.FieldAction)) }
}

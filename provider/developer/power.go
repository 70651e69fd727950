package developer

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// A power is a form that decides who may do what or where the data of people goes, or that
// shows a secret. Whoever has found a browser open for an hour must use none of them: also
// not by inviting an accomplice who then has them all.

// stepUp is how long ago at most somebody has signed in who uses a power.
const stepUp = 5 * time.Minute

// parameterConfirm asks a page to have the user confirm who is there.
const parameterConfirm = "confirm"

// confirm has a user who is about to use a power confirm who is there, and reports whether
// the answer has been given.
func (d *Dashboard) confirm(p route, r *request) (answered bool, err error) {
	if p.act == nil {
		return false, nil
	}
	if r.asked(parameterConfirm) != "" && r.Fresh(stepUp) {
		r.confirmed = true
	}
	posted := r.Request.Method == http.MethodPost
	needed := p.shows || r.asked(parameterConfirm) != ""
	if posted {
		needed = p.mild == nil || !p.mild(r)
	}
	switch {
	case !needed || r.Fresh(stepUp):
		return false, nil
	case posted && p.keep != nil:
		r.confirmURL = "?" + parameterConfirm + "=yes"
		return true, p.keep(r)
	}
	r.SignIn(stepUp)
	return true, nil
}

// every is for pages without a power.
func every(*request) bool { return true }

// inTheSandbox is for what concerns real people in production only.
func inTheSandbox(r *request) bool { return r.env == storage.Sandbox }

// mildMembers are a viewer invited, who changes nothing, an invitation withdrawn, and a
// member who leaves.
func mildMembers(r *request) bool {
	switch r.posted(ui.FieldAction) {
	case ui.ActionInvite:
		return r.posted(ui.FieldRole) == string(storage.RoleViewer)
	case ui.ActionRemove:
		return r.posted(ui.FieldUser) == r.User.UserID
	case ui.ActionWithdraw:
		return true
	}
	return false
}

package developer

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// A power is a form that decides who may do what or where personal data goes, or that shows
// a secret. An unlocked browser must not be enough for any of them, nor for inviting an
// accomplice who then has them all; nor must a stolen password, of who has more than that.

// stepUp is the maximum age of the authentication of a user who uses a power, at the highest
// level that the account has.
const stepUp = 5 * time.Minute

// parameterConfirm asks a page to have the user reauthenticate.
const parameterConfirm = "confirm"

// confirm has a user reauthenticate before the use of a power, and reports whether it has
// answered the request.
func (d *Dashboard) confirm(p route, r *request) (answered bool, err error) {
	if p.act == nil {
		return false, nil
	}
	posted := r.Request.Method == http.MethodPost
	needed := p.shows || r.asked(parameterConfirm) != ""
	if posted {
		needed = p.mild == nil || !p.mild(r)
	}
	if !needed {
		return false, nil
	}
	switch confirmed, err := r.Confirmed(stepUp); {
	case err != nil:
		return false, err
	case confirmed:
		r.confirmed = r.asked(parameterConfirm) != ""
		return false, nil
	case posted && p.keep != nil:
		r.confirmURL = "?" + parameterConfirm + "=yes"
		return true, p.keep(r)
	}
	r.Confirm(stepUp)
	return true, nil
}

// every is for pages without a power.
func every(*request) bool { return true }

// inTheSandbox is for forms that concern real people only in production.
func inTheSandbox(r *request) bool { return r.env == storage.Sandbox }

// mildMembers are the invitation of a viewer, who changes nothing, the withdrawal of an
// invitation, and a member's leaving.
func mildMembers(r *request) bool {
	switch r.posted(ui.FieldAction) {
	case screens.ActionInvite:
		return r.posted(screens.FieldRole) == string(storage.RoleViewer)
	case screens.ActionRemove:
		return r.posted(screens.FieldUser) == r.User.UserID
	case screens.ActionWithdraw:
		return true
	}
	return false
}

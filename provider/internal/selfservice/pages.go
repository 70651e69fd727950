// Package selfservice is what users look after once they are signed in, below /account:
// what is recorded about them, their address, password and devices, what they have allowed
// applications, and the end of their account.
package selfservice

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Pages are the pages of users who are signed in. Those by which they came check passwords
// and mail codes for them.
type Pages struct {
	*account.Pages
	Options
}

// Options are what the pages work with beside.
type Options struct {
	Store interface {
		storage.Accounts
		storage.Deletions
		storage.People
		storage.Sessions
		storage.Consents
		storage.Events
	}

	// Grace is how long an account stays after its owner has asked to delete it.
	Grace time.Duration

	// Companions returns what keeps something about users beside.
	Companions func() []host.Companion
}

// NewPages returns the pages.
func NewPages(in *account.Pages, o Options) *Pages { return &Pages{in, o} }

// Routes returns the routes of the pages.
func (p *Pages) Routes() []web.Route {
	var routes []web.Route
	look := func(path string, show authflow.PageHandler) {
		routes = append(routes, web.Route{Method: http.MethodGet, Path: path, Handler: p.Site.Page(p.Flows.Handler(authflow.NoFlow, show))})
	}
	add := func(path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(authflow.NoFlow, show), p.Flows.Handler(authflow.NoFlow, act))...)
	}
	add("/account", p.signedIn(p.showAccount), p.signedIn(p.accountAction))
	look("/account/apps", p.signedIn(p.showConsents))
	add("/account/apps/remove", p.signedIn(p.showRemoveConsent), p.signedIn(p.removeConsent))
	add("/account/groups", p.signedIn(p.showGroups), p.signedIn(p.verifyGroup))
	add("/account/data", p.someone(p.showData), p.someone(p.saveName))
	add("/account/language", p.someone(p.showLanguage), p.someone(p.chooseLanguage))
	look("/account/history", p.someone(p.showHistory))
	if p.HasAccounts() {
		add("/account/sessions", p.someone(p.showSessions), p.someone(p.endSessions))
		add("/account/password", p.owner(p.showPassword), p.owner(p.changePassword))
		add("/account/export", p.owner(p.showExport), p.owner(p.export))
		add("/account/delete", p.owner(p.showDelete), p.owner(p.delete))
	}
	if p.SendsMail() {
		add("/account/email", p.owner(p.showEmail), p.owner(p.changeEmail))
		add("/account/email/codes", p.owner(p.showEmailCodes), p.owner(p.confirmEmail))
		add("/account/verify", p.showVerify, p.verify)
	}
	return routes
}

// userHandler answers a page of a user who is signed in.
type userHandler func(w http.ResponseWriter, r *http.Request, user *authflow.User) error

// signedIn sends who is not signed in to where users sign in.
func (p *Pages) signedIn(h userHandler) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		user, err := page.User()
		switch {
		case err != nil:
			return err
		case user != nil:
			return h(w, r, user)
		case p.HasAccounts():
			p.Site.Redirect(w, p.Site.Link("/signin"))
		case r.URL.Query().Has(returnedParameter):
			// The host's page takes the user for signed in, or will not sign in here.
			p.Site.Render(w, r, http.StatusOK, p.Site.Screens.SignedOut(ui.SignedOutView{
				Page: p.Site.PageView(r, nil), SignInURL: p.Site.Link("/account"),
			}))
		default:
			p.Site.Redirect(w, authflow.HostSignIn{ReturnTo: p.accountReturn()}.Address(p.SignInURL))
		}
		return nil
	}
}

// isSomeone reports whether a user is one person. A persona is whoever knows the client ID of
// an application of the sandbox: what one of them has done is not for the others to read.
func (p *Pages) isSomeone(user *authflow.User) bool { return !p.Flows.Personas.Plays(user.UserID) }

// someone is signedIn for what is one person's own.
func (p *Pages) someone(h userHandler) authflow.PageHandler { return p.signedInAs(p.isSomeone, h) }

// ownsAccount reports whether a user has an account here to look after. A persona has been
// made up by others and has no password.
func (p *Pages) ownsAccount(user *authflow.User) bool {
	return p.HasAccounts() && p.isSomeone(user)
}

// owner is signedIn for what only the owner of an account can do.
func (p *Pages) owner(h userHandler) authflow.PageHandler { return p.signedInAs(p.ownsAccount, h) }

// signedInAs is signedIn for some users; to the others there is no such page.
func (p *Pages) signedInAs(may func(*authflow.User) bool, h userHandler) authflow.PageHandler {
	return p.signedIn(func(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
		if !may(user) {
			return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
		}
		return h(w, r, user)
	})
}

// checkOwner returns the account of a user whose password is presented once more, a problem
// with it, or how long to wait.
func (p *Pages) checkOwner(r *http.Request, user *authflow.User) (storage.Account, ui.Problem, time.Duration, error) {
	presented := r.PostForm.Get(ui.FieldPassword)
	if presented == "" {
		return storage.Account{}, ui.Problem{Code: ui.PasswordMissing}, 0, nil
	}
	checked, wait, err := p.CheckPassword(r, user.Account.Email, presented)
	switch {
	case err != nil:
		return storage.Account{}, ui.Problem{}, 0, err
	case wait > 0:
		return storage.Account{}, account.Throttled(wait), wait, nil
	case checked == nil || checked.ID != user.UserID: // the address is another's by now
		return storage.Account{}, ui.Problem{Code: ui.PasswordWrong}, 0, nil
	default:
		return *checked, ui.Problem{}, 0, nil
	}
}

// refused is the status of a form with a problem.
func refused(w http.ResponseWriter, wait time.Duration) int {
	if wait > 0 {
		return web.TooMany(w, wait)
	}
	return http.StatusUnprocessableEntity
}

// returnedParameter marks the account page for who comes from the host's sign-in page, and
// is not sent there again.
const returnedParameter = "visited"

// accountReturn is where the host's sign-in page leads to outside of flows.
func (p *Pages) accountReturn() string {
	return p.Site.BaseURL + "/account?" + returnedParameter + "=1"
}

// IsReturnTo reports whether an address is one that these pages have given to the host's
// sign-in page, or where its users come from.
func (p *Pages) IsReturnTo(address string) bool {
	return address == p.accountReturn() || address == p.Site.BaseURL+"/account"
}

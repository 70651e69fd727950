// Package selfservice has the pages of signed-in users, below /account: their data,
// address, password and devices, the consents that they have given applications, and the
// deletion of their account.
package selfservice

import (
	"context"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Pages are the pages of signed-in users. The account pages check passwords and mail codes
// for them.
type Pages struct {
	*frame
	data *dataPages
	apps *appPages
}

// frame is what every page has.
type frame struct {
	*account.Pages
	Options
}

// dataPages are what the service knows of a person, and what they change of it.
type dataPages struct {
	*frame
	apps *appPages
}

// appPages are what applications have, and the groups that they ask for.
type appPages struct{ *frame }

// Options are the further dependencies of the pages.
type Options struct {
	Store interface {
		storage.Accounts
		storage.Deletions
		storage.People
		storage.Sessions
		storage.Consents
		storage.Events
		Matters(ctx context.Context, match storage.MatterFilter) ([]storage.Matter, error)
		Authenticators(ctx context.Context, accountID string) (storage.AuthenticatorSet, error)
	}

	// Grace is how long an account stays after its owner has requested deletion.
	Grace time.Duration

	// Verification returns the path of the user's verifications, or "", and the groups in
	// which somebody is verified elsewhere.
	Verification func() (path string, elsewhere []string)

	// Wallet returns the path of what the user can put into a wallet, or "".
	Wallet func() string

	// UpstreamTitle returns what people call an upstream provider.
	UpstreamTitle func(id string) string

	// Callers makes the codes that callers of the staff read out.
	Callers *account.CallerCodes

	// Companions keep further data about users.
	Companions *host.Companions
}

// NewPages returns the pages.
func NewPages(in *account.Pages, o Options) *Pages {
	f := &frame{in, o}
	apps := &appPages{f}
	return &Pages{f, &dataPages{f, apps}, apps}
}

// Routes returns the routes of the pages.
func (p *Pages) Routes() []web.Route {
	var routes []web.Route
	look := func(path string, show authflow.PageHandler) {
		routes = append(routes, web.Route{Method: http.MethodGet, Path: path, Handler: p.Site.Page(p.Flows.Handler(authflow.NoFlow, show))})
	}
	add := func(path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(authflow.NoFlow, show), p.Flows.Handler(authflow.NoFlow, act))...)
	}
	add("/account", p.signedIn(p.apps.showAccount), p.signedIn(p.apps.accountAction))
	look("/account/apps", p.signedIn(p.apps.showConsents))
	add("/account/apps/remove", p.signedIn(p.apps.showRemoveConsent), p.signedIn(p.apps.removeConsent))
	add("/account/groups", p.signedIn(p.apps.showGroups), p.signedIn(p.apps.verifyGroup))
	add("/account/data", p.someone(p.data.showData), p.someone(p.data.saveName))
	add("/account/language", p.someone(p.showLanguage), p.someone(p.chooseLanguage))
	look("/account/history", p.someone(p.data.showHistory))
	if p.HasAccounts() {
		add("/account/sessions", p.someone(p.showSessions), p.someone(p.endSessions))
		add("/account/help", p.owner(p.showCall), p.owner(p.showCallCode))
		add("/account/export", p.sure(p.data.showExport), p.sure(p.data.export))
		add("/account/delete", p.sure(p.showDelete), p.sure(p.delete))
	}
	if p.SendsMail() {
		add("/account/email", p.sure(p.data.showEmail), p.sure(p.data.changeEmail))
		add("/account/email/codes", p.owner(p.data.showEmailCodes), p.owner(p.data.confirmEmail))
		add("/account/verify", p.apps.showVerify, p.apps.verify)
	}
	return routes
}

// userHandler answers a page of a signed-in user.
type userHandler func(w http.ResponseWriter, r *http.Request, user *authflow.User) error

// maxReturned is the longest query, in bytes, that a page keeps in the address of the sign-in.
const maxReturned = 1 << 9

// signedIn redirects to sign-in if nobody is signed in, and from there back.
func (p *frame) signedIn(h userHandler) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		user, err := page.User()
		switch {
		case err != nil:
			return err
		case user != nil:
			enough, err := p.Flows.Suffices(r.Context(), user, authflow.Return{})
			if err != nil {
				return err
			}
			if !enough { // it asks for more
				p.Site.Redirect(w, p.Site.Link("/signin"))
				return nil
			}
			return p.warned(h)(w, r, user)
		case p.HasAccounts() && web.PathOf(r) == "/account": // where a sign-in without a flow ends
			p.Site.Redirect(w, p.Site.Link("/signin"))
		case p.HasAccounts():
			address := p.Site.Link(web.PathOf(r))
			if query := r.URL.RawQuery; r.Method == http.MethodGet && query != "" && len(query) <= maxReturned {
				address += "?" + query
			}
			return p.Flows.SignIn(w, r, nil, authflow.Return{Address: address})
		case r.URL.Query().Has(returnedParameter):
			// The host's page regards the user as signed in, or will not sign in here.
			p.Site.Render(w, r, http.StatusOK, p.Site.Screens.SignedOut(ui.SignedOutView{
				Page: p.Site.PageView(r, nil), SignInURL: p.Site.Link("/account"),
			}))
		default:
			p.Site.Redirect(w, authflow.HostSignIn{ReturnTo: p.accountReturn()}.Address(p.SignInURL))
		}
		return nil
	}
}

// isSomeone reports whether a user is one person. Anybody with the client ID of a sandbox
// application can be a persona: its past is not for the others to read.
func (p *frame) isSomeone(user *authflow.User) bool { return !p.Flows.Personas.Plays(user.UserID) }

// someone is signedIn for one person's own data.
func (p *frame) someone(h userHandler) authflow.PageHandler { return p.signedInAs(p.isSomeone, h) }

// ownsAccount reports whether a user has an account here to manage. A persona is made up by
// others and has no password.
func (p *frame) ownsAccount(user *authflow.User) bool {
	return p.HasAccounts() && p.isSomeone(user)
}

// owner is signedIn for the owner of an account.
func (p *frame) owner(h userHandler) authflow.PageHandler { return p.signedInAs(p.ownsAccount, h) }

// signedInAs is signedIn for some users; others get 404.
func (p *frame) signedInAs(may func(*authflow.User) bool, h userHandler) authflow.PageHandler {
	return p.signedIn(func(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
		if !may(user) {
			return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
		}
		return h(w, r, user)
	})
}

// checkOwner checks the password that a user presents again, unless the user is known to be
// the owner, and returns the account, a problem, or how long to wait.
func (p *frame) checkOwner(r *http.Request, user *authflow.User, known bool) (storage.Account, ui.Problem, time.Duration, error) {
	if known {
		return user.Account, ui.Problem{}, 0, nil
	}
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
	case checked == nil || checked.ID != user.UserID: // the address is another's now
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

// returnedParameter marks a return from the host's sign-in page to the account page, which
// does not redirect there again.
const returnedParameter = "visited"

// accountReturn is the return address of the host's sign-in page outside of flows.
func (p *frame) accountReturn() string {
	return p.Site.BaseURL + "/account?" + returnedParameter + "=1"
}

// IsReturnTo reports whether an address was passed to the host's sign-in page by these
// pages, or is where its users return.
func (p *frame) IsReturnTo(address string) bool {
	return address == p.accountReturn() || address == p.Site.BaseURL+"/account"
}

// Package account is what users do with their accounts: sign in, sign up, reset a password,
// sign out, and look after what they have: password, sessions, and what they have allowed
// applications. Its pages lead back to the authorization endpoint when they belong to a
// flow.
package account

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Pages are the pages of accounts.
type Pages struct {
	Options
	seats seats
}

// Options are what the pages work with.
type Options struct {
	Site     *web.Site
	Flows    *authflow.Endpoint
	Engine   *engine.Engine
	Claims   *claims.Source
	Sessions *session.Manager
	Accounts *Accounts
	Audit    *audit.Log
	Activity *activity.Log

	Store interface {
		storage.Accounts
		storage.Sessions
		storage.Consents
		EndClientSessions(ctx context.Context, subject string, hostSession storage.Digest) (int, error)
		storage.OneTimeCodes
	}

	// Limits bound how often somebody may guess, Actions by how much.
	Limits  audit.Limits
	Actions Actions

	// SendMail hands a mail to the host's mailer; nil without one.
	SendMail func(ctx context.Context, to, subject, text string) error

	// SignInURL and SignOutURL are the pages of a host with users of its own.
	SignInURL, SignOutURL string

	// FlowLife is how long the way back from the host's sign-out page may take.
	FlowLife time.Duration
	Clock    func() time.Time
}

// NewPages returns the pages.
func NewPages(o Options) *Pages { return &Pages{Options: o} }

// hasAccounts reports whether the provider keeps the users itself.
func (p *Pages) hasAccounts() bool { return p.SignInURL == "" }

// sendsMail reports whether users can sign up and reset their password.
func (p *Pages) sendsMail() bool { return p.hasAccounts() && p.SendMail != nil }

// Routes returns the routes of the pages.
func (p *Pages) Routes() []web.Route {
	var routes []web.Route
	add := func(need authflow.Need, path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(need, show), p.Flows.Handler(need, act))...)
	}
	show, act := p.Flows.Handler(authflow.NoFlow, p.showSignOut), p.Flows.Handler(authflow.NoFlow, p.signOut)
	routes = append(routes,
		web.Route{Method: http.MethodGet, Path: "/signout", Handler: p.Site.Page(show)},
		web.Route{Method: http.MethodPost, Path: "/signout", Handler: p.Site.Page(p.postSignOut(p.Site.Guard(act)))})
	add(authflow.NoFlow, "/account", p.signedIn(p.showAccount), p.signedIn(p.accountAction))
	add(authflow.NoFlow, "/account/apps/remove", p.signedIn(p.showRemoveConsent), p.signedIn(p.removeConsent))
	routes = append(routes, web.Route{
		Method: http.MethodGet, Path: "/account/apps",
		Handler: p.Site.Page(p.Flows.Handler(authflow.NoFlow, p.signedIn(p.showConsents))),
	})
	if p.hasAccounts() {
		add(authflow.FlowOptional, "/signin", p.showSignIn, p.signIn)
		add(authflow.NoFlow, "/account/sessions", p.signedIn(p.showSessions), p.signedIn(p.endSessions))
		add(authflow.NoFlow, "/account/password", p.signedIn(p.showPassword), p.signedIn(p.changePassword))
	}
	if p.sendsMail() {
		add(authflow.FlowOptional, "/signup", p.showSignUp, p.signUp)
		add(authflow.FlowOptional, "/signup/code", p.showSignUpCode, p.signUpCode)
		add(authflow.FlowOptional, "/reset", p.showReset, p.reset)
		add(authflow.FlowOptional, "/reset/finish", p.showResetFinish, p.resetFinish)
		add(authflow.NoFlow, "/account/verify", p.showVerify, p.verify)
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
		case p.hasAccounts():
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

// returnedParameter marks the account page for who comes from the host's sign-in page, and
// is not sent there again.
const returnedParameter = "visited"

// accountReturn is where the host's sign-in page leads to outside of flows.
func (p *Pages) accountReturn() string {
	return p.Site.BaseURL + "/account?" + returnedParameter + "=1"
}

// IsReturnTo reports whether an address is one that these pages have given to the host's
// sign-in or sign-out page.
func (p *Pages) IsReturnTo(address string) bool {
	if sealed, ok := strings.CutPrefix(address, p.signedOutReturn("")); ok {
		_, err := p.Site.Secrets.OpenString(p.sealSignedOutPurpose(), sealed)
		return err == nil
	}
	return address == p.accountReturn() || address == p.Site.BaseURL+"/account"
}

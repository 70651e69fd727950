// Package account has the page to sign out, and what all pages of accounts share: passwords,
// mailed codes, notices and their limits, and codes that callers read out. Package signin
// has the pages to sign in and up, package recovery those to get back in, package selfservice those
// of signed-in users.
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

// signOuts are the pages on which people sign out.
type signOuts struct{ *Pages }

// emailReturns are those on which people take a changed address back.
type emailReturns struct{ *Pages }

// Options are the dependencies of the pages.
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
		storage.EmailReturns
		storage.Deletions
		storage.Sessions
		storage.Consents
		EndClientSessions(ctx context.Context, subject string, hostSession storage.Digest) (int, error)
		storage.OneTimeCodes
		CancelRecovery(ctx context.Context, accountID string) (bool, error)
	}

	// CertainTime returns the time that has come for certain (storage.Clock).
	CertainTime func(context.Context) (time.Time, error)

	// Limits throttle guesses, Actions are their sizes.
	Limits  audit.Limits
	Actions Actions

	// SendMail passes a mail to the host's mailer; nil without one.
	SendMail func(ctx context.Context, to string, v ui.MailView) error

	// SignInURL and SignOutURL are the pages of a host with its own users.
	SignInURL, SignOutURL string

	// FlowLife is how long the return from the host's sign-out page may take.
	FlowLife time.Duration
	Clock    func() time.Time
}

// NewPages returns the pages.
func NewPages(o Options) *Pages { return &Pages{Options: o} }

// HasAccounts reports whether the provider uses the embedded accounts.
func (p *Pages) HasAccounts() bool { return p.SignInURL == "" }

// SendsMail reports whether users can sign up and reset their password.
func (p *Pages) SendsMail() bool { return p.HasAccounts() && p.SendMail != nil }

// Routes returns the routes of the pages.
func (p *Pages) Routes() []web.Route {
	var routes []web.Route
	add := func(need authflow.Need, path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(need, show), p.Flows.Handler(need, act))...)
	}
	leave, back := signOuts{p}, emailReturns{p}
	show, act := p.Flows.Handler(authflow.NoFlow, leave.showSignOut), p.Flows.Handler(authflow.NoFlow, leave.signOut)
	routes = append(routes,
		web.Route{Method: http.MethodGet, Path: "/signout", Acts: true, Handler: p.Site.Page(show)},
		web.Route{Method: http.MethodGet, Path: "/", Handler: p.Site.Page(p.showRoot)},
		web.Route{Method: http.MethodPost, Path: "/signout", Handler: p.Site.Page(leave.postSignOut(p.Site.Guard(act)))})
	if p.SendsMail() {
		add(authflow.NoFlow, "/email/return", back.showReturn, back.returnEmail)
	}
	return p.Site.WithAliases(routes, web.Alias{Path: "/oauth/logout", Of: "/signout", Parameter: "redirect_uri", Called: "post_logout_redirect_uri"})
}

// showRoot redirects from the provider's base URL to the account.
func (p *Pages) showRoot(w http.ResponseWriter, _ *http.Request) error {
	p.Site.Redirect(w, p.Site.Link("/account"))
	return nil
}

// IsReturnTo reports whether these pages have passed an address to the host's sign-out
// page.
func (p *Pages) IsReturnTo(address string) bool {
	sealed, ok := strings.CutPrefix(address, signOuts{p}.signedOutReturn(""))
	if !ok {
		return false
	}
	_, err := p.Site.Secrets.OpenString(signOuts{p}.sealSignedOutPurpose(), sealed)
	return err == nil
}

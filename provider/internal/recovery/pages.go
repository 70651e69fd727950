// Package recovery has the pages on which the owner of an account gets back in: with a mailed
// code alone if the account has only a password, and otherwise with one more proof, or after a
// wait. E-mail alone never removes a passkey or an app.
package recovery

import (
	"context"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Pages are the pages of resets and recoveries.
type Pages struct {
	*account.Pages
	Options
}

// Options are the dependencies of the pages beside those of accounts.
type Options struct {
	Factors *factor.Checker

	Store interface {
		storage.Accounts
		storage.Recoveries
		Authenticators(ctx context.Context, accountID string) (storage.AuthenticatorSet, error)
	}

	// Wait is how long an owner waits who has nothing but the mailbox, WithPassword one who
	// also knows the password; zero for not at all.
	Wait, WithPassword time.Duration
}

// NewPages returns the pages.
func NewPages(in *account.Pages, o Options) *Pages { return &Pages{in, o} }

// Routes returns the routes of the pages. Without mail there is no way back.
func (p *Pages) Routes() []web.Route {
	if !p.SendsMail() {
		return nil
	}
	var routes []web.Route
	add := func(need authflow.Need, path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(need, show), p.Flows.Handler(need, act))...)
	}
	add(authflow.FlowOptional, "/reset", p.showReset, p.reset)
	add(authflow.FlowOptional, "/reset/finish", p.showResetFinish, p.resetFinish)
	add(authflow.FlowOptional, "/recover", p.showRecover, p.recover)
	add(authflow.FlowOptional, "/recover/code", p.showCode, p.code)
	routes = append(routes, web.Route{Method: http.MethodGet, Path: choosePath, Handler: p.Site.Page(p.Flows.Handler(authflow.FlowOptional, p.showChoice))})
	for _, way := range []way{passkeyWay, appWay, codeWay} {
		add(authflow.FlowOptional, path(way), p.showWay(way), p.takeFactor(way))
	}
	add(authflow.FlowOptional, path(passwordWay), p.showWay(passwordWay), p.takePassword)
	add(authflow.FlowOptional, path(waitWay), p.showWait, p.takeWait)
	add(authflow.FlowOptional, finishPath, p.showFinish, p.finish)
	add(authflow.NoFlow, "/recover/stop", p.showStop, p.stop)
	return routes
}

// link returns the address of a page with the flow that travels with this one.
func (p *Pages) link(r *http.Request, path string, more ...string) string {
	return p.Site.Link(path, append([]string{web.FlowParameter, web.Parameter(r, web.FlowParameter)}, more...)...)
}

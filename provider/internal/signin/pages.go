// Package signin has the pages on which the owner of an account signs in, signs up, and
// presents further factors: before there is a session, after it was asked for more, and again
// when it has become old. Between the first factor and the last there is nothing but a sealed
// value in the page: a session is born once, with all its factors, and whoever has not
// presented all of them has none.
package signin

import (
	"context"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Pages are the pages of sign-in and sign-up.
type Pages struct {
	*frame
	first     *firstPages
	signUps   *signUpPages
	elsewhere *upstreamPages
}

// frame is what every page has.
type frame struct {
	*account.Pages
	Options
}

// firstPages are those of the first factor.
type firstPages struct {
	*frame
	elsewhere *upstreamPages
}

// signUpPages make an account.
type signUpPages struct{ *frame }

// upstreamPages are those of a sign-in by an upstream provider.
type upstreamPages struct{ *frame }

// Options are the dependencies of the pages beside those of accounts.
type Options struct {
	Factors *factor.Checker

	Store interface {
		storage.Accounts
		storage.Deletions
		storage.Links
		Authenticators(ctx context.Context, accountID string) (storage.AuthenticatorSet, error)
		AddPasskey(ctx context.Context, p storage.Passkey, limit int, on storage.Proof) error
		Events(ctx context.Context, match storage.EventFilter) ([]storage.Event, error)
		TrustDevice(ctx context.Context, d storage.TrustedDevice, on storage.Proof) error
	}

	// TrustDevices is how long the second step can be left out in a browser; zero for never.
	TrustDevices time.Duration

	// Upgrade has browsers add a passkey after a sign-in with a password.
	Upgrade bool

	// Upstreams are the upstream providers.
	Upstreams *federation.Upstreams

	// Connect takes the return from an upstream of the owner of an account who connects an
	// identity there to it, or what has failed.
	Connect func(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival, failed error) error

	// Vouched records what an upstream says of the groups of the owner of an account.
	Vouched func(ctx context.Context, accountID string, back federation.Arrival) error

	// TellPasskey notifies the owner of an account of a new passkey.
	TellPasskey func(r *http.Request, a storage.Account)

	// ShowCodes shows the recovery codes of a new account, once, and then leads on. Nil has no
	// sign-up with a passkey.
	ShowCodes func(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, codes []string, next string) error
}

// NewPages returns the pages.
func NewPages(in *account.Pages, o Options) *Pages {
	f := &frame{in, o}
	elsewhere := &upstreamPages{f}
	return &Pages{f, &firstPages{f, elsewhere}, &signUpPages{f}, elsewhere}
}

// Routes returns the routes of the pages.
func (p *Pages) Routes() []web.Route {
	if !p.HasAccounts() {
		return nil
	}
	var routes []web.Route
	add := func(path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(authflow.FlowOptional, show), p.Flows.Handler(authflow.FlowOptional, act))...)
	}
	add("/signin", p.first.showSignIn, p.first.signIn)
	add("/signin/factor", p.showFactor, p.factor)
	add("/signin/deletion", p.showDeletion, p.decideDeletion)
	if p.hasPasskeys() {
		add("/signin/passkey", p.showOffer, p.addOffered)
	}
	if len(p.Upstreams.Offered) > 0 {
		routes = append(routes, p.elsewhere.upstreamRoutes()...)
		show, connect := p.Flows.Handler(authflow.FlowOptional, p.elsewhere.showConnect), p.Flows.Handler(authflow.FlowOptional, p.elsewhere.connected)
		routes = append(routes,
			web.Route{Method: http.MethodGet, Path: connectPath, Handler: p.Site.Page(show)},
			web.Route{Method: http.MethodGet, Path: connectedPath, Acts: true, Handler: p.Site.Page(connect)})
		if p.SendsMail() {
			add(codePath, p.elsewhere.showStrangerCode, p.elsewhere.strangerCode)
		}
	}
	if p.SendsMail() {
		add("/signup", p.signUps.showSignUp, p.signUps.signUp)
		add("/signup/code", p.signUps.showSignUpCode, p.signUps.signUpCode)
		if p.signsUpByPasskey() {
			add("/signup/passkey", p.signUps.showFirstPasskey, p.signUps.firstPasskey)
		}
	}
	return routes
}

// hasPasskeys reports whether passkeys are on.
func (p *frame) hasPasskeys() bool { return p.Factors.Party != nil }

// signsUpByPasskey reports whether an account can begin with a passkey.
func (p *frame) signsUpByPasskey() bool { return p.hasPasskeys() && p.ShowCodes != nil }

// link returns the address of a page with what travels with this one.
func (p *frame) link(r *http.Request, path string, more ...string) string {
	return p.Site.Link(path, append([]string{web.FlowParameter, web.Parameter(r, web.FlowParameter)}, more...)...)
}

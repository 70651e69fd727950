// Package authflow is the authorization endpoint and the pages of its flow.
//
// A request is parsed once (authorize.go), client and redirect URI first, because every
// later error goes there. One pure function (step.go) then decides the next step: sign-in,
// account selection, consent, or none. Each step is a page of its own that does one thing
// and returns to the authorization endpoint, so that none can be skipped; only the endpoint
// responds to the application (response.go). State between the pages is sealed and bound to
// the browser (flow.go).
package authflow

import (
	"context"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/faults"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Endpoint is the authorization endpoint of one provider.
//
// It is a frame, of flows, with rooms. A room knows the frame and what it names here, and no room that
// knows it.
type Endpoint struct {
	*flows
	*groups
	*consents
	*signIns
	*entry
}

// flows are the requests of applications on their way through the pages of a browser, and who is
// signed in there.
type flows struct{ Options }

// groups are the verified groups that an application asks for, and the ways to become verified.
type groups struct{ *flows }

// consents are what an application may have of a user.
type consents struct {
	*flows
	groups *groups
}

// signIns choose who answers a request, and as what.
type signIns struct{ *flows }

// entry is where requests arrive, and users come back from hosts and verifiers.
type entry struct {
	*flows
	groups   *groups
	consents *consents
	signIns  *signIns
}

// New returns the endpoint.
func New(o Options) *Endpoint {
	f := &flows{o}
	g, s := &groups{f}, &signIns{f}
	c := &consents{f, g}
	return &Endpoint{f, g, c, s, &entry{f, g, c, s}}
}

// Options are the dependencies of an Endpoint.
type Options struct {
	Site   *web.Site
	Engine *engine.Engine
	Claims *claims.Source
	Audit  *audit.Log

	Activity *activity.Log

	// Keys verify id_token_hints.
	Keys interface {
		Refresh(ctx context.Context)
		Verify(token string) (payload []byte, err error)
	}

	Store interface {
		Consent(ctx context.Context, subject, clientID string) (storage.Consent, error)
		// RecentConsent is Consent from a cache of less than a second.
		RecentConsent(ctx context.Context, subject, clientID string) (c storage.Consent, remembered bool, err error)
		SetLanguage(ctx context.Context, accountID, language string) error
		SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error
		SavePushedRequest(ctx context.Context, r storage.PushedRequest) error
		PushedRequest(ctx context.Context, clientID string, digest storage.Digest, now time.Time) (storage.PushedRequest, error)
	}

	// Sessions are those of the embedded accounts; SignsUp reports whether new users can
	// sign up.
	Sessions *session.Manager
	SignsUp  bool

	// Has returns what an account can present; Classes are the classes of authentication.
	// Require is the level that the provider requires of everybody with an account.
	Has     func(ctx context.Context, account storage.Account) (assurance.Has, error)
	Classes authorization.Classes
	Require storage.Assurance

	// Personas and Faults are those of a sandbox, or nil.
	Personas *persona.Cast
	Faults   *faults.Faults

	// FedCMAccount names an account to browsers that bring requests (Assert); nil if none does.
	FedCMAccount func(userID string) string

	// Host connects the host's own users.
	Host Host

	// Verifiers are by group. Declined reports whether the last request of a user for one was
	// not approved. Forget drops what is cached of a user.
	Verifiers map[string]Verifier
	Declined  func(ctx context.Context, userID, group string) (bool, error)
	Forget    func(userID string)

	// Life is how long a flow may take, SessionLife the longest that a session of the
	// host's is remembered.
	Life, SessionLife time.Duration
	Clock             func() time.Time

	// Limit is that of the requests that are kept.
	Limits audit.Limits
	Limit  ratelimit.Action
}

// Host are the host's functions about its users. With SignedIn there are no embedded
// accounts.
type Host struct {
	SignedIn  func(r *http.Request) (host.User, error)
	SignInURL string

	// Raises reports that the sign-in page can raise an authentication to the level that it
	// is asked for.
	Raises bool

	// Authorize may refuse an application; nil refuses nobody. Its refusals are a Refusal
	// or host.ErrNoUser.
	Authorize func(ctx context.Context, userID, clientID string, scopes []string) error
}

func (e *flows) hasAccounts() bool { return e.Host.SignedIn == nil }

// Routes returns the routes of the endpoint and its pages.
func (e *Endpoint) Routes() []web.Route {
	page := func(h PageHandler) web.Handler { return e.Handler(FlowRequired, h) }
	routes := []web.Route{
		{Method: http.MethodGet, Path: "/oauth/authorize", Acts: true, OwnQuery: true, Handler: e.Site.Page(e.Handler(NoFlow, e.entry.authorize))},
		{Method: http.MethodPost, Path: "/oauth/authorize", OwnQuery: true, Handler: e.Site.Page(e.entry.authorizePost)},
	}
	if !e.hasAccounts() {
		routes = append(routes, web.Route{
			Method: http.MethodGet, Path: hostReturnPath, Handler: e.Site.Page(e.Handler(NoFlow, e.entry.returnFromHost)),
		})
	}
	if len(e.Verifiers) > 0 {
		routes = append(routes, web.Route{
			Method: http.MethodGet, Path: verifierReturnPath, Handler: e.Site.Page(e.Handler(FlowOptional, e.entry.returnFromVerifier)),
		})
	}
	routes = append(routes, e.Site.FormRoutes("/oauth/select-scope", page(e.signIns.showSelectScope), page(e.signIns.selectScope))...)
	routes = append(routes, e.Site.FormRoutes("/oauth/select-account", page(e.signIns.showSelectAccount), page(e.signIns.selectAccount))...)
	consent := e.Site.FormRoutes("/oauth/consent", page(e.consents.showConsent), page(e.consents.consent))
	for i := range consent {
		consent[i].Several = ui.FieldScope
	}
	return e.Site.WithAliases(append(routes, consent...), web.Alias{Path: "/groups", Of: "/oauth/authorize", Parameter: "scopes", Called: "scope"})
}

// AccountView shows a user their own account.
func (e *flows) AccountView(ctx context.Context, userID string) (ui.Account, error) {
	person, err := e.Claims.Person(ctx, userID, claims.AccountHandles, nil)
	if err != nil {
		return ui.Account{}, err
	}
	return ui.Account{Name: person.Name(), Email: person.Text("email")}, nil
}

// Package security has the pages on which the owner of an account says how to sign in:
// passkeys, an authenticator app, recovery codes, the password, the second step, and the
// devices on which it is left out. Some of them are also pages of a flow, in which a user adds
// what is missing.
//
// Every change takes an authentication of the last minutes at the highest level that the
// account has, and is one write that rests on the session and on the account as it was read.
// The owner is told by mail and in the history. A GET writes nothing, and nothing is recorded
// before the owner has proved to have it.
package security

import (
	"context"
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// Pages are the pages of the ways to sign in.
type Pages struct {
	*frame
	*factorPages
	*linkPages
}

// frame is what every page has.
type frame struct {
	*account.Pages
	Options
}

// factorPages are those of passkeys, authenticator apps and recovery codes.
type factorPages struct{ *frame }

// linkPages are those of identities at upstream providers.
type linkPages struct{ *frame }

// Options are the further dependencies of the pages.
type Options struct {
	Store interface {
		storage.Accounts
		storage.Authenticators
		storage.Links
	}

	// Upstreams are the upstream providers. Vouched records what one says of the groups of the
	// owner.
	Upstreams *federation.Upstreams
	Vouched   func(ctx context.Context, accountID string, back federation.Arrival) error

	// Party is the relying party of passkeys; nil if they are off.
	Party      *passkey.Party
	Challenges factor.Challenges

	// Apps reports whether authenticator apps can be added.
	Apps bool
}

// NewPages returns the pages.
func NewPages(in *account.Pages, o Options) *Pages {
	f := &frame{in, o}
	return &Pages{f, &factorPages{f}, &linkPages{f}}
}

// The paths of the pages.
const (
	homePath           = account.SecurityPath
	passkeysPath       = "/account/passkeys"
	renamePasskeyPath  = "/account/passkeys/name"
	removePasskeyPath  = "/account/passkeys/remove"
	appPath            = "/account/totp"
	removeAppPath      = "/account/totp/remove"
	codesPath          = "/account/codes"
	codesFilePath      = "/account/codes/file"
	stepPath           = "/account/second-step"
	passwordPath       = "/account/password"
	removePasswordPath = "/account/password/remove"
	enrolPath          = "/signin/enrol"
	enrolPasskeyPath   = "/signin/enrol/passkey"
	enrolAppPath       = "/signin/enrol/app"
)

// Routes returns the routes of the pages; none for a host with its own users.
func (p *Pages) Routes() []web.Route {
	if !p.HasAccounts() {
		return nil
	}
	var routes []web.Route
	add := func(need authflow.Need, path string, show, act handler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(need, p.owned(show)), p.Flows.Handler(need, p.owned(act)))...)
	}
	const own, flow = authflow.NoFlow, authflow.FlowOptional
	add(own, homePath, p.showHome, p.act)
	add(own, renamePasskeyPath, p.named(p.showRename), p.named(p.rename))
	add(own, removePasskeyPath, p.fresh(p.named(p.showRemovePasskey)), p.fresh(p.named(p.removePasskey)))
	add(own, removeAppPath, p.fresh(p.showRemoveApp), p.fresh(p.removeApp))
	add(own, codesPath, p.fresh(p.showCodes), p.fresh(p.makeCodes))
	add(own, stepPath, p.fresh(p.showStep), p.fresh(p.setStep))
	add(own, passwordPath, p.showPassword, p.changePassword)
	add(own, removePasswordPath, p.fresh(p.showRemovePassword), p.fresh(p.removePassword))
	p.linkRoutes(func(path string, show, act handler) { add(own, path, show, act) })
	add(flow, enrolPath, p.enrolling(p.showEnrol), p.enrolling(p.showEnrol))
	routes = append(routes, web.Route{
		Method: http.MethodPost, Path: codesFilePath, Handler: p.Site.Page(p.Site.Guard(p.Flows.Handler(own, p.owned(p.codesFile)))),
	})
	if p.Party != nil {
		add(own, passkeysPath, p.fresh(p.showAddPasskey), p.addPasskey)
		add(flow, enrolPasskeyPath, p.enrolling(p.showAddPasskey), p.addPasskey)
	}
	if p.Apps {
		add(own, appPath, p.fresh(p.showApp), p.setApp)
		add(flow, enrolAppPath, p.enrolling(p.showApp), p.setApp)
	}
	return routes
}

// owner is the owner of an account on a page, with what the account has, from one reading.
type owner struct {
	*authflow.User
	set  storage.AuthenticatorSet
	has  assurance.Has
	page *authflow.Page
}

// handler answers a page of the owner of an account.
type handler func(w http.ResponseWriter, r *http.Request, o *owner) error

// owned redirects to sign-in if nobody is signed in. A persona, which is made up by others,
// gets 404.
func (p *frame) owned(h handler) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		user, err := page.User()
		if err != nil {
			return err
		}
		if user == nil {
			return p.signInFirst(w, r, page)
		}
		if p.Flows.Personas.Plays(user.UserID) {
			return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
		}
		o, err := p.read(r.Context(), user, page)
		if err != nil {
			return err
		}
		return h(w, p.Warned(w, r, o.set.Running), o)
	}
}

// signInFirst sends the browser to sign-in, and then to where it wants to go.
func (p *frame) signInFirst(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	if page.Flow != nil || page.Return != nil {
		p.Site.Redirect(w, p.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)))
		return nil
	}
	return p.Flows.SignIn(w, r, nil, authflow.Return{Address: p.here(r)})
}

// here is the address of the page of a request, to be shown again.
func (p *frame) here(r *http.Request) string {
	path := web.PathOf(r)
	if path == codesFilePath {
		path = codesPath
	}
	return p.Site.Link(path, security.FieldCredential, web.Parameter(r, security.FieldCredential),
		security.FieldLink, web.Parameter(r, security.FieldLink))
}

// fresh passes only owners who have authenticated a moment ago, at the highest level that the
// account has. Others do so first: a password is no proof for an account with a passkey, and
// an unlocked browser is none for any.
func (p *frame) fresh(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, o *owner) error {
		if sent, err := p.confirm(w, r, o); sent || err != nil {
			return err
		}
		return h(w, r, o)
	}
}

// confirm sends an owner who has not authenticated a moment ago to do so.
func (p *frame) confirm(w http.ResponseWriter, r *http.Request, o *owner) (sent bool, err error) {
	if o.inFlow() { // which says what it wants
		return p.notEnrolling(w, r, o)
	}
	to := authflow.Return{Address: p.here(r), Requires: assurance.Requirement{MaxAge: authflow.EnrolAge}, Highest: true}
	ok, err := p.Flows.Suffices(r.Context(), o.User, to)
	if ok || err != nil {
		return false, err
	}
	return true, p.Flows.SignIn(w, r, o.User, to)
}

// proof is what a change by the owner rests on.
func (p *frame) proof(o *owner) storage.Proof {
	on := o.set.Account.Proof()
	on.Session, on.At = o.Session, p.Clock()
	return on
}

// link returns the address of a page below the account.
func (p *frame) link(path string, query ...string) string { return p.Site.Link(path, query...) }

// home redirects to the page of all ways to sign in, which says what has happened.
func (p *frame) home(w http.ResponseWriter, r *http.Request, n security.Notice) {
	p.Site.Redirect(w, p.link(homePath, web.NoticeParameter, p.Site.Notice(w, r, ui.Notice(n))))
}

// form returns the form of a page with a problem; empty for none.
func (p *frame) form(w http.ResponseWriter, r *http.Request, problem security.Problem) (ui.Form, int) {
	if problem == "" {
		return p.Site.Form(w, r, nil), http.StatusOK
	}
	return p.Site.Form(w, r, []ui.Problem{security.Say(p.Site.Locale(r), problem)}), http.StatusUnprocessableEntity
}

// withCredential adds the passkey of a page to an address.
func withCredential(path, id string) string {
	return path + "?" + url.Values{security.FieldCredential: {id}}.Encode()
}

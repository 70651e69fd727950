package authflow

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// HostSignIn are the parameters of the host's sign-in page.
type HostSignIn struct {
	ReturnTo, LoginHint, Locales string
	SignUp, Again                bool

	// Classes are the requested authentication context classes, the best first.
	Classes []string
}

// Address returns the address of the page.
func (h HostSignIn) Address(page string) string {
	q := url.Values{"return_to": {h.ReturnTo}}
	if h.LoginHint != "" {
		q.Set("login_hint", h.LoginHint)
	}
	if h.Locales != "" {
		q.Set(web.LanguageParameter, h.Locales)
	}
	if len(h.Classes) > 0 {
		q.Set("acr_values", strings.Join(h.Classes, " "))
	}
	if h.SignUp {
		q.Set("screen", "signup")
	}
	if h.Again {
		q.Set("prompt", "login")
	}
	return web.WithQuery(page, q)
}

// sendToSignIn sends the browser to sign-in or sign-up: the provider's pages, or the
// host's, which is told if a session is not enough.
func (e *Endpoint) sendToSignIn(w http.ResponseWriter, next step, request *engine.AuthorizeRequest, sealed string, again bool) {
	switch {
	case !e.hasAccounts():
		hint := HostSignIn{ReturnTo: e.returnTo(sealed), LoginHint: request.LoginHint, Locales: request.UILocales,
			SignUp: next == stepSignUp, Again: again, Classes: request.Claims.KnownClasses()}
		e.Site.Redirect(w, hint.Address(e.Host.SignInURL))
	case next == stepSignUp && e.SignsUp:
		e.Site.Redirect(w, e.Site.Link("/signup", web.FlowParameter, sealed))
	default:
		e.Site.Redirect(w, e.Site.Link("/signin", web.FlowParameter, sealed))
	}
}

// returnTo is the address that continues a sealed flow, which needs no escaping.
func (e *Endpoint) returnTo(sealed string) string {
	return e.Site.BaseURL + "/oauth/authorize?" + web.FlowParameter + "=" + sealed
}

// IsReturnTo reports whether an address was passed to the host's sign-in page or to a
// verifier.
func (e *Endpoint) IsReturnTo(address string) bool {
	if sealed, ok := strings.CutPrefix(address, e.hostReturn("")); ok {
		return e.isReturn(sealed)
	}
	if sealed, ok := strings.CutPrefix(address, e.verifierReturn("")); ok {
		return e.isFlow(sealed) || e.isReturn(sealed)
	}
	sealed, ok := strings.CutPrefix(address, e.returnTo(""))
	return ok && e.isFlow(sealed)
}

// isFlow reports whether a sealed value is a flow, of any browser.
func (e *Endpoint) isFlow(sealed string) bool {
	_, err := e.Site.Secrets.OpenString(e.sealPurpose(), sealed)
	return err == nil
}

// BeginSession signs the browser in on a page. The flow of the page, if any, records the
// session as proof that its user has authenticated since the flow began. The errors are
// those of session.Manager.
func (e *Endpoint) BeginSession(w http.ResponseWriter, r *http.Request, p *Page, a session.Authentication) error {
	begun, err := e.Sessions.Begin(r.Context(), w, r, a)
	if err == nil && p.Flow != nil {
		p.Flow.begun = begun
	}
	p.known = false
	return err
}

// SwitchAccount signs the browser out so that another user can sign in. A host with its own
// users is asked to do so; then the page has a flow.
func (e *Endpoint) SwitchAccount(w http.ResponseWriter, r *http.Request, p *Page) error {
	user, err := p.User()
	if err != nil {
		return err
	}
	if !e.hasAccounts() {
		return e.sendTo(w, r, stepReauthenticate, p.Flow, user)
	}
	if err := e.Sessions.End(r.Context(), w, r); err != nil {
		return err
	}
	if user != nil {
		e.Audit.Record(r.Context(), storage.Event{Name: audit.SignedOut, Subject: user.UserID, Detail: "to change the account"})
	}
	e.Site.Redirect(w, e.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)))
	return nil
}

// MustReauthenticate returns the signed-in user whose password the page must ask for again.
// A persona has none, and is selected again.
func (e *Endpoint) MustReauthenticate(r *http.Request, p *Page) (*User, error) {
	if p.Flow == nil && p.Return == nil {
		return nil, nil
	}
	user, err := p.User()
	if err != nil || user == nil || e.Personas.Plays(user.UserID) {
		return nil, err
	}
	if p.Return != nil {
		if user.Within(e.Clock(), p.Return.MaxAge) {
			return nil, nil
		}
		return user, nil
	}
	s, err := e.readState(r.Context(), p.Flow, user)
	if err != nil || nextStep(s).step != stepReauthenticate {
		return nil, err
	}
	return user, nil
}

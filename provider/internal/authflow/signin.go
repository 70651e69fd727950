package authflow

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// HostSignIn are the parameters of the host's sign-in page.
type HostSignIn struct {
	ReturnTo, LoginHint, DomainHint, Locales string
	SignUp, Again                            bool

	// Classes are the requested authentication context classes, the best first.
	Classes []string
}

// Address returns the address of the page.
func (h HostSignIn) Address(page string) string {
	q := url.Values{"return_to": {h.ReturnTo}}
	if h.LoginHint != "" {
		q.Set("login_hint", h.LoginHint)
	}
	if h.DomainHint != "" {
		q.Set("domain_hint", h.DomainHint)
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
func (e *flows) sendToSignIn(w http.ResponseWriter, next step, request *engine.AuthorizeRequest, sealed string, again bool) {
	switch {
	case !e.hasAccounts():
		hint := HostSignIn{ReturnTo: e.returnTo(sealed), LoginHint: request.LoginHint, DomainHint: request.DomainHint, Locales: request.UILocales,
			SignUp: next == stepSignUp, Again: again, Classes: e.knownClasses(request)}
		e.Site.Redirect(w, hint.Address(e.Host.SignInURL))
	case next == stepEnrol:
		e.Site.Redirect(w, e.Site.Link("/signin/enrol", web.FlowParameter, sealed))
	case next == stepSignUp && e.SignsUp:
		e.Site.Redirect(w, e.Site.Link("/signup", web.FlowParameter, sealed))
	default:
		e.Site.Redirect(w, e.Site.Link("/signin", web.FlowParameter, sealed))
	}
}

// knownClasses returns the requested authentication context classes that there are.
func (e *flows) knownClasses(request *engine.AuthorizeRequest) []string {
	return slices.DeleteFunc(slices.Clone(request.Claims.Classes()), func(class string) bool {
		_, ok := e.Classes.Requirement(class)
		return !ok
	})
}

// returnTo is the address that continues a sealed flow, which needs no escaping.
func (e *flows) returnTo(sealed string) string {
	return e.Site.BaseURL + "/oauth/authorize?" + web.FlowParameter + "=" + sealed
}

// IsReturnTo reports whether an address was passed to the host's sign-in page or to a
// verifier.
func (e *signIns) IsReturnTo(address string) bool {
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
func (e *signIns) isFlow(sealed string) bool {
	_, err := e.Site.Secrets.OpenString(e.sealPurpose(), sealed)
	return err == nil
}

// BeginSession signs the browser in on a page. The flow of the page, if any, records the
// session, and which of its factors were not those of the session before, as proof that its
// user has presented them since the flow began. The errors are those of session.Manager.
func (e *signIns) BeginSession(w http.ResponseWriter, r *http.Request, p *Page, a session.Authentication, events ...storage.Event) error {
	before, err := p.User()
	if err != nil {
		return err
	}
	var begun storage.Digest
	err = e.Audit.Step(r.Context(), func(ctx context.Context) (err error) {
		begun, err = e.Sessions.Begin(ctx, w, r, a)
		return err
	}, events...)
	if err == nil && p.Flow != nil {
		p.Flow.begin(begun, a, before)
	}
	p.known = false
	return err
}

// begin records a session that was begun on a page of the flow, after that of a user, or of
// nobody.
func (f *Flow) begin(session storage.Digest, a session.Authentication, before *User) {
	var presented []storage.Method
	for _, factor := range a.Factors {
		carried := before != nil && before.UserID == a.AccountID && slices.ContainsFunc(before.Factors, func(former storage.Factor) bool {
			return former.Method == factor.Method && former.At.Equal(factor.At)
		})
		if !carried || before.Session == f.begun && slices.Contains(f.presented, factor.Method) {
			presented = append(presented, factor.Method)
		}
	}
	f.begun, f.presented = session, presented
}

// SwitchAccount signs the browser out so that another user can sign in. A host with its own
// users is asked to do so; then the page has a flow.
func (e *flows) SwitchAccount(w http.ResponseWriter, r *http.Request, p *Page) error {
	user, err := p.User()
	if err != nil {
		return err
	}
	if !e.hasAccounts() {
		return e.sendTo(w, r, stepReauthenticate, p.Flow, user)
	}
	var events []storage.Event
	if user != nil {
		events = append(events, storage.Event{Name: event.SignedOut, Subject: user.UserID, Detail: "to change the account"})
	}
	err = e.Audit.Step(r.Context(), func(ctx context.Context) error { return e.Sessions.End(ctx, w, r) }, events...)
	if err != nil {
		return err
	}
	e.Site.Redirect(w, e.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)))
	return nil
}

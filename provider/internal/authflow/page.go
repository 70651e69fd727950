package authflow

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Page is a request for a page, parsed once, with its flow and its user.
type Page struct {
	// Flow is nil for a page without a flow, or on which a user signs in for a page beside
	// the provider's own: then Return is that page.
	Flow   *Flow
	Return *Return

	endpoint *flows
	request  *http.Request
	user     *User
	known    bool

	// recent allows a cached session and decision: only for a response, whose write has
	// both as conditions. remembered reports that the session is cached.
	recent, remembered bool

	// fedCM reports a request that a browser makes for its user, whose session it names by the second
	// cookie.
	fedCM bool

	// persona is the one that the request itself has signed in, or nil.
	persona *sandbox.Persona
}

// PageHandler answers a request for a page.
type PageHandler func(w http.ResponseWriter, r *http.Request, p *Page) error

// Need says whether a page belongs to a flow.
type Need int

// The needs of pages.
const (
	NoFlow Need = iota
	FlowOptional
	FlowRequired
)

// Handler opens the flow of a page. An error of the page that concerns the application
// becomes a response to it.
func (e *flows) Handler(need Need, h PageHandler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p := &Page{endpoint: e, request: r}
		var err error
		sealed := web.Parameter(r, web.FlowParameter)
		switch {
		case need == FlowOptional && e.isReturn(sealed):
			p.Return, err = e.openReturn(r)
		case need == FlowRequired, need == FlowOptional && sealed != "":
			p.Flow, err = e.openFlow(r)
		}
		if err == nil {
			err = e.rememberLanguage(r, p)
		}
		if err == nil {
			err = h(w, r, p)
		}
		return e.settle(w, r, p, err)
	}
}

// rememberLanguage records the language that the owner of an account has chosen with the language
// switch, for mails that nothing in a browser causes.
func (e *flows) rememberLanguage(r *http.Request, p *Page) error {
	chosen := e.Site.Chosen(r)
	if chosen == "" || !e.hasAccounts() {
		return nil
	}
	user, err := p.User()
	if err != nil || user == nil || user.Account.ID == "" || user.Account.Language == chosen {
		return err
	}
	err = e.Store.SetLanguage(r.Context(), user.UserID, chosen)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("save language: %w", err)
	}
	return nil
}

// User returns the signed-in user, or nil. It is read once for each request. A persona
// unknown to the page's application counts as nobody.
func (p *Page) User() (*User, error) {
	if p.known {
		return p.user, nil
	}
	read := p.endpoint.signedIn
	if p.fedCM {
		read = p.endpoint.signedInFor
	}
	user, remembered, err := read(p.request, p.recent)
	if err != nil {
		return nil, err
	}
	p.remembered = remembered
	if p.Flow != nil && user != nil {
		known, err := p.endpoint.Personas.Knows(p.request.Context(), user.UserID, p.Flow.request.Client.ID)
		if err != nil {
			return nil, err
		}
		if !known {
			user = nil
		}
	}
	p.user, p.known = user, true
	return user, nil
}

// lookAgain has everything that may be outdated read again.
func (p *Page) lookAgain() { p.known, p.recent = false, false }

// Request returns the authorization request of the flow, or nil.
func (p *Page) Request() *engine.AuthorizeRequest {
	if p.Flow == nil {
		return nil
	}
	return p.Flow.request
}

// redirectError is an error for the application, at its redirect URI.
type redirectError struct {
	request *engine.AuthorizeRequest
	err     error

	// flow is the flow that the error ends, or nil: then the request has not become one, or
	// it has ended already.
	flow *Flow
}

func (e *redirectError) Error() string { return "refused: " + e.err.Error() }

func (e *redirectError) Unwrap() error { return e.err }

// settle handles the errors of a page that need more than an error page.
func (e *flows) settle(w http.ResponseWriter, r *http.Request, p *Page, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, host.ErrNoUser) && !web.IsUnavailable(err) {
		err = e.unknownUser(r, p, err)
	}
	cause := err
	var denied *denial
	if errors.As(err, &denied) {
		err = e.deny(w, r, denied)
	}
	var refused *redirectError
	if errors.As(err, &refused) && !web.IsUnavailable(err) {
		if refused.flow != nil {
			p.Flow = refused.flow
		}
		err = e.refuse(w, r, p, refused)
	}
	if errors.Is(err, engine.ErrAnswered) && p.Flow != nil {
		e.renderFinished(w, r, p.Flow)
		return nil
	}
	if err != nil {
		cause = err
	}
	e.note(r, p, cause)
	return err
}

// refuse sends the application an error, unless its request has been answered before: going
// back cannot take a response away. An application that nobody has registered may be anybody's, and
// its address may lead anywhere: nobody is sent there who has seen nothing of ours yet (RFC 9700
// section 4.11.2). p is nil for who is known to be signed in.
func (e *flows) refuse(w http.ResponseWriter, r *http.Request, p *Page, refused *redirectError) error {
	if err := e.endFlow(r, refused.flow); err != nil {
		return err
	}
	e.Site.LogFailure(r, protocol.AsError(refused.err).Status, refused)
	response, err := e.Engine.Refuse(refused.request, refused.err)
	if err != nil {
		return err
	}
	if p != nil && refused.request.Client.IsUnknown() && web.Parameter(r, web.FlowParameter) == "" {
		user, err := p.User()
		if err != nil {
			return err
		}
		if user == nil {
			shown := &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Request: refused.request, Cause: refused}
			if response.Mode != protocol.ModeFormPost {
				shown.BackURL = Location(response)
			}
			return shown
		}
	}
	e.respond(w, r, refused.request, response)
	return nil
}

// endFlow ends a flow, which may be nil, that could come back: one that has gone through a
// page, or of a pushed request.
func (e *flows) endFlow(r *http.Request, f *Flow) error {
	if f == nil || web.Parameter(r, web.FlowParameter) == "" && f.pushed.Digest.IsZero() {
		return nil
	}
	if err := e.Engine.EndFlow(r.Context(), f.request, e.engineFlow(f)); err != nil {
		return fmt.Errorf("end flow: %w", err)
	}
	return nil
}

// renderFinished says that the request of a page has been answered.
func (e *flows) renderFinished(w http.ResponseWriter, r *http.Request, f *Flow) {
	e.Site.RenderFor(w, r, f.request, http.StatusOK, e.Site.Screens.Finished(ui.FinishedView{
		Page: e.Site.PageView(r, f.request), BackURL: web.HomeOf(f.request.RedirectURI),
	}))
}

// Carry returns the web.FlowParameter with which another page of the provider goes on, with
// what this one has changed; empty if the page was opened for nothing.
func (e *flows) Carry(w http.ResponseWriter, r *http.Request, p *Page) (string, error) {
	switch {
	case p.Flow != nil:
		return e.seal(w, r, p.Flow)
	case p.Return != nil:
		return e.SealReturn(w, r, *p.Return)
	default:
		return "", nil
	}
}

// Continue redirects the browser to what the page was opened for, or to the account.
func (e *flows) Continue(w http.ResponseWriter, r *http.Request, p *Page) error {
	next, err := e.NextURL(w, r, p)
	if err != nil {
		return err
	}
	e.Site.Redirect(w, next)
	return nil
}

// NextURL returns the address to which Continue redirects, for a page that has something to
// show first.
func (e *flows) NextURL(w http.ResponseWriter, r *http.Request, p *Page) (string, error) {
	switch {
	case p.Flow != nil:
		return e.flowURL(w, r, p.Flow)
	case p.Return != nil:
		return p.Return.Address, nil
	default:
		return e.Site.Link("/account"), nil
	}
}

// continueWith redirects the browser to the authorization endpoint with a changed flow.
func (e *flows) continueWith(w http.ResponseWriter, r *http.Request, f *Flow) error {
	next, err := e.flowURL(w, r, f)
	if err != nil {
		return err
	}
	e.Site.Redirect(w, next)
	return nil
}

// flowURL is the address at which the authorization endpoint goes on with a changed flow.
func (e *flows) flowURL(w http.ResponseWriter, r *http.Request, f *Flow) (string, error) {
	sealed, err := e.seal(w, r, f)
	if err != nil {
		return "", err
	}
	return e.Site.Link("/oauth/authorize", web.FlowParameter, sealed), nil
}

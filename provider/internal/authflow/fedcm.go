package authflow

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Assert answers a request that a browser has brought, with the account that its user has chosen in
// the browser's own dialog (Federated Credential Management API). Where authorize would respond
// without a page, the response is the same, by the same write, and the browser gets its address.
// Otherwise the browser is told to open a window, in which the request takes its usual way.
// An error for the application is a *protocol.Error.
func (e *Endpoint) Assert(w http.ResponseWriter, r *http.Request, asked *engine.AuthorizeRequest, account string) error {
	asked.Mode = protocol.ModeFedCM
	p := &Page{endpoint: e.flows, request: r, Flow: e.newFlow(r.Context(), asked), fedCM: true}
	prompt, answered, err := e.assert(w, r, p, account)
	var denied *denial
	var refused *redirectError
	switch {
	case answered:
		return nil
	case err == nil, errors.As(err, &denied): // then the window says why
		return e.openWindow(w, r, asked, prompt)
	}
	e.note(r, p, err)
	if errors.As(err, &refused) && !web.IsUnavailable(err) {
		return protocol.AsError(refused.err)
	}
	return err
}

// assert is Assert up to the window, of whose request it returns the prompt: if another account is
// signed in than was chosen, its user is asked which to use.
func (e *entry) assert(w http.ResponseWriter, r *http.Request, p *Page, account string) (prompt []string, answered bool, err error) {
	f, prompt := p.Flow, p.Flow.request.Prompt
	for range maxTries {
		user, err := p.User()
		if err != nil {
			return nil, false, err
		}
		if user != nil {
			f.seen = []User{*user}
		}
		s, err := e.consents.readState(r.Context(), f, user)
		if err != nil {
			return nil, false, err
		}
		s, d, err := e.groups.next(r.Context(), s)
		another := user != nil && e.FedCMAccount(user.UserID) != account
		switch {
		case err != nil:
			return nil, false, err
		case d.step == stepRefuse:
			return nil, false, &redirectError{f.request, s.refusal(d.code), f}
		case another && f.request.HasPrompt(authorization.PromptNone):
			return nil, false, &redirectError{f.request, s.refusal(protocol.LoginRequired), f}
		case another:
			return append(slices.Clone(prompt), authorization.PromptSelectAccount), false, nil
		case d.step != stepIssue:
			return prompt, false, nil
		}
		err = e.issue(w, r, f, s)
		if !errors.Is(err, storage.ErrEnded) && !errors.Is(err, storage.ErrChanged) {
			return prompt, err == nil, err
		}
		p.lookAgain() // what was read is outdated
	}
	return prompt, false, nil
}

// openWindow has the browser open a window for a request, which is kept until then: whoever names a
// client can have one kept, so that there is a limit.
func (e *flows) openWindow(w http.ResponseWriter, r *http.Request, asked *engine.AuthorizeRequest, prompt []string) error {
	if err := e.allowDear(w, r, nil); err != nil {
		return err
	}
	form := maps.Clone(asked.Form)
	form.Set("display", web.DisplayPopup)
	if len(prompt) > 0 {
		form.Set("prompt", strings.Join(prompt, " "))
	}
	kept, err := e.Engine.Keep(r.Context(), asked.Client, form)
	if err != nil {
		return err
	}
	next := web.WithQuery(e.Site.BaseURL+"/oauth/authorize", url.Values{"client_id": {asked.Client.ID}, "request_uri": {kept.RequestURI}})
	e.Site.WriteJSON(w, r, http.StatusOK, map[string]string{"continue_on": next})
	return nil
}

// handOver gives the browser the address to which a redirect would lead: in the answer to its own
// request, or from the window that it has opened. In any other window the page goes nowhere, and says so.
func (e *flows) handOver(w http.ResponseWriter, r *http.Request, asked *engine.AuthorizeRequest, address string) {
	if session.OfBrowser(r) {
		e.Site.WriteJSON(w, r, http.StatusOK, map[string]string{"token": address})
		return
	}
	view := ui.FedCMView{Page: e.Site.PageView(r, asked), Answer: address}
	view.Languages = nil // the request is answered
	// The person may have changed the account since. Where that cannot be read, the browser keeps the one that was chosen.
	if user, err := e.SignedIn(r); err == nil && user != nil {
		view.AccountID = e.FedCMAccount(user.UserID)
	}
	e.Site.RenderFor(w, r, asked, http.StatusOK, e.Site.Screens.FedCM(view))
}

// signedInFor is signedIn for a request that a browser makes for its user, who has chosen the account.
func (e *flows) signedInFor(r *http.Request, _ bool) (u *User, remembered bool, err error) {
	s, account, ok, err := e.Sessions.OfFedCM(r.Context(), r)
	if err != nil || !ok {
		return nil, false, err
	}
	e.Sessions.Use(r.Context(), s)
	return e.userOf(s, account), false, nil
}

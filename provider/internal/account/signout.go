package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// signOutRequest is a request to sign out, from the user or an application (OpenID Connect
// RP-Initiated Logout 1.0).
type signOutRequest struct {
	hint authflow.Hint

	// client is the application to which the browser returns, or nil.
	client *registry.Client

	// uri is a registered post_logout_redirect_uri, and back the same with the state, or
	// both are empty.
	uri, back string
}

// maxSignOutState limits the state of a sign-out request in bytes, as for an authorization
// request.
const maxSignOutState = 4096

// readSignOut reads a sign-out request. An id_token_hint that is foreign, or whose key is
// gone, proves nothing and is ignored: people must be able to sign out long after a key has
// changed. They are then asked, and return only to an address that is registered for the
// client_id. Without one nobody vouches for an address, which is ignored, too.
func (p signOuts) readSignOut(r *http.Request) (signOutRequest, error) {
	var s signOutRequest
	clientID := web.Parameter(r, web.ClientParameter)
	if claims, ok := p.Flows.ReadHint(r.Context(), web.Parameter(r, "id_token_hint")); ok {
		if clientID != "" && clientID != claims.Audience {
			return s, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
		}
		s.hint, clientID = claims, claims.Audience
	}
	uri := web.Parameter(r, "post_logout_redirect_uri")
	if uri == "" || clientID == "" {
		return s, nil
	}
	client, err := p.Engine.Client(r.Context(), clientID)
	if err != nil && !errors.Is(err, registry.ErrNoClient) {
		return s, err
	}
	if err == nil && !slices.Contains(client.PostLogoutRedirectURIs, uri) {
		p.noteElsewhere(r, client, uri)
	}
	if err != nil || !slices.Contains(client.PostLogoutRedirectURIs, uri) {
		return s, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRedirect}
	}
	s.client, s.uri, s.back = client, uri, uri
	if state := web.Parameter(r, "state"); len(state) > maxSignOutState {
		return s, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
	} else if state != "" {
		s.back = authflow.Location(issue.Response{RedirectURI: uri, Mode: protocol.ModeQuery,
			Parameters: []issue.Parameter{{Name: "state", Value: state}}})
	}
	return s, nil
}

// signOutParameters are those of RP-Initiated Logout 1.0 section 2.
var signOutParameters = []string{
	web.ClientParameter, "id_token_hint", "logout_hint", "post_logout_redirect_uri", "state", web.LanguageParameter,
}

// postSignOut accepts the form of the provider's page, and an application's request by
// POST, which it redirects to the same request by GET: cookies do not travel with a form
// that another site has posted. A form without the page's CSRF token signs nobody out.
func (p signOuts) postSignOut(own web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ours, err := p.Site.IsOurs(r)
		if err != nil {
			return err
		}
		if ours {
			return own(w, r)
		}
		var query []string
		for _, name := range signOutParameters {
			query = append(query, name, web.Parameter(r, name))
		}
		p.Site.Leave(w, r, p.Site.Link("/signout", query...), false, nil)
		return nil
	}
}

// noteElsewhere records, for an application's developers, that its user does not return to
// it.
func (p signOuts) noteElsewhere(r *http.Request, client *registry.Client, uri string) {
	mistaken := (&protocol.Error{Code: protocol.InvalidRequest}).Because(diagnosis.SignOutNotRegistered)
	mistaken.Details = diagnosis.Unregistered("post_logout_redirect_uri", uri, client.PostLogoutRedirectURIs)
	p.Activity.Refused(r.Context(), activity.SignOut, activity.Party{ClientID: client.ID}, mistaken)
}

// showSignOut asks whether to sign out. It signs out at once only if the application proves
// with an ID token that it knows the signed-in user; otherwise any page could sign users
// out with an image.
func (p signOuts) showSignOut(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	if sealed := r.URL.Query().Get(signedOutParameter); sealed != "" {
		return p.returnFromHost(w, r, page, sealed)
	}
	s, err := p.readSignOut(r)
	if err != nil {
		return err
	}
	user, err := page.User()
	if err != nil {
		return err
	}
	if user == nil {
		return p.signedOut(w, r, s)
	}
	if s.hint.Subject == user.UserID {
		return p.endSession(w, r, s, user)
	}
	account, err := p.Flows.AccountView(r.Context(), user.UserID)
	if err != nil && !errors.Is(err, host.ErrNoUser) { // a user whose account is gone can still sign out
		return err
	}
	form := ui.Form{Action: p.Site.Link("/signout")}
	var more []ui.Field
	for _, name := range []string{web.ClientParameter, "id_token_hint", "post_logout_redirect_uri", "state"} {
		if value := web.Parameter(r, name); value != "" {
			more = append(more, ui.Field{Name: name, Value: value})
		}
	}
	form.Hidden = p.Site.Hidden(w, r, more...)
	p.Site.RenderTo(w, r, false, []string{p.SignOutURL, s.back}, http.StatusOK, p.Site.Screens.SignOut(ui.SignOutView{
		Page: p.Site.PageView(r, nil), Form: form, Account: account, CancelURL: p.Site.Link("/account"),
	}))
	return nil
}

// signOut ends the session of this browser.
func (p signOuts) signOut(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	s, err := p.readSignOut(r)
	if err != nil {
		return err
	}
	user, err := page.User()
	if err != nil {
		return err
	}
	if user == nil {
		return p.signedOut(w, r, s)
	}
	return p.endSession(w, r, s, user)
}

func (p signOuts) endSession(w http.ResponseWriter, r *http.Request, s signOutRequest, user *authflow.User) error {
	if !p.HasAccounts() {
		target := p.SignOutURL
		if target == "" {
			return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
		}
		if s.back == "" {
			// Nobody returns to say that it is done.
			if err := p.endHostSessions(r, user.UserID, authflow.HostSession(user.UserID, user.SessionID)); err != nil {
				return err
			}
			p.Site.Redirect(w, target)
			return nil
		}
		returnTo, err := p.sealSignedOut(s, user)
		if err != nil {
			return err
		}
		p.Site.Leave(w, r, web.WithQuery(target, url.Values{"return_to": {returnTo}}), false, nil)
		return nil
	}
	err := p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Sessions.End(ctx, w, r) },
		storage.Event{Name: event.SignedOut, Subject: user.UserID})
	if err != nil {
		return err
	}
	return p.signedOut(w, r, s)
}

// endHostSessions has applications told that a session of the host's has ended, or, if the
// host does not name it, all of the user's.
func (p signOuts) endHostSessions(r *http.Request, userID string, session storage.Digest) error {
	_, err := audit.StepIf(r.Context(), p.Audit, func(ctx context.Context) (int, error) {
		return p.Store.EndClientSessions(ctx, userID, session)
	}, storage.Event{Name: event.SignedOut, Subject: userID})
	if err != nil {
		return fmt.Errorf("end client sessions: %w", err)
	}
	return nil
}

// signedOut redirects the browser to the application, or says that nobody is signed in.
func (p signOuts) signedOut(w http.ResponseWriter, r *http.Request, s signOutRequest) error {
	if s.back != "" {
		p.goBack(w, r, s, r.Method == http.MethodPost)
		return nil
	}
	signIn := ""
	if p.HasAccounts() {
		signIn = p.Site.Link("/signin")
	}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.SignedOut(ui.SignedOutView{Page: p.Site.PageView(r, nil), SignInURL: signIn}))
	return nil
}

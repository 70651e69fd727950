package provider

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/ui"
)

// signOutRequest is a request to sign out, by the user or by an application (OpenID
// Connect RP-Initiated Logout 1.0).
type signOutRequest struct {
	hint hintClaims

	// back is a registered post_logout_redirect_uri with the state, or empty.
	back string
}

// clientParameter names the application that asks to sign out, or one whose access
// is to be removed.
const clientParameter = "client_id"

func (p *Provider) readSignOut(r *http.Request) (signOutRequest, error) {
	var s signOutRequest
	clientID := parameter(r, clientParameter)
	if hint := parameter(r, "id_token_hint"); hint != "" {
		var err error
		if s.hint, err = p.hintClaims(hint); err != nil {
			return s, err
		}
		if clientID != "" && clientID != s.hint.Audience {
			return s, &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest}
		}
		clientID = s.hint.Audience
	}
	uri := parameter(r, "post_logout_redirect_uri")
	if uri == "" {
		return s, nil
	}
	client, err := p.engine.Client(r.Context(), clientID)
	if err != nil && !errors.Is(err, engine.ErrNoClient) {
		return s, err
	}
	if err != nil || !slices.Contains(client.PostLogoutRedirectURIs, uri) {
		return s, &pageError{status: http.StatusBadRequest, code: ui.ErrorRedirect}
	}
	s.back = uri
	if state := parameter(r, "state"); state != "" {
		s.back = location(engine.Response{RedirectURI: uri, Mode: engine.ModeQuery,
			Parameters: []engine.Parameter{{Name: "state", Value: state}}})
	}
	return s, nil
}

// showSignOut asks whether to sign out. It signs out at once only when the
// application proves by an ID token that it knows who is signed in; otherwise any
// page could sign visitors out with an image.
func (p *Provider) showSignOut(w http.ResponseWriter, r *http.Request) error {
	s, err := p.readSignOut(r)
	if err != nil {
		return err
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if user == nil {
		return p.signedOut(w, r, s)
	}
	if s.hint.Subject == user.UserID {
		return p.endSession(w, r, s, user)
	}
	account, err := p.accountView(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	form := ui.Form{Action: p.link("/signout")}
	var more []ui.Field
	for _, name := range []string{clientParameter, "id_token_hint", "post_logout_redirect_uri", "state"} {
		if value := parameter(r, name); value != "" {
			more = append(more, ui.Field{Name: name, Value: value})
		}
	}
	form.Hidden = p.hidden(w, r, more...)
	p.render(w, r, http.StatusOK, ui.SignOut(ui.SignOutView{
		Page: p.pageView(r, nil), Form: form, Account: account, CancelURL: p.link("/account"),
	}))
	return nil
}

// signOut ends the session of this browser.
func (p *Provider) signOut(w http.ResponseWriter, r *http.Request) error {
	s, err := p.readSignOut(r)
	if err != nil {
		return err
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if user == nil {
		return p.signedOut(w, r, s)
	}
	return p.endSession(w, r, s, user)
}

func (p *Provider) endSession(w http.ResponseWriter, r *http.Request, s signOutRequest, user *SignedIn) error {
	if !p.hasAccounts() {
		target := p.cfg.Users.SignOutURL
		if target == "" {
			return &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound}
		}
		if s.back != "" {
			u, err := url.Parse(target)
			if err != nil {
				return err
			}
			q := u.Query()
			q.Set("return_to", s.back)
			u.RawQuery = q.Encode()
			target = u.String()
		}
		p.redirect(w, target)
		return nil
	}
	if err := p.sessions.End(r.Context(), w, r); err != nil {
		return err
	}
	p.record(r.Context(), Event{Name: EventSignedOut, UserID: user.UserID})
	return p.signedOut(w, r, s)
}

// signedOut sends the browser back to the application, or says that nobody is
// signed in.
func (p *Provider) signedOut(w http.ResponseWriter, r *http.Request, s signOutRequest) error {
	if s.back != "" {
		p.redirect(w, s.back)
		return nil
	}
	signIn := ""
	if p.hasAccounts() {
		signIn = p.link("/signin")
	}
	p.render(w, r, http.StatusOK, ui.SignedOut(ui.SignedOutView{Page: p.pageView(r, nil), SignInURL: signIn}))
	return nil
}

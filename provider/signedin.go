package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// newSessions returns what keeps users of the embedded accounts signed in.
func (p *Provider) newSessions() *session.Manager {
	return &session.Manager{
		Store: p.cfg.Store, Tokens: p.tokens, Cookies: p.cookies,
		Idle: p.cfg.Lifetimes.SessionIdle, Life: p.cfg.Lifetimes.Session, Clock: p.cfg.Clock,
	}
}

// signedIn returns who is signed in on a request, or nil.
func (p *Provider) signedIn(r *http.Request) (*SignedIn, error) {
	if p.hasAccounts() {
		s, account, ok, err := p.sessions.Current(r.Context(), r)
		if err != nil || !ok {
			return nil, err
		}
		return &SignedIn{UserID: account.ID, AuthTime: s.AuthTime, AMR: s.AMR}, nil
	}
	user, err := callHost(r.Context(), func(ctx context.Context) (SignedIn, error) {
		return p.cfg.Users.SignedIn(r.WithContext(ctx))
	})
	if err != nil {
		return nil, fmt.Errorf("%w: SignedIn: %w", errHost, err)
	}
	if user.UserID == "" {
		return nil, nil
	}
	if user.AuthTime.Nanosecond() == 0 {
		// Counted in whole seconds, an authentication in this second must
		// not look older than a request that came earlier in it.
		user.AuthTime = user.AuthTime.Add(time.Second - time.Microsecond)
	}
	return &user, nil
}

// mustBeSignedIn returns who is signed in, or sends the visitor to sign in; then
// the user is nil and the request answered.
func (p *Provider) mustBeSignedIn(w http.ResponseWriter, r *http.Request) (*SignedIn, error) {
	user, err := p.signedIn(r)
	if err != nil || user != nil {
		return user, err
	}
	if p.hasAccounts() {
		p.redirect(w, p.link("/signin"))
	} else {
		p.redirect(w, hostSignIn{returnTo: p.cfg.BaseURL + "/account"}.address(p.cfg.Users.SignInURL))
	}
	return nil, nil
}

// hostSignIn is what the host's sign-in page is told.
type hostSignIn struct {
	returnTo, loginHint, locales string
	signUp, again                bool
}

func (h hostSignIn) address(page string) string {
	q := url.Values{"return_to": {h.returnTo}}
	if h.loginHint != "" {
		q.Set("login_hint", h.loginHint)
	}
	if h.locales != "" {
		q.Set(languageParameter, h.locales)
	}
	if h.signUp {
		q.Set("screen", "signup")
	}
	if h.again {
		q.Set("prompt", "login")
	}
	separator := "?"
	if strings.Contains(page, "?") {
		separator = "&"
	}
	return page + separator + q.Encode()
}

// IsReturnTo reports whether an address is one that this provider has given to the
// host's sign-in page as return_to. The page must check it before it redirects
// there, so that nobody can use it to send visitors elsewhere.
func (p *Provider) IsReturnTo(address string) bool {
	sealed, ok := strings.CutPrefix(address, p.returnTo(""))
	if !ok {
		return address == p.cfg.BaseURL+"/account"
	}
	_, err := p.secrets.OpenString(p.sealFlowPurpose(), sealed)
	return err == nil
}

// returnTo is where a sealed flow, of which nothing needs an escape, goes on.
func (p *Provider) returnTo(sealed string) string {
	return p.cfg.BaseURL + "/oauth/authorize?" + flowParameter + "=" + sealed
}

// accountView shows a user to that user.
func (p *Provider) accountView(ctx context.Context, userID string) (ui.Account, error) {
	r, err := p.person(ctx, userID, []string{"fname", "lname", "email"}, nil)
	if err != nil {
		return ui.Account{}, err
	}
	text := func(handle string) string { return strings.Join(displayValue(r.attribute(handle)), " ") }
	return ui.Account{Name: strings.TrimSpace(text("fname") + " " + text("lname")), Email: text("email")}, nil
}

// accountOf returns the embedded account of a user.
func (p *Provider) accountOf(ctx context.Context, user *SignedIn) (storage.Account, error) {
	account, err := p.cfg.Store.Account(ctx, user.UserID)
	if err != nil {
		return storage.Account{}, fmt.Errorf("read account: %w", err)
	}
	return account, nil
}

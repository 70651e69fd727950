package authflow

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// Return is a page beside the provider's own for which somebody signs in. It goes through
// the pages in place of a Flow, sealed and bound to the browser: nobody else can say where
// a sign-in leads to (open redirect). It allows nothing, so it does not expire: the page
// itself looks who is signed in.
type Return struct {
	// Address is a path of this origin, with a query or without.
	Address string

	// MaxAge is how long ago the user may have authenticated; zero sets no bound.
	MaxAge time.Duration

	// verifying is whom a verifier was asked for, and the group; zero for nobody.
	verifying verifying
}

// sealedReturn is the form in which a return travels.
type sealedReturn struct {
	Address string        `json:"a"`
	MaxAge  time.Duration `json:"m,omitempty"`
	Verify  verifying     `json:"w,omitzero"`
	Browser []byte        `json:"b"`
}

func (e *Endpoint) returnPurpose() string { return "return " + e.Site.Issuer }

// SignIn sends the browser to where users sign in, or to confirm who they are when this
// one, or nobody, is signed in, and from there to the page that asks for it.
func (e *Endpoint) SignIn(w http.ResponseWriter, r *http.Request, user *User, to Return) error {
	sealed, err := e.sealReturn(w, r, to)
	if err != nil {
		return err
	}
	if e.hasAccounts() {
		e.Site.Redirect(w, e.Site.Link("/signin", web.FlowParameter, sealed))
		return nil
	}
	e.Site.Redirect(w, HostSignIn{ReturnTo: e.hostReturn(sealed), Again: user != nil}.Address(e.Host.SignInURL))
	return nil
}

// sealReturn returns a return as it travels, bound to this browser.
func (e *Endpoint) sealReturn(w http.ResponseWriter, r *http.Request, to Return) (string, error) {
	browser := sha256.Sum256([]byte(e.Site.Browser(w, r)))
	plain, err := json.Marshal(sealedReturn{to.Address, to.MaxAge, to.verifying, browser[:]})
	if err != nil {
		return "", fmt.Errorf("encode return: %w", err)
	}
	return e.Site.Secrets.SealString(e.returnPurpose(), plain), nil
}

// isReturn reports whether a sealed value is a return, of whichever browser.
func (e *Endpoint) isReturn(sealed string) bool {
	_, err := e.Site.Secrets.OpenString(e.returnPurpose(), sealed)
	return err == nil
}

// openReturn returns where the page of a request leads back to.
func (e *Endpoint) openReturn(r *http.Request) (*Return, error) {
	plain, err := e.Site.Secrets.OpenString(e.returnPurpose(), web.Parameter(r, web.FlowParameter))
	if err != nil {
		return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	var s sealedReturn
	if err := json.Unmarshal(plain, &s); err != nil {
		return nil, fmt.Errorf("decode return: %w", err)
	}
	browser := sha256.Sum256([]byte(e.Site.Cookies.Get(r, session.Browser)))
	if subtle.ConstantTimeCompare(browser[:], s.Browser) != 1 {
		return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorBrowser, Cause: errors.New("return of another browser")}
	}
	return &Return{s.Address, s.MaxAge, s.Verify}, nil
}

// hostReturnPath is where the host's sign-in page leads to for a page beside ours.
const hostReturnPath = "/signin/return"

// hostReturn is where a sealed return goes on, of which nothing needs an escape.
func (e *Endpoint) hostReturn(sealed string) string {
	return e.Site.BaseURL + hostReturnPath + "?" + web.FlowParameter + "=" + sealed
}

// returnFromHost goes on to the page after the host has signed its user in. A host that is
// content with its session would have the browser go to and fro without end: it stays here.
func (e *Endpoint) returnFromHost(w http.ResponseWriter, r *http.Request, p *Page) error {
	to, err := e.openReturn(r)
	if err != nil {
		return err
	}
	user, err := p.User()
	if err != nil {
		return err
	}
	if user != nil && user.Within(e.Clock(), to.MaxAge) {
		e.Site.Redirect(w, to.Address)
		return nil
	}
	e.Site.Render(w, r, http.StatusOK, e.Site.Screens.SignedOut(ui.SignedOutView{
		Page: e.Site.PageView(r, nil), SignInURL: to.Address, Stale: user != nil,
	}))
	return nil
}

// Within reports whether a user has authenticated within maxAge; with zero at any time. An
// authentication that seems to lie ahead was written by a clock that was wrong: it may be
// of any age.
func (u *User) Within(now time.Time, maxAge time.Duration) bool {
	return maxAge <= 0 || !clock.Ahead(now, u.AuthTime) && clock.Elapsed(now, u.AuthTime) <= maxAge
}

package authflow

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Return is a page beside the provider's own for which a user signs in. It takes the place
// of a Flow in the pages, sealed and bound to the browser, so that nobody else can choose
// where a sign-in ends (open redirect). It grants nothing and so does not expire: the page
// itself checks who is signed in.
type Return struct {
	// Address is a path of this origin, with or without a query.
	Address string

	// Requires is what the user's authentication must meet, Highest that it has the highest
	// level that the account has.
	Requires assurance.Requirement
	Highest  bool

	// verifying is the user and the group of a verification; zero for none.
	verifying verifying
}

// sealedReturn is the form in which a return travels.
type sealedReturn struct {
	Address  string            `json:"a"`
	Level    storage.Assurance `json:"l,omitempty"`
	MaxAge   time.Duration     `json:"m,omitempty"`
	Enrolled time.Duration     `json:"e,omitempty"`
	Highest  bool              `json:"h,omitempty"`
	Verify   verifying         `json:"w,omitzero"`
	Browser  []byte            `json:"b"`

	// Locales are the languages of the flow that the page belongs to, if it belongs to one.
	Locales string `json:"u,omitempty"`
}

func (e *flows) returnPurpose() string { return "return " + e.Site.Issuer }

// SignIn sends the browser to sign-in, or to reauthentication while this user is signed in,
// and then to the page that asks for it.
func (e *entry) SignIn(w http.ResponseWriter, r *http.Request, user *User, to Return) error {
	sealed, err := e.SealReturn(w, r, to)
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

// SealReturn returns a return as it travels, bound to this browser.
func (e *flows) SealReturn(w http.ResponseWriter, r *http.Request, to Return) (string, error) {
	browser := sha256.Sum256([]byte(e.Site.Browser(w, r)))
	plain, err := json.Marshal(sealedReturn{to.Address, to.Requires.Level, to.Requires.MaxAge, to.Requires.Enrolled, to.Highest, to.verifying, browser[:], web.Spoken(r)})
	if err != nil {
		return "", fmt.Errorf("encode return: %w", err)
	}
	return e.Site.Secrets.SealString(e.returnPurpose(), plain), nil
}

// isReturn reports whether a sealed value is a return, of any browser.
func (e *flows) isReturn(sealed string) bool {
	_, err := e.Site.Secrets.OpenString(e.returnPurpose(), sealed)
	return err == nil
}

// openReturn returns the page to which the page of a request returns.
func (e *flows) openReturn(r *http.Request) (*Return, error) {
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
	web.Speak(r.Context(), s.Locales)
	return &Return{s.Address, assurance.Requirement{Level: s.Level, MaxAge: s.MaxAge, Enrolled: s.Enrolled}, s.Highest, s.Verify}, nil
}

// hostReturnPath is the return address of the host's sign-in page for a page beside the
// provider's.
const hostReturnPath = "/signin/return"

// hostReturn is the address that continues a sealed return, which needs no escaping.
func (e *flows) hostReturn(sealed string) string {
	return e.Site.BaseURL + hostReturnPath + "?" + web.FlowParameter + "=" + sealed
}

// returnFromHost continues to the page after the host has signed its user in. If the host
// is satisfied with a session that is too old, the browser stays here; otherwise it would
// loop forever.
func (e *entry) returnFromHost(w http.ResponseWriter, r *http.Request, p *Page) error {
	to, err := e.openReturn(r)
	if err != nil {
		return err
	}
	user, err := p.User()
	if err != nil {
		return err
	}
	if user != nil && user.MeetsAt(to.Requires, e.Clock()) {
		e.Site.Redirect(w, to.Address)
		return nil
	}
	e.Site.Render(w, r, http.StatusOK, e.Site.Screens.SignedOut(ui.SignedOutView{
		Page: e.Site.PageView(r, nil), SignInURL: to.Address, Stale: user != nil,
	}))
	return nil
}

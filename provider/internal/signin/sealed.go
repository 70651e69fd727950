package signin

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
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// purpose is the page that a sealed value leads to. It is good at no other.
type purpose string

// The purposes.
const (
	forFactor   purpose = "second factor"
	forDeletion purpose = "recognized"
	forOffer    purpose = "offered passkey"
	forSignUp   purpose = "new account"
	forProblem  purpose = "problem"
	forConnect  purpose = "connection"
	forAgreed   purpose = "connection that was agreed to"
)

// state is what a browser carries, sealed, from one page of a sign-in to the next. Nothing of it
// is stored, and it is no session: whoever reads it from an address or a log lacks the cookie
// of its browser.
type state struct {
	AccountID string `json:"i,omitempty"`

	// Epoch and Version are those of the account when the factors were checked: another
	// password, and every change of a factor, ends what began before.
	Epoch   int64 `json:"n"`
	Version int64 `json:"v"`

	// Factors are those presented so far.
	Factors []storage.Factor `json:"f,omitempty"`

	// Proof is what the next write rests on, with what it spends.
	Proof storage.Proof `json:"p,omitzero"`

	// Email is the address of a new account, which was proved.
	Email string `json:"e,omitempty"`

	// SignUp reports that the account has just been created.
	SignUp bool `json:"u,omitempty"`

	// Link is an identity at an upstream provider that is to be connected to the account, Nonce
	// names the one time that it can be, and Began is since when.
	Link  storage.Link `json:"l,omitzero"`
	Nonce []byte       `json:"c,omitempty"`
	Began int64        `json:"g,omitempty"`

	// Problem is what the page is to say, and Until, of ui.TooManyAttempts, when to try again.
	Problem ui.ProblemCode `json:"m,omitempty"`
	Until   int64          `json:"w,omitempty"`

	Browser []byte `json:"b"`

	// For is the digest of what the page was opened for: a later request that demands a
	// sign-in is not met by an earlier factor.
	For []byte `json:"o"`

	Made int64 `json:"t"`
}

func (p *frame) sealPurpose(to purpose) string { return string(to) + " " + p.Site.Issuer }

// seal returns a state as it travels, bound to this browser and to what the next page is opened
// for: its web.FlowParameter.
func (p *frame) seal(w http.ResponseWriter, r *http.Request, to purpose, opened string, s state) (string, error) {
	browser, forPage := sha256.Sum256([]byte(p.Site.Browser(w, r))), sha256.Sum256([]byte(opened))
	s.Browser, s.For, s.Made = browser[:], forPage[:], p.Clock().Unix()
	s.Link.Digest = storage.Digest{} // which the rest of it makes; addresses are short
	plain, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode state of sign-in: %w", err)
	}
	return p.Site.Secrets.SealString(p.sealPurpose(to), plain), nil
}

// open returns the state of a page or form, unless it is older than life.
func (p *frame) open(r *http.Request, from purpose, life time.Duration) (state, error) {
	return p.openFor(r, from, life, web.Parameter(r, web.CodeParameter), web.Parameter(r, web.FlowParameter))
}

// openFor is open for a state of another page than that of the request.
func (p *frame) openFor(r *http.Request, from purpose, life time.Duration, sealed, flow string) (state, error) {
	plain, err := p.Site.Secrets.OpenString(p.sealPurpose(from), sealed)
	if err != nil {
		return state{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	var s state
	if err := json.Unmarshal(plain, &s); err != nil {
		return state{}, fmt.Errorf("decode state of sign-in: %w", err)
	}
	s.Link.Digest = p.Upstreams.Digest(upstream.Identity{Issuer: s.Link.Issuer, Subject: s.Link.Subject})
	browser := sha256.Sum256([]byte(p.Site.Cookies.Get(r, session.Browser)))
	if subtle.ConstantTimeCompare(browser[:], s.Browser) != 1 {
		return state{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorBrowser, Cause: errors.New("sign-in of another browser")}
	}
	opened := sha256.Sum256([]byte(flow))
	if subtle.ConstantTimeCompare(opened[:], s.For) != 1 {
		return state{}, expired(errors.New("sign-in for another page"))
	}
	if !clock.Within(p.Clock(), time.Unix(s.Made, 0), life) {
		return state{}, expired(errors.New("sign-in was left open"))
	}
	return s, nil
}

// expired is the error page for a sign-in that cannot go on, and has to begin again.
func expired(cause error) error {
	return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: cause}
}

// holds reports whether an account is as it was when the factors were checked.
func (s state) holds(a storage.Account) bool {
	return a.ID == s.AccountID && !a.Disabled && a.Epoch == s.Epoch && a.FactorsVersion == s.Version
}

package federation

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Life is how long somebody may stay at an upstream provider.
const Life = 10 * time.Minute

// skew is how much earlier than the attempt an upstream whose clock is slow may say that an
// authentication was that was asked for afresh.
const skew = time.Minute

// Purpose is what somebody has gone to an upstream provider for.
type Purpose string

// The purposes.
const (
	ToSignIn  Purpose = "sign in"
	ToConfirm Purpose = "authenticate again"
	ToConnect Purpose = "connect"
)

// Attempt is one visit of an upstream provider. It is in a cookie of the browser, sealed, with
// what the connector keeps: upstreams and the proxies before them take no long addresses. The
// state of the request there says only which cookie of which browser it is. Nothing of it is
// stored before somebody comes back with it.
type Attempt struct {
	Purpose Purpose `json:"p"`

	// Opened is what the page was opened for, its web.FlowParameter.
	Opened string `json:"o,omitempty"`

	// AccountID, Epoch, Version and Session are those of the user who was signed in, unless
	// the purpose is to sign in.
	AccountID string         `json:"i,omitempty"`
	Epoch     int64          `json:"e,omitempty"`
	Version   int64          `json:"v,omitempty"`
	Session   storage.Digest `json:"s,omitzero"`

	// Afresh reports that an authentication of now was asked for.
	Afresh bool `json:"f,omitempty"`

	// Keep is what the connector keeps.
	Keep []byte `json:"k,omitempty"`

	state
}

// state is the part of an attempt that travels as the state of its request.
type state struct {
	ID       []byte `json:"d"`
	Upstream string `json:"u"`
	Slot     int    `json:"c,omitempty"`
	Browser  []byte `json:"b"`
	Made     int64  `json:"t"`

	// Plain reports that the application is at an address of plain http, to which the policy
	// of a page has to allow a form to lead.
	Plain bool `json:"h,omitempty"`
}

// NewAttempt returns an attempt after which a browser goes on to this redirect URI of an
// application, if any.
func NewAttempt(purpose Purpose, opened, redirectURI string) Attempt {
	return Attempt{Purpose: purpose, Opened: opened, state: state{Plain: strings.HasPrefix(redirectURI, web.PlainHTTP)}}
}

// Digest names the attempt, which is used once.
func (a Attempt) Digest() storage.Digest {
	return sha256.Sum256(append([]byte("upstream attempt "), a.ID...))
}

// Until is the time until which the use of the attempt is known.
func (a Attempt) Until() time.Time { return time.Unix(a.Made, 0).Add(Life + time.Minute) }

// Hints are what an upstream may make use of.
type Hints struct {
	Email, Domain string
	Classes       []string
	SelectAccount bool
}

// cookieSlots is how many visits a browser can make at a time; more end the earlier ones. All
// these cookies, with flows as long as they get, fit into the 8 kilobytes that a proxy allows a
// line of a request.
const cookieSlots = 4

func slotCookie(slot int) session.Kind { return session.Kind("upstream" + strconv.Itoa(slot)) }

func (u *Upstreams) statePurpose() string { return "upstream state " + u.Site.Issuer }
func (u *Upstreams) keepPurpose() string  { return "upstream keep " + u.Site.Issuer }

// Start returns the address at which an upstream provider authenticates somebody. An error
// means that it cannot be reached.
func (u *Upstreams) Start(w http.ResponseWriter, r *http.Request, one Upstream, a Attempt, h Hints) (string, error) {
	a.ID, a.Upstream, a.Made = random.Bytes(16), one.ID, u.Clock().Unix()
	browser := sha256.Sum256([]byte(u.Site.Browser(w, r)))
	a.Browser, a.Slot = browser[:], u.freeSlot(r, a.ID)
	plain, err := json.Marshal(a.state)
	if err != nil {
		return "", fmt.Errorf("encode state: %w", err)
	}
	address, keep, err := one.Connector.Start(r.Context(), upstream.Request{
		State: u.Site.Secrets.SealString(u.statePurpose(), plain), Callback: u.callback(one), LoginHint: h.Email, DomainHint: h.Domain,
		Languages: []string{u.Site.Locale(r).Lang}, Afresh: a.Afresh, SelectAccount: h.SelectAccount, ACRValues: h.Classes, HTTP: u.HTTP, Now: u.Clock(),
	})
	if err != nil {
		return "", err
	}
	a.Keep = keep
	if plain, err = json.Marshal(a); err != nil {
		return "", fmt.Errorf("encode attempt: %w", err)
	}
	u.Site.Cookies.Set(w, slotCookie(a.Slot), u.Site.Secrets.SealString(u.keepPurpose(), plain), Life)
	return address, nil
}

// callback is the redirect URI of an upstream.
func (u *Upstreams) callback(one Upstream) string { return u.Site.BaseURL + CallbackPath(one.ID) }

// freeSlot returns a cookie that the browser does not have, or any.
func (u *Upstreams) freeSlot(r *http.Request, id []byte) int {
	for slot := range cookieSlots {
		if u.Site.Cookies.Get(r, slotCookie(slot)) == "" {
			return slot
		}
	}
	return int(id[0]) % cookieSlots
}

// open returns the attempt of a state.
func (u *Upstreams) open(r *http.Request, one Upstream, sealed string) (Attempt, error) {
	said, err := u.read(sealed)
	if err != nil {
		return Attempt{}, refused(ui.ErrorRequest, err)
	}
	browser := sha256.Sum256([]byte(u.Site.Cookies.Get(r, session.Browser)))
	switch {
	case subtle.ConstantTimeCompare(browser[:], said.Browser) != 1:
		return Attempt{}, refused(ui.ErrorBrowser, errors.New("return of another browser from an upstream"))
	case said.Upstream != one.ID:
		return Attempt{}, refused(ui.ErrorRequest, errors.New("return from another upstream"))
	case !clock.Within(u.Clock(), time.Unix(said.Made, 0), Life):
		return Attempt{}, refused(ui.ErrorExpired, errors.New("late return from an upstream"))
	}
	var a Attempt
	plain, err := u.Site.Secrets.OpenString(u.keepPurpose(), u.Site.Cookies.Get(r, slotCookie(said.Slot)))
	if err == nil {
		err = json.Unmarshal(plain, &a)
	}
	if err != nil || subtle.ConstantTimeCompare(a.ID, said.ID) != 1 {
		return Attempt{}, refused(ui.ErrorExpired, errors.New("return from an upstream that another visit has ended"))
	}
	return a, nil
}

// read opens a state, of any browser.
func (u *Upstreams) read(sealed string) (s state, err error) {
	plain, err := u.Site.Secrets.OpenString(u.statePurpose(), sealed)
	if err == nil {
		err = json.Unmarshal(plain, &s)
	}
	return s, err
}

// refused is the error page for a return that belongs to no visit.
func refused(code ui.ErrorCode, cause error) error {
	return &web.PageError{Status: http.StatusBadRequest, Code: code, Cause: cause}
}

package authflow

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Flow is an authorization request on its way through pages. It travels as a sealed value,
// which prevents changes, and names its browser. Nothing of it that changes is stored: any
// number of flows can be in progress in one browser, and going back works. The grant, unique
// to each flow, prevents a second response.
type Flow struct {
	request *engine.AuthorizeRequest

	// kept reports that the request is in the database, because it is too long to travel.
	kept bool

	id        [16]byte
	firstSeen time.Time

	// pushed is the flow of a pushed request, shared by all that begin with it; zero for
	// any other.
	pushed engine.Flow

	// seen are the users who were signed in when the request arrived, and whenever the
	// browser was sent to the host's sign-in page since.
	seen []User

	// begun is the session that its user has begun on a page of this flow, or zero;
	// presented are the factors of it that were presented on pages of this flow.
	begun     storage.Digest
	presented []storage.Method

	// chosen is the user who has selected this account in this flow, allowed the one who
	// has given consent; empty for nobody.
	chosen, allowed string

	// declined are the scopes that the user of allowed has declined.
	declined []string

	// hostVisits counts visits of the host's sign-in page, redirects the times that a page
	// sent the browser back because nobody, or another user, is signed in there.
	hostVisits, redirects int

	// hinted reports that the hints of the request have sent the browser to an upstream
	// provider: whoever comes back from there chooses another way.
	hinted bool

	// verifying is the user and the group of a verification; zero for none.
	verifying verifying
}

// Hinted reports whether the hints of the request have been followed.
func (f *Flow) Hinted() bool { return f.hinted }

// FollowHint records that they are.
func (f *Flow) FollowHint() { f.hinted = true }

// sealedFlow is the form in which a flow travels.
type sealedFlow struct {
	ID      []byte           `json:"i"`
	Seen    int64            `json:"t"`
	Browser []byte           `json:"b"`
	Users   []sealedUser     `json:"u,omitempty"`
	Begun   []byte           `json:"s,omitempty"`
	Factors []storage.Method `json:"f,omitempty"`
	Pushed  []byte           `json:"h,omitempty"`
	Until   int64            `json:"x,omitempty"`
	Picked  string           `json:"p,omitempty"`
	Chosen  string           `json:"c,omitempty"`
	Allowed string           `json:"d,omitempty"`
	LeftOut []string         `json:"o,omitempty"`
	Visits  int              `json:"v,omitempty"`
	Strays  int              `json:"g,omitempty"`
	Hinted  bool             `json:"m,omitempty"`
	Verify  verifying        `json:"w,omitzero"`
	FedCM   bool             `json:"k,omitempty"` // the response mode, which no request can name
	Request string           `json:"r,omitempty"` // empty if it is kept
}

// sealedUser is a user who was seen in a flow.
type sealedUser struct {
	ID      string `json:"i"`
	Session []byte `json:"s,omitempty"`
	AuthAt  int64  `json:"a"`
}

func (e *flows) sealPurpose() string { return "flow " + e.Site.Issuer }

// newFlow begins a flow for a new request.
func (e *flows) newFlow(ctx context.Context, asked *engine.AuthorizeRequest) *Flow {
	f := &Flow{request: asked, firstSeen: e.Clock().Truncate(time.Microsecond), pushed: asked.PushedAs}
	random.Fill(f.id[:])
	request.InFlow(ctx, f.digest())
	return f
}

// sendToHost records that the browser is sent to the host's sign-in page while this user,
// or nobody, is signed in. If the host's clock is slow, a first sign-in there seems to
// precede the request. Once the user has been seen, a later time proves a new sign-in.
func (f *Flow) sendToHost(user *User) {
	f.hostVisits++
	known := func(seen User) bool { return user.UserID == seen.UserID }
	if user != nil && !slices.ContainsFunc(f.seen, known) {
		f.seen = append(f.seen, *user)
	}
}

// digest names the flow in its grant. It begins with the time, so that concurrent flows lie
// together in an index.
func (f *Flow) digest() storage.Digest {
	if !f.pushed.Digest.IsZero() {
		return f.pushed.Digest
	}
	d := storage.Digest(sha256.Sum256(append([]byte("flow "), f.id[:]...)))
	binary.BigEndian.PutUint64(d[:8], uint64(f.firstSeen.UnixMicro()))
	return d
}

// seal returns the flow as it travels, bound to this browser.
func (e *flows) seal(w http.ResponseWriter, r *http.Request, f *Flow) (string, error) {
	form, err := e.travelling(w, r, f)
	if err != nil {
		return "", err
	}
	browser := sha256.Sum256([]byte(e.Site.Browser(w, r)))
	sealed := sealedFlow{
		ID: f.id[:], Seen: f.firstSeen.UnixMicro(), Browser: browser[:],
		Picked: f.request.Picked, Chosen: f.chosen, Allowed: f.allowed, LeftOut: f.declined, Visits: f.hostVisits, Strays: f.redirects, Hinted: f.hinted, Verify: f.verifying, Request: form,
		FedCM: f.request.Mode == protocol.ModeFedCM,
	}
	for _, user := range f.seen {
		seen := sealedUser{ID: user.UserID, AuthAt: user.AuthTime.UnixMicro()}
		if !user.Session.IsZero() {
			seen.Session = user.Session[:]
		}
		sealed.Users = append(sealed.Users, seen)
	}
	if !f.begun.IsZero() {
		sealed.Begun, sealed.Factors = f.begun[:], f.presented
	}
	if !f.pushed.Digest.IsZero() {
		sealed.Pushed, sealed.Until = f.pushed.Digest[:], f.pushed.ExpiresAt.UnixMicro()
	}
	plain, err := json.Marshal(sealed)
	if err != nil {
		return "", fmt.Errorf("encode flow: %w", err)
	}
	return e.Site.Secrets.SealString(e.sealPurpose(), plain), nil
}

// openFlow returns the flow of a page or form. It checks the request again: client and
// redirect URI may have changed since.
func (e *flows) openFlow(r *http.Request) (*Flow, error) {
	plain, err := e.Site.Secrets.OpenString(e.sealPurpose(), web.Parameter(r, web.FlowParameter))
	if err != nil {
		return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	var s sealedFlow
	if err := json.Unmarshal(plain, &s); err != nil {
		return nil, fmt.Errorf("decode flow: %w", err)
	}
	browser := sha256.Sum256([]byte(e.Site.Cookies.Get(r, session.Browser)))
	if subtle.ConstantTimeCompare(browser[:], s.Browser) != 1 {
		return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorBrowser, Cause: errors.New("flow of another browser")}
	}
	form, err := e.requestOf(r.Context(), s)
	if err != nil {
		return nil, err
	}
	f := &Flow{
		kept: s.Request == "",
		id:   [16]byte(s.ID), firstSeen: time.UnixMicro(s.Seen).UTC(),
		chosen: s.Chosen, allowed: s.Allowed, declined: s.LeftOut, hostVisits: s.Visits, redirects: s.Strays, hinted: s.Hinted, verifying: s.Verify,
	}
	f.presented = s.Factors
	copy(f.begun[:], s.Begun)
	if copy(f.pushed.Digest[:], s.Pushed) > 0 {
		f.pushed.ExpiresAt = time.UnixMicro(s.Until).UTC()
	}
	request.InFlow(r.Context(), f.digest())
	for _, user := range s.Users {
		seen := User{User: host.User{UserID: user.ID, AuthTime: time.UnixMicro(user.AuthAt).UTC()}}
		copy(seen.Session[:], user.Session)
		f.seen = append(f.seen, seen)
	}
	f.request, err = e.parseAuthorize(r.Context(), form, e.Engine.ParseAuthorize)
	if err == nil && s.Picked != "" {
		err = e.pick(r.Context(), f.request, s.Picked)
	}
	var refused *redirectError
	if errors.As(err, &refused) { // the application is told, but not after another response
		f.request, refused.flow = refused.request, f
	}
	if s.FedCM && f.request != nil {
		f.request.Mode = protocol.ModeFedCM
	}
	if e.Clock().Sub(f.firstSeen) > e.Life {
		return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Request: f.request}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// pick grants the scope value that the user has picked. One that is no longer offered is
// ignored: the user picks again.
func (e *flows) pick(ctx context.Context, request *engine.AuthorizeRequest, scope string) error {
	err := e.Engine.Pick(ctx, request, scope)
	switch {
	case errors.Is(err, engine.ErrNoChoice):
		return nil
	case err != nil:
		return &redirectError{request: request, err: err}
	}
	host.AskFor(ctx, e.wholeRequest(request))
	return nil
}

// engineFlow names the flow to the engine. Another browser may begin with a pushed request
// until that expires.
func (e *flows) engineFlow(f *Flow) engine.Flow {
	began := f.firstSeen
	if began.Before(f.pushed.ExpiresAt) {
		began = f.pushed.ExpiresAt
	}
	return engine.Flow{Digest: f.digest(), ExpiresAt: began.Add(e.Life)}
}

// wholeRequest is everything that a request asks for, in the form of the host's functions.
func (e *flows) wholeRequest(request *engine.AuthorizeRequest) host.Request {
	return host.Request{
		ClientID: request.Client.ID, Scopes: request.Scopes,
		Claims: e.Claims.Catalogue.Single(request.Client, request.Claims.Names(authorization.InAny)),
	}
}

// parser checks a new request, or one that returns from a page.
type parser func(ctx context.Context, form url.Values) (*engine.AuthorizeRequest, error)

// parseAuthorize checks an authorization request; an error for the application is a
// *redirectError.
func (e *flows) parseAuthorize(ctx context.Context, form url.Values, parse parser) (*engine.AuthorizeRequest, error) {
	request, err := parse(ctx, form)
	if request != nil {
		web.Speak(ctx, request.UILocales)
	}
	if err != nil && request != nil {
		return nil, &redirectError{request: request, err: err}
	}
	if err == nil {
		host.AskFor(ctx, e.wholeRequest(request))
	}
	return request, err
}

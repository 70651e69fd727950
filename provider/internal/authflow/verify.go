package authflow

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Verifier is a function of the host that returns the address of a verification.
type Verifier func(ctx context.Context, v Verification) (address string, err error)

// Verification is the request for a verifier.
type Verification struct{ UserID, Group, Email, Name, ClientID, Language, ReturnTo string }

// verifying is the user and the group of a verification.
type verifying struct {
	UserID string `json:"u"`
	Group  string `json:"g"`
}

// CanVerify reports whether the user of a status can start a verification. A pending one
// already waits.
func (e *groups) CanVerify(s storage.Status) bool {
	return e.Verifiers[s.Group] != nil && !s.Verified && !s.Pending
}

// leadsToVerifier returns the destinations of a form that can start a verification, in
// addition to these. The address is unknown before the verifier is asked; if the provider
// uses http, for development, it may, too.
func (e *groups) leadsToVerifier(destinations ...string) []string {
	if len(e.Verifiers) == 0 || e.Site.Base.Scheme == "https" {
		return destinations
	}
	return append(destinations, "http:")
}

// checkAddress refuses addresses that are no link or that anybody on the way could read.
func (e *groups) checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || !web.IsLink(address) {
		return errors.New("its answer is neither an http address nor a path of the host")
	}
	if u.Scheme == "http" && e.Site.Base.Scheme == "https" {
		return errors.New("its answer is an http address, and the provider is https")
	}
	return nil
}

// RenderWithVerifiers renders a page without a flow that can start a verification.
func (e *groups) RenderWithVerifiers(w http.ResponseWriter, r *http.Request, c templ.Component) {
	e.Site.RenderTo(w, r, false, e.leadsToVerifier(), http.StatusOK, c)
}

// verifyInFlow sends the user of a flow to be verified in a group that the application
// requests. If something has changed since the screen was shown, it shows the change.
func (e *consents) verifyInFlow(w http.ResponseWriter, r *http.Request, p *Page, s authState, group string) error {
	// One question to the host covers all that this request needs.
	if _, err := e.Claims.Person(r.Context(), s.user.UserID, claims.AccountHandles, s.requested.Groups); err != nil {
		return err
	}
	released, err := e.Claims.Release(r.Context(), s.user.UserID, nil, s.requested.Groups, "")
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(released.Statuses, func(s storage.Status) bool { return s.Group == group }); i < 0 || !e.groups.CanVerify(released.Statuses[i]) {
		return e.showConsent(w, r, p)
	}
	f := *p.Flow
	f.verifying = verifying{s.user.UserID, group}
	sealed, err := e.seal(w, r, &f)
	if err != nil {
		return err
	}
	return e.groups.sendToVerifier(w, r, f.request, Verification{
		UserID: s.user.UserID, Group: group, ClientID: f.request.Client.ID, ReturnTo: e.verifierReturn(sealed),
	})
}

// Verify sends a user to be verified in a group, and then to a page of the provider's.
func (e *groups) Verify(w http.ResponseWriter, r *http.Request, user *User, group, backTo string) error {
	sealed, err := e.SealReturn(w, r, Return{Address: backTo, verifying: verifying{user.UserID, group}})
	if err != nil {
		return err
	}
	return e.sendToVerifier(w, r, nil, Verification{UserID: user.UserID, Group: group, ReturnTo: e.verifierReturn(sealed)})
}

// sendToVerifier redirects the browser to the verifier's address; request may be nil.
func (e *groups) sendToVerifier(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, v Verification) error {
	person, err := e.Claims.Person(r.Context(), v.UserID, claims.AccountHandles, nil)
	if err != nil {
		return err
	}
	v.Language, v.Name = e.Site.Locale(r).Lang, person.Name()
	if person.EmailVerified() {
		v.Email = person.Text("email")
	}
	address, err := host.Call(r.Context(), func(ctx context.Context) (string, error) { return e.Verifiers[v.Group](ctx, v) })
	if err == nil {
		err = e.checkAddress(address)
	}
	if err != nil {
		return &web.PageError{
			Status: http.StatusServiceUnavailable, Code: ui.ErrorUnavailable, Request: request,
			Cause: fmt.Errorf("%w: verifier of %q: %w", host.ErrFailed, v.Group, err),
		}
	}
	e.Audit.Record(r.Context(), storage.Event{Name: event.VerificationStarted, Subject: v.UserID, ClientID: v.ClientID, Detail: v.Group})
	e.Site.Redirect(w, address)
	return nil
}

// verifierReturnPath is the return address for verifiers.
const verifierReturnPath = "/verify/return"

// verifierReturn is the address that continues a sealed flow or return, which needs no
// escaping.
func (e *flows) verifierReturn(sealed string) string {
	return e.Site.BaseURL + verifierReturnPath + "?" + web.FlowParameter + "=" + sealed
}

// VerifierReturn returns the application of the flow that an address continues, and when it
// ends; neither if the address continues a page beside. It reports false for any address
// that was not made for this user's verification in this browser. The page of the request comes
// in the language of the flow.
func (e *groups) VerifierReturn(r *http.Request, userID, address string) (clientID string, until time.Time, ok bool) {
	sealed, ok := strings.CutPrefix(address, e.verifierReturn(""))
	if !ok || userID == "" {
		return "", time.Time{}, false
	}
	browser := sha256.Sum256([]byte(e.Site.Cookies.Get(r, session.Browser)))
	if plain, err := e.Site.Secrets.OpenString(e.sealPurpose(), sealed); err == nil {
		var s sealedFlow
		if json.Unmarshal(plain, &s) != nil || subtle.ConstantTimeCompare(browser[:], s.Browser) != 1 || s.Verify.UserID != userID {
			return "", time.Time{}, false
		}
		form, err := e.requestOf(r.Context(), s)
		web.Speak(r.Context(), form.Get(web.LanguageParameter))
		return form.Get("client_id"), time.UnixMicro(s.Seen).UTC().Add(e.Life), err == nil
	}
	plain, err := e.Site.Secrets.OpenString(e.returnPurpose(), sealed)
	var s sealedReturn
	if err != nil || json.Unmarshal(plain, &s) != nil || subtle.ConstantTimeCompare(browser[:], s.Browser) != 1 {
		return "", time.Time{}, false
	}
	web.Speak(r.Context(), s.Locales)
	return "", time.Time{}, s.Verify.UserID == userID
}

// returnFromVerifier continues with what the user was verified for. It changes nothing: the
// result is read where the verifier has recorded it, so that it is useless to come here
// unverified, or twice. Each visit of a verifier takes the press of a button, so that a
// verifier cannot cause a loop.
func (e *entry) returnFromVerifier(w http.ResponseWriter, r *http.Request, p *Page) error {
	asked := verifying{}
	switch {
	case p.Flow != nil:
		asked = p.Flow.verifying
	case p.Return != nil:
		asked = p.Return.verifying
	}
	if asked.UserID == "" {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: errors.New("no verification is under way")}
	}
	e.Forget(asked.UserID)
	if p.Flow != nil {
		return e.continueWith(w, r, p.Flow)
	}
	user, err := p.User()
	if err != nil {
		return err
	}
	if user == nil || user.UserID != asked.UserID { // nobody else is told about it
		e.Site.Redirect(w, p.Return.Address)
		return nil
	}
	found, err := e.groups.verificationFound(r.Context(), asked)
	if err != nil {
		return err
	}
	e.Site.Redirect(w, web.WithQuery(p.Return.Address, url.Values{web.NoticeParameter: {e.Site.Notice(w, r, found)}}))
	return nil
}

// verificationNotice returns the result of the verification from which the user returns,
// for the screen of a flow.
func (e *groups) verificationNotice(ctx context.Context, f *Flow, user *User) (ui.Notice, error) {
	if f.verifying.UserID == "" || f.verifying.UserID != user.UserID {
		return "", nil
	}
	return e.verificationFound(ctx, f.verifying)
}

// verificationFound returns the result of a verification.
func (e *groups) verificationFound(ctx context.Context, v verifying) (ui.Notice, error) {
	released, err := e.Claims.Release(ctx, v.UserID, nil, []string{v.Group}, "")
	if err != nil {
		return "", err
	}
	switch status := released.Statuses[0]; {
	case status.Verified:
		return ui.NoticeVerified, nil
	case status.Pending:
		return ui.NoticePending, nil
	default:
		return ui.NoticeUnverified, nil
	}
}

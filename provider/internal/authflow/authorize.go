package authflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// authorize is the authorization endpoint. Every page of a flow returns to it, and only it
// responds to the application.
func (e *entry) authorize(w http.ResponseWriter, r *http.Request, p *Page) error {
	ctx := r.Context()
	var err error
	query, unread := web.QueryOf(r)
	isNew := !query.Has(web.FlowParameter)
	if isNew {
		p.Flow, err = e.receive(w, r, query, unread)
	} else {
		p.Flow, err = e.openFlow(r)
	}
	if err != nil {
		return err
	}
	f := p.Flow
	p.recent = e.Personas == nil // a user who is told apart from others by more than a session
	if isNew {
		if err := e.begin(w, r, p); err != nil {
			return err
		}
	}
	for tries := 0; tries < maxTries; {
		user, err := p.User()
		if err != nil {
			return err
		}
		s, err := e.consents.readRecentState(ctx, f, user, p.recent)
		if err != nil {
			return err
		}
		p.recent = p.remembered || s.remembered
		s, d, err := e.groups.next(ctx, s)
		if err != nil {
			return err
		}
		if p.recent && d.step != stepIssue {
			p.lookAgain() // only the write of a response has its basis as a condition
			continue
		}
		switch d.step {
		case stepIssue:
			err := e.issue(w, r, f, s)
			switch {
			case p.recent && mayBeStale(err):
			case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrChanged): // what was read is outdated
				tries++
			default:
				return err
			}
			p.lookAgain()
			continue
		case stepRefuse:
			return &redirectError{f.request, s.refusal(d.code), f}
		case stepConsent, stepVerify:
			if err := e.consents.admit(ctx, f, s); err != nil {
				return err
			}
			decided, err := e.consents.decideAsPersona(ctx, p, s)
			if err != nil {
				return err
			}
			if !decided {
				return e.sendTo(w, r, d.step, f, s.user)
			}
		default:
			return e.sendTo(w, r, d.step, f, s.user)
		}
	}
	return &redirectError{f.request, &protocol.Error{Code: protocol.AccessDenied, Description: "The user may not sign in.",
		Diagnosis: diagnosis.SignInUnstable}, f}
}

// mayBeStale reports whether a response may have failed because of an outdated cached
// session or decision.
func mayBeStale(err error) bool {
	return err != nil && !web.IsUnavailable(err) && !errors.Is(err, engine.ErrAnswered) && !errors.Is(err, registry.ErrNoClient)
}

// begin records who is signed in when a request arrives, or signs in as the persona that it
// names.
func (e *entry) begin(w http.ResponseWriter, r *http.Request, p *Page) error {
	if signedIn, err := e.signIns.signInHinted(w, r, p); signedIn || err != nil {
		return err
	}
	user, err := p.User()
	if user != nil {
		p.Flow.seen = []User{*user}
	}
	return err
}

// maxTries is how often a request is read again because part of its basis has ended
// meanwhile. Further failures are not by chance.
const maxTries = 3

// receive parses a new authorization request; unread says that some of it cannot be read.
func (e *entry) receive(w http.ResponseWriter, r *http.Request, query url.Values, unread error) (*Flow, error) {
	if unread != nil {
		return nil, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: unread}
	}
	if e.Engine.Fetches(query) {
		if err := e.allowDear(w, r, nil); err != nil {
			return nil, err
		}
	}
	request, err := e.parseAuthorize(r.Context(), query, e.Engine.Receive)
	if err != nil {
		return nil, err
	}
	return e.newFlow(r.Context(), request), nil
}

// authorizePost accepts an authorization request by POST (OpenID Connect Core section
// 3.1.2.1) and redirects the browser to the same request by GET: cookies do not travel with
// a form that another site has posted. A request that is too long for an address is posted
// again by a page.
func (e *entry) authorizePost(w http.ResponseWriter, r *http.Request) error {
	form, err := input.ReadForm(r)
	if err != nil && form == nil {
		return err
	}
	query := form.Encode()
	if len(query) <= maxRedirected {
		e.Site.Redirect(w, e.Site.Base.Path+"/oauth/authorize?"+query)
		return nil
	}
	if answered, err := e.Site.SendAgain(w, r, strings.HasPrefix(form.Get("redirect_uri"), web.PlainHTTP)); answered || err != nil {
		return err
	}
	return e.Handler(NoFlow, e.authorize)(w, web.AsGet(r, r.PostForm.Encode()))
}

// maxRedirected is the longest request, in bytes, that a redirect repeats in an address.
const maxRedirected = 1 << 10

// readState reads everything that decides the next step, for a recognized user, or nil.
func (e *consents) readState(ctx context.Context, f *Flow, user *User) (authState, error) {
	return e.readRecentState(ctx, f, user, false)
}

// readRecentState is readState; recent allows a cached decision.
func (e *consents) readRecentState(ctx context.Context, f *Flow, user *User, recent bool) (authState, error) {
	s := authState{
		request: f.request, flow: f.digest(), chosen: f.chosen, allowed: f.allowed, hostVisits: f.hostVisits,
		classes: e.Classes, hostRaises: e.Host.Raises, now: e.Clock(), sandbox: e.Site.Sandbox,
	}
	if hint := f.request.IDToken; hint != "" {
		subject, err := e.hintedSubject(ctx, hint, f.request.Client.ID)
		if err != nil {
			return s, &redirectError{f.request, err, f}
		}
		s.hintSubject = subject
	}
	if user == nil {
		s.requested = e.termsOf(f.request, nil)
		s.policy = e.policy(nil, f.request.Client, s.requested)
		return s, nil
	}
	s.user = user
	var consent storage.Consent
	var err error
	if recent {
		consent, s.remembered, err = e.Store.RecentConsent(ctx, user.UserID, f.request.Client.ID)
	} else {
		consent, err = e.Store.Consent(ctx, user.UserID, f.request.Client.ID)
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return s, fmt.Errorf("read consent: %w", err)
	}
	if err == nil {
		s.consent = &consent
	}
	s.requested, s.takesBack = e.termsFor(s, s.declined(f.declined))
	host.AskFor(ctx, s.hostRequest())
	s.policy = e.policy(user, f.request.Client, s.requested)
	st := s.standing()
	err = e.stand(ctx, &st, user, f.isFresh(user, s.now))
	s.candidates, s.isOurs, s.has = st.candidates, st.isOurs, st.has
	return s, err
}

// hostRequest is the data that a request would release, in the form of the host's
// functions.
func (s authState) hostRequest() host.Request {
	return host.Request{ClientID: s.request.Client.ID, Scopes: s.requested.Scopes, Claims: s.requested.Claims}
}

// hintedSubject returns the subject of an id_token_hint (OpenID Connect Core section
// 3.1.2.1). It may have expired; its issuer must be this provider and its audience the
// requesting application: an application must not find out with another's ID token whether
// the two have the same user.
func (e *flows) hintedSubject(ctx context.Context, hint, clientID string) (string, error) {
	claims, ok := e.ReadHint(ctx, hint)
	if !ok || claims.Audience != clientID {
		return "", &protocol.Error{Code: protocol.InvalidRequest, Status: http.StatusBadRequest,
			Description: "The id_token_hint is not an ID token of this provider for this application.", Diagnosis: diagnosis.HintForeign}
	}
	return claims.Subject, nil
}

// Hint is the content of an ID token that is presented as a hint.
type Hint struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	AuthTime int64  `json:"auth_time"`
}

// ReadHint returns the content of an ID token. It reports false if this provider did not
// issue it, or its key has been revoked or is too old. Signed userinfo has the type of an
// ID token, in v3 its form as well, but lacks an authentication, which every ID token has.
func (e *flows) ReadHint(ctx context.Context, hint string) (Hint, bool) {
	if hint == "" {
		return Hint{}, false
	}
	e.Keys.Refresh(ctx)
	payload, err := e.Keys.Verify(hint)
	if err != nil {
		return Hint{}, false
	}
	var c Hint
	if err := json.Unmarshal(payload, &c); err != nil || c.Issuer != e.Site.Issuer || c.Subject == "" || c.AuthTime == 0 {
		return Hint{}, false
	}
	return c, true
}

// sendTo redirects the browser to the page of a step, while this user, or nobody, is signed
// in.
func (e *flows) sendTo(w http.ResponseWriter, r *http.Request, next step, f *Flow, user *User) error {
	isOurs := next == stepSelectScope || next == stepSelectAccount || next == stepConsent || next == stepVerify
	if !e.hasAccounts() && !isOurs {
		f.sendToHost(user)
	}
	sealed, err := e.seal(w, r, f)
	if err != nil {
		return err
	}
	switch next {
	case stepSelectScope:
		e.Site.Redirect(w, e.Site.Link("/oauth/select-scope", web.FlowParameter, sealed))
	case stepSelectAccount:
		e.Site.Redirect(w, e.Site.Link("/oauth/select-account", web.FlowParameter, sealed))
	case stepConsent, stepVerify:
		e.Site.Redirect(w, e.Site.Link("/oauth/consent", web.FlowParameter, sealed))
	default:
		e.sendToSignIn(w, next, f.request, sealed, user != nil)
	}
	return nil
}

// redirectBack redirects the browser from a page with nothing to do back to its flow. Without a
// limit, a host that answers differently here and there, as two machines that do not share
// their sessions, would cause an endless loop.
func (e *flows) redirectBack(w http.ResponseWriter, r *http.Request, f *Flow) error {
	if f.redirects++; f.redirects >= maxTries {
		return &redirectError{f.request, &protocol.Error{Code: protocol.LoginRequired, Description: "It is not certain who is signed in.",
			Diagnosis: diagnosis.SignInUnstable}, f}
	}
	return e.continueWith(w, r, f)
}

// issue responds to the application. It is the last step of every flow. storage.ErrEnded or
// storage.ErrChanged if its basis has ended.
func (e *entry) issue(w http.ResponseWriter, r *http.Request, f *Flow, s authState) error {
	ctx := r.Context()
	if err := e.consents.admitKnown(ctx, f, s); err != nil {
		return err
	}
	err := e.Faults.Authorize(ctx, f.request.Client.ID)
	var asked *protocol.Error
	if errors.As(err, &asked) {
		return e.refuse(w, r, nil, &redirectError{f.request, asked, f})
	}
	if err != nil {
		return err
	}
	if s.requested.unrecorded(s.consent) { // an application of the host's own
		use := s.requested.use(s.user.UserID, f.request.Client.ID, s.consent, s.now)
		if err := e.saveConsent(ctx, use, s.basis()); err != nil {
			return err
		}
		s.consent = &use
	}
	allowed, err := e.Engine.Without(ctx, f.request, s.requested.LeftOut)
	if err != nil {
		return &redirectError{f.request, err, f}
	}
	if err := e.Engine.Unknown.Use(ctx, f.request.Client); err != nil {
		return err
	}
	e.Keys.Refresh(ctx)
	by, _, _ := s.standing().choose()
	sid := e.sid(s.user, f.request.Client.ID)
	response, err := e.Engine.Authorize(ctx, allowed, engine.Approval{
		Subject: s.user.UserID, AuthTime: by.At, AMR: by.AMR, Assurance: by.Level, EnrolledAt: by.Since, Classes: s.reached(by), SID: sid,
		Attributes: s.requested.Attributes, Groups: s.requested.Groups, Claims: s.requested.Claims,
		Basis: storage.Basis{Session: s.user.Session, Consent: *s.consent, Notice: e.notice(f.request, s.user, sid)}, Flow: e.engineFlow(f),
	})
	switch {
	case errors.Is(err, engine.ErrAnswered), errors.Is(err, storage.ErrEnded), errors.Is(err, registry.ErrNoClient):
		return err
	case err != nil:
		return &redirectError{f.request, err, f}
	}
	e.noteIssued(r, f.request, s.user)
	e.respond(w, r, f.request, response)
	return nil
}

// basis is the basis of a record about the user of a state.
func (s authState) basis() storage.ConsentBasis {
	return storage.ConsentBasis{Session: s.user.Session, Flow: s.flow, Replaced: decisionOf(s.consent)}
}

// saveConsent records a decision, or the use of an application, if its basis holds.
// engine.ErrAnswered or engine.ErrNoClient if nothing is left to decide, storage.ErrChanged
// or storage.ErrEnded if the basis must be read again.
func (e *flows) saveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis, events ...storage.Event) error {
	err := e.Audit.Step(ctx, func(ctx context.Context) error { return e.Store.SaveConsent(ctx, c, on) }, events...)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return registry.ErrNoClient // just deleted
	case errors.Is(err, storage.ErrConflict):
		return engine.ErrAnswered
	case err != nil:
		return fmt.Errorf("save consent: %w", err)
	}
	return nil
}

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// authorize is the authorization endpoint. Every page of a flow comes back to it,
// and it alone answers the application.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	var f *flow
	var err error
	if r.URL.Query().Has(flowParameter) {
		f, err = p.openFlow(ctx, r)
	} else {
		f, err = p.receive(r)
	}
	if err != nil {
		return err
	}
	s, err := p.situation(r, f)
	if err != nil {
		return err
	}
	d := nextStep(s)
	switch d.step {
	case stepIssue:
		return p.issue(w, r, f, s)
	case stepRefuse:
		return &refusal{f.request, &engine.Error{Code: d.code, Description: "The request cannot be answered without asking the user."}}
	default:
		return p.sendTo(w, r, d.step, f)
	}
}

// receive parses an authorization request that has just come.
func (p *Provider) receive(r *http.Request) (*flow, error) {
	form, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: err}
	}
	request, err := p.parseAuthorize(r.Context(), form)
	if err != nil {
		return nil, err
	}
	return p.newFlow(request), nil
}

// authorizePost accepts an authorization request by POST (OpenID Connect Core
// section 3.1.2.1) and sends the browser on to the same request by GET: cookies do
// not travel with a form that another site has posted.
func (p *Provider) authorizePost(w http.ResponseWriter, r *http.Request) error {
	form, err := engine.ReadForm(r)
	if err != nil && form == nil {
		return err
	}
	p.redirect(w, p.base.Path+"/oauth/authorize?"+form.Encode())
	return nil
}

// situation reads all that the next step depends on.
func (p *Provider) situation(r *http.Request, f *flow) (situation, error) {
	ctx := r.Context()
	s := situation{request: f.request, firstSeen: f.firstSeen, chosen: f.chosen, now: p.cfg.Clock()}
	if hint := f.request.IDToken; hint != "" {
		subject, err := p.hintedSubject(hint)
		if err != nil {
			return s, &refusal{f.request, err}
		}
		s.hinted = subject
	}
	user, err := p.signedIn(r)
	if err != nil || user == nil {
		return s, err
	}
	s.user = user
	consent, err := p.cfg.Store.Consent(ctx, user.UserID, f.request.Client.ID)
	if errors.Is(err, storage.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read consent: %w", err)
	}
	s.consent = &consent
	return s, nil
}

// hintedSubject returns the subject of an id_token_hint (OpenID Connect Core
// section 3.1.2.1). It may have expired; it must be ours.
func (p *Provider) hintedSubject(hint string) (string, error) {
	claims, err := p.hintClaims(hint)
	if err != nil {
		return "", err
	}
	return claims.Subject, nil
}

type hintClaims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
}

func (p *Provider) hintClaims(hint string) (hintClaims, error) {
	bad := &engine.Error{Code: engine.InvalidRequest, Status: http.StatusBadRequest,
		Description: "The id_token_hint is not an ID token of this provider."}
	payload, err := p.keys.Verify(hint)
	if err != nil {
		return hintClaims{}, bad
	}
	var c hintClaims
	if err := json.Unmarshal(payload, &c); err != nil || c.Issuer != p.issuer || c.Subject == "" {
		return hintClaims{}, bad
	}
	return c, nil
}

// sendTo sends the browser to the page of a step.
func (p *Provider) sendTo(w http.ResponseWriter, r *http.Request, next step, f *flow) error {
	sealed, err := p.seal(w, r, f)
	if err != nil {
		return err
	}
	switch next {
	case stepChoose:
		p.redirect(w, p.link("/oauth/select-account", flowParameter, sealed))
	case stepConsent:
		p.redirect(w, p.link("/oauth/consent", flowParameter, sealed))
	default:
		p.sendToSignIn(w, next, f.request, sealed)
	}
	return nil
}

// sendToSignIn sends the browser to where users sign in or up: our pages, or the
// host's.
func (p *Provider) sendToSignIn(w http.ResponseWriter, next step, request *engine.AuthorizeRequest, sealed string) {
	switch {
	case !p.hasAccounts():
		hint := hostSignIn{returnTo: p.returnTo(sealed), loginHint: request.LoginHint, locales: request.UILocales,
			signUp: next == stepSignUp, again: next == stepReauthenticate}
		p.redirect(w, hint.address(p.cfg.Users.SignInURL))
	case next == stepSignUp && p.sendsMail():
		p.redirect(w, p.link("/signup", flowParameter, sealed))
	default:
		p.redirect(w, p.link("/signin", flowParameter, sealed))
	}
}

// issue answers the application. It is the last step of every flow.
func (p *Provider) issue(w http.ResponseWriter, r *http.Request, f *flow, s situation) error {
	ctx := r.Context()
	if err := p.checkVerified(ctx, f.request, s.user.UserID); err != nil {
		return err
	}
	if s.consent == nil { // an application of the host's own: the user should still find it
		now := p.cfg.Clock()
		err := p.cfg.Store.SaveConsent(ctx, storage.Consent{
			Subject: s.user.UserID, ClientID: f.request.Client.ID, Scopes: f.request.Scopes,
			CreatedAt: now, DecidedAt: now, LastUsedAt: now,
		})
		if err != nil {
			return fmt.Errorf("save consent: %w", err)
		}
	}
	response, err := p.engine.Authorize(ctx, f.request, engine.Approval{
		Subject: s.user.UserID, AuthTime: s.user.AuthTime, AMR: s.user.AMR, Flow: f.digest(),
	})
	if errors.Is(err, engine.ErrAnswered) {
		p.renderFor(w, r, f.request, http.StatusOK, ui.Finished(ui.FinishedView{
			Page: p.pageView(r, f.request), BackURL: homeOf(f.request.RedirectURI),
		}))
		return nil
	}
	if err != nil {
		return &refusal{f.request, err}
	}
	p.answer(w, r, f.request, response)
	return nil
}

// checkVerified refuses a user without the verified groups that the application
// was registered to require.
func (p *Provider) checkVerified(ctx context.Context, request *engine.AuthorizeRequest, userID string) error {
	if !request.Client.RequireVerified {
		return nil
	}
	for _, scope := range request.Scopes {
		r, err := p.release(ctx, userID, []string{scope}, "")
		if err != nil {
			return err
		}
		if len(r.statuses) > 0 && !slices.ContainsFunc(r.statuses, func(s Status) bool { return s.Verified }) {
			return &refusal{request, &engine.Error{Code: engine.AccessDenied, Description: "The user is not a verified member of the group."}}
		}
	}
	return nil
}

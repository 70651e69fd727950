package authflow

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// userField and termsField bind a form to its user and to what was shown: if another user
// has signed in since, or the application requests something else under another name, the
// form is shown again and has no effect.
const (
	userField  = "user"
	termsField = "terms"
)

// showConsent asks whether the application may have what it requests.
func (e *consents) showConsent(w http.ResponseWriter, r *http.Request, p *Page) error {
	ctx, f := r.Context(), p.Flow
	user, err := p.User()
	if err != nil {
		return err
	}
	s, err := e.readState(ctx, f, user)
	if err != nil {
		return err
	}
	s, d, err := e.groups.next(ctx, s)
	if err != nil {
		return err
	}
	if d.step != stepConsent && d.step != stepVerify {
		return e.redirectBack(w, r, f)
	}
	s = e.asShown(ctx, s)
	// Everything on the screen is from one moment: what follows is read from this.
	if _, err := e.Claims.Person(ctx, s.user.UserID, claims.Union(slices.Clone(s.requested.Attributes), claims.AccountHandles), s.requested.Groups); err != nil {
		return err
	}
	account, err := e.AccountView(ctx, s.user.UserID)
	if err != nil {
		return err
	}
	fingerprint, err := s.requested.fingerprint()
	if err != nil {
		return err
	}
	view, err := e.consentView(r, f.request, s)
	if err != nil {
		return err
	}
	view.Page, view.Form, view.Account = e.Site.PageView(r, f.request), e.Site.Form(w, r, nil), account
	view.Hidden = append(view.Hidden,
		ui.Field{Name: userField, Value: s.user.UserID}, ui.Field{Name: termsField, Value: fingerprint})
	if view.Notice, err = e.groups.verificationNotice(ctx, f, s.user); err != nil {
		return err
	}
	if view.Notice == ui.NoticePending {
		view.Notice = "" // the group says so, right below
	}
	if d.step == stepVerify {
		if view.Required, err = e.groups.requiredGroups(r, s); err != nil {
			return err
		}
	}
	// The form ends at the application or at a verifier, whose address is unknown before it
	// is asked; hosts under development use http.
	e.Site.RenderTo(w, r, f.request.Display == web.DisplayPopup, e.groups.leadsToVerifier(f.request.RedirectURI), http.StatusOK, e.Site.Screens.Consent(view))
	return nil
}

// consent acts on the user's decision about exactly what was shown, which is what the
// sealed request asks for; nothing else in the form counts.
func (e *consents) consent(w http.ResponseWriter, r *http.Request, p *Page) error {
	ctx, f := r.Context(), p.Flow
	user, err := p.User()
	if err != nil {
		return err
	}
	s, err := e.readState(ctx, f, user)
	if err != nil {
		return err
	}
	if s.user == nil {
		return e.Continue(w, r, p)
	}
	s = e.asShown(ctx, s)
	fingerprint, err := s.requested.fingerprint()
	if err != nil {
		return err
	}
	if s.user.UserID != r.PostForm.Get(userField) || fingerprint != r.PostForm.Get(termsField) {
		return e.showConsent(w, r, p)
	}
	if s, err = e.groups.readVerified(ctx, s); err != nil {
		return err
	}
	switch action := r.PostForm.Get(ui.FieldAction); {
	case action == ui.ActionVerify:
		return e.verifyInFlow(w, r, p, s, r.PostForm.Get(ui.FieldGroup))
	case action == ui.ActionAllow && s.unverified: // it was not, when the form was shown
		return e.showConsent(w, r, p)
	case action == ui.ActionAllow:
		return e.allow(w, r, p, s, r.PostForm[ui.FieldScope])
	case action == ui.ActionSwitch:
		return e.SwitchAccount(w, r, p)
	case s.unverified: // back to the application: there was nothing to allow
		return e.refuseUnverified(ctx, f, s)
	default: // anything but a clear yes is a no
		return e.refuseAll(r, f, s)
	}
}

// refuseUnverified leads back to an application that requires verified users. It can tell
// who is not from who may be soon.
func (e *consents) refuseUnverified(ctx context.Context, f *Flow, s authState) error {
	lacks, err := e.groups.lacking(ctx, s)
	if err != nil {
		return err
	}
	refused := notVerified()
	if slices.ContainsFunc(lacks, func(s storage.Status) bool { return s.Pending }) {
		refused.Description = "The user is not verified yet (verification_pending)."
	}
	return &redirectError{f.request, refused, f}
}

// refuseAll ends a flow whose user allows nothing.
func (e *consents) refuseAll(r *http.Request, f *Flow, s authState) error {
	if err := e.Engine.KeepClient(r.Context(), f.request.Client); err != nil { // so that the end is recorded
		return err
	}
	if err := e.endFlow(r, f); err != nil { // also because it has been allowed
		return err
	}
	e.Audit.Record(r.Context(), storage.Event{Name: event.Denied, Subject: s.user.UserID, ClientID: f.request.Client.ID})
	return &redirectError{f.request, &protocol.Error{Code: protocol.AccessDenied, Description: "The user did not allow it.",
		Diagnosis: diagnosis.UserDenied}, nil}
}

// allow records the user's approval of the requested terms, with the optional scopes that
// stay, in addition to earlier approvals, and continues the flow. If these have changed
// meanwhile, as in another tab, the user is asked again.
func (e *consents) allow(w http.ResponseWriter, r *http.Request, p *Page, s authState, stays []string) error {
	f := p.Flow
	allowed := e.termsOf(f.request, claims.Without(f.request.Optional, stays))
	nothing := len(allowed.Scopes) == 0
	if nothing && s.consent == nil && !f.request.Client.SkipConsent { // it revokes nothing
		return e.refuseAll(r, f, s)
	}
	var events []storage.Event
	if !nothing {
		events = append(events, storage.Event{Name: event.Consent, Subject: s.user.UserID, ClientID: f.request.Client.ID})
	}
	if err := e.Engine.KeepClient(r.Context(), f.request.Client); err != nil {
		return err
	}
	err := e.saveConsent(r.Context(), e.decide(s, allowed), s.basis(), events...)
	switch {
	case errors.Is(err, storage.ErrChanged), errors.Is(err, storage.ErrEnded):
		return e.Continue(w, r, p)
	case err != nil:
		return err
	case nothing:
		return e.refuseAll(r, f, s)
	}
	e.Activity.Asked(r.Context(), activity.Consent, partyOf(f.request, s.user), func() map[string]string {
		return map[string]string{"scope": strings.Join(allowed.Scopes, " ")}
	})
	f.allowed, f.declined = s.user.UserID, allowed.LeftOut
	return e.continueWith(w, r, f)
}

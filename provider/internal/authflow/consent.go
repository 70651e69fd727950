package authflow

import (
	"errors"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// userField and termsField bind a form to the user that it was shown to, and to what
// was shown: when somebody else has signed in since, or the application asks for
// something else under another name, it is shown again instead of being acted upon.
const (
	userField  = "user"
	termsField = "terms"
)

// showConsent asks whether the application may have what it requested.
func (e *Endpoint) showConsent(w http.ResponseWriter, r *http.Request, p *Page) error {
	ctx, f := r.Context(), p.Flow
	user, err := p.User()
	if err != nil {
		return err
	}
	s, err := e.readState(ctx, f, user)
	if err != nil {
		return err
	}
	d, err := e.next(ctx, &s)
	if err != nil {
		return err
	}
	if d.step != stepConsent && d.step != stepVerify {
		return e.stray(w, r, f)
	}
	// All that the screen shows is of one moment: what follows is read from this.
	if _, err := e.Claims.Person(ctx, s.user.UserID, claims.Union(slices.Clone(s.asks.Attributes), claims.AccountHandles), s.asks.Groups); err != nil {
		return err
	}
	account, err := e.AccountView(ctx, s.user.UserID)
	if err != nil {
		return err
	}
	fingerprint, err := s.asks.fingerprint()
	if err != nil {
		return err
	}
	before := s.consent
	if before == nil || before.DecidedAt.IsZero() || before.ClientName != s.asks.ClientName {
		before = nil // nothing that would count
	}
	view := ui.ConsentView{
		Page: e.Site.PageView(r, f.request), Form: e.Site.Form(w, r, nil), Account: account,
		Offline:     slices.Contains(f.request.Scopes, claims.OfflineAccess),
		Incremental: before != nil && !s.asks.releasedBy(before), AppsURL: e.Site.Link("/account/apps"),
	}
	view.Hidden = append(view.Hidden,
		ui.Field{Name: userField, Value: s.user.UserID}, ui.Field{Name: termsField, Value: fingerprint})
	if view.Notice, err = e.verificationNotice(ctx, f, s.user); err != nil {
		return err
	}
	if d.step == stepVerify {
		if view.Required, err = e.requiredGroups(r, f.request, s.user.UserID); err != nil {
			return err
		}
		e.renderConsent(w, r, f.request, view)
		return nil
	}
	shown := map[string]bool{}
	for _, name := range f.request.Scopes {
		if claims.IsProtocolScope(name) {
			continue
		}
		scope, err := e.consentScope(r, f.request, s.user.UserID, name, shown)
		if err != nil {
			return err
		}
		if view.Incremental {
			e.markNew(&scope, name, before)
		}
		view.Scopes = append(view.Scopes, scope)
	}
	if single := e.singly(f.request); len(single) > 0 {
		scope, err := e.consentData(r, f.request, s.user.UserID, single, nil, shown)
		if err != nil {
			return err
		}
		if view.Incremental {
			markNewMembers(&scope, before)
		}
		if len(scope.Attributes) > 0 {
			view.Scopes = append(view.Scopes, scope)
		}
	}
	for _, uri := range s.asks.Resources {
		resource := e.Engine.Resource(uri)
		view.Resources = append(view.Resources, ui.ConsentResource{
			Name: resource.Name, Host: resource.Host(), New: view.Incremental && !slices.Contains(before.Resources, uri),
		})
	}
	e.renderConsent(w, r, f.request, view)
	return nil
}

// renderConsent shows the screen, whose form leads to the application, or to a verifier:
// where to is not known before that is asked, and hosts under development are http.
func (e *Endpoint) renderConsent(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, view ui.ConsentView) {
	e.Site.RenderTo(w, r, request.Display == web.DisplayPopup, e.leadsToVerifier(request.RedirectURI), http.StatusOK, e.Site.Screens.Consent(view))
}

// markNew marks what of a scope the user has not allowed before: all of it, or what it
// has come to mean beside.
func (e *Endpoint) markNew(scope *ui.ConsentScope, name string, before *storage.Consent) {
	attributes, groups := e.Claims.Catalogue.Asks([]string{name})
	scope.New = !slices.Contains(before.Scopes, name)
	if scope.New || claims.Covers(before.Attributes, attributes) && claims.Covers(before.Groups, groups) {
		return
	}
	markNewMembers(scope, before)
}

func markNewMembers(scope *ui.ConsentScope, before *storage.Consent) {
	for i, a := range scope.Attributes {
		scope.Attributes[i].New = !slices.Contains(before.Attributes, a.Handle)
	}
	for i, g := range scope.Groups {
		scope.Groups[i].New = !slices.Contains(before.Groups, g.Name)
	}
}

// singly returns the facts of what a request asks for one by one.
func (e *Endpoint) singly(request *engine.AuthorizeRequest) []string {
	return e.Claims.Catalogue.Facts(e.Claims.Catalogue.Single(request.Client, request.Claims.Names(engine.InAny)))
}

// consentScope shows what one scope would release now, value by value.
func (e *Endpoint) consentScope(r *http.Request, request *engine.AuthorizeRequest, userID, name string, shown map[string]bool) (ui.ConsentScope, error) {
	facts, groups := e.Claims.Catalogue.Asks([]string{name})
	out, err := e.consentData(r, request, userID, facts, groups, shown)
	out.Title, out.Text = e.Claims.Catalogue.ScopeWords(e.Site.Locale(r, request), name)
	return out, err
}

// consentData shows what there is of these facts and groups now, each fact once on the
// screen, whichever scopes and claims tell it.
func (e *Endpoint) consentData(r *http.Request, request *engine.AuthorizeRequest, userID string, facts, groups []string, shown map[string]bool) (out ui.ConsentScope, err error) {
	released, err := e.Claims.Release(r.Context(), userID, facts, groups, request.EID)
	if err != nil {
		return out, err
	}
	l := e.Site.Locale(r, request)
	// What is not known now may be later, and is then released.
	for _, fact := range facts {
		if !released.Has(fact) && !e.Claims.Catalogue.IsComposed(fact) {
			released.Attributes = append(released.Attributes, claims.Attribute{Handle: fact})
		}
	}
	for _, a := range released.Attributes {
		if a.Composed || shown[a.Handle] { // its parts are facts of their own
			continue
		}
		shown[a.Handle] = true
		known, _ := e.Claims.Catalogue.Attribute(a.Handle)
		out.Attributes = append(out.Attributes, ui.ConsentAttribute{
			Handle: a.Handle, Label: e.Claims.Catalogue.AttributeWords(l, a.Handle), Values: claims.Lines(known, a.Value), Truth: claims.Truth(known, a.Value),
		})
	}
	for _, s := range released.Statuses {
		out.Groups = append(out.Groups, e.GroupView(l, s))
	}
	return out, nil
}

// consent acts on the user's decision about exactly what was shown, which is what the
// sealed request asks for; nothing else in the form is looked at.
func (e *Endpoint) consent(w http.ResponseWriter, r *http.Request, p *Page) error {
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
		e.Continue(w, r, p)
		return nil
	}
	fingerprint, err := s.asks.fingerprint()
	if err != nil {
		return err
	}
	if s.user.UserID != r.PostForm.Get(userField) || fingerprint != r.PostForm.Get(termsField) {
		return e.showConsent(w, r, p)
	}
	if err := e.readVerified(ctx, &s); err != nil {
		return err
	}
	switch action := r.PostForm.Get(ui.FieldAction); {
	case action == ui.ActionVerify:
		return e.verifyInFlow(w, r, p, s, r.PostForm.Get(ui.FieldGroup))
	case action == ui.ActionAllow && s.unverified: // it was not, when the form was shown
		return e.showConsent(w, r, p)
	case action == ui.ActionAllow:
		return e.allow(w, r, p, s)
	case action == ui.ActionSwitch:
		return e.SwitchAccount(w, r, p)
	case s.unverified: // back to the application: there was nothing to allow
		return &redirectError{f.request, notVerified(), f}
	default: // what is not clearly a yes is a no
		if err := e.endFlow(r, f); err != nil { // also because it has been allowed
			return err
		}
		e.Audit.Record(ctx, storage.Event{Name: audit.Denied, Subject: s.user.UserID, ClientID: f.request.Client.ID})
		return &redirectError{f.request, &engine.Error{Code: engine.AccessDenied, Description: "The user did not allow it.",
			Diagnosis: diagnosis.UserDenied}, nil}
	}
}

// allow remembers a decision, beside what the user has allowed the application
// before, and goes on with the flow. Where that has changed meanwhile, as in another
// tab, the user is asked again.
func (e *Endpoint) allow(w http.ResponseWriter, r *http.Request, p *Page, s authState) error {
	f := p.Flow
	decision := s.asks.decide(s.user.UserID, f.request.Client.ID, s.consent, s.now)
	err := e.saveConsent(r.Context(), decision, f, s)
	switch {
	case errors.Is(err, storage.ErrChanged), errors.Is(err, storage.ErrEnded):
		e.Continue(w, r, p)
		return nil
	case err != nil:
		return err
	}
	e.Audit.Record(r.Context(), storage.Event{Name: audit.Consent, Subject: s.user.UserID, ClientID: f.request.Client.ID})
	e.Activity.Succeeded(r.Context(), activity.Consent, partyOf(f.request, s.user))
	f.allowed = s.user.UserID
	return e.continueWith(w, r, f)
}

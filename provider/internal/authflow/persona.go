package authflow

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Errors of SignInAsPersona.
var (
	// ErrNoPersona means that the application has no persona of this name.
	ErrNoPersona = errors.New("no such persona")
	// ErrLocked means that the account is locked.
	ErrLocked = errors.New("the account is locked")
)

// SignInAsPersona signs the browser in as a persona of the page's application. ErrNoPersona
// or ErrLocked if it cannot.
func (e *signIns) SignInAsPersona(w http.ResponseWriter, r *http.Request, p *Page, name string) error {
	ctx := r.Context()
	if p.Flow == nil {
		return ErrNoPersona
	}
	set, err := e.Personas.Set(ctx, p.Flow.request.Client.ID)
	if err != nil {
		return err
	}
	chosen, ok := persona.Find(set, name)
	if !ok {
		return ErrNoPersona
	}
	account, err := e.Personas.Record(ctx, set.Realm, chosen)
	if err != nil {
		return err
	}
	if !account.Disabled {
		as := Authentication(r, account, persona.Factors(chosen, e.Clock())...)
		as.AMR = persona.Methods(chosen)
		err = e.BeginSession(w, r, p, as, storage.Event{Name: event.SignedIn, Subject: account.ID})
	}
	if account.Disabled || errors.Is(err, storage.ErrNotFound) {
		e.Audit.Record(ctx, storage.Event{Name: event.SignInFailed, Subject: account.ID, Detail: "the account is disabled"})
		return ErrLocked
	}
	if err != nil {
		return err
	}
	p.persona = &chosen
	return nil
}

// HintsPersona reports whether the request of the page's flow names a persona in a sandbox.
func (p *Page) HintsPersona() bool {
	_, ok := p.hintedPersona()
	return ok
}

func (p *Page) hintedPersona() (name string, ok bool) {
	if p.endpoint.Personas == nil {
		return "", false
	}
	return strings.CutPrefix(p.Flow.request.LoginHint, sandbox.HintPrefix)
}

// signInHinted signs in as the persona that a new request names, even over another session,
// so that a test need not care who was signed in before. prompt=none forbids it.
func (e *signIns) signInHinted(w http.ResponseWriter, r *http.Request, p *Page) (bool, error) {
	name, ok := p.hintedPersona()
	if !ok || p.Flow.request.HasPrompt(authorization.PromptNone) {
		return false, nil
	}
	err := e.SignInAsPersona(w, r, p, name)
	switch {
	case errors.Is(err, ErrNoPersona):
		return false, p.refused(protocol.InvalidRequest, "The login_hint names a persona that the sandbox does not have for this application.")
	case errors.Is(err, ErrLocked):
		return false, p.refused(protocol.AccessDenied, "The account of the persona is locked.")
	default:
		return err == nil, err
	}
}

// refused is an error for the application of a page.
func (p *Page) refused(code, description string) error {
	return &redirectError{p.Flow.request, &protocol.Error{Code: code, Description: description, Status: http.StatusBadRequest}, p.Flow}
}

// decideAsPersona answers the consent screen for the persona that the request has signed
// in. It reports false if the screen is to be shown.
func (e *consents) decideAsPersona(ctx context.Context, p *Page, s authState) (bool, error) {
	if p.persona == nil || p.persona.Consent == sandbox.Ask {
		return false, nil
	}
	f := p.Flow
	if s.unverified { // it is not there to be verified
		return false, &redirectError{f.request, notVerified(), f}
	}
	if p.persona.Consent == sandbox.Deny {
		e.Audit.Record(ctx, storage.Event{Name: event.Denied, Subject: s.user.UserID, ClientID: f.request.Client.ID})
		return false, p.refused(protocol.AccessDenied, "The user did not allow it.")
	}
	err := e.saveConsent(ctx, e.decide(s, s.requested), s.basis(),
		storage.Event{Name: event.Consent, Subject: s.user.UserID, ClientID: f.request.Client.ID})
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrEnded) {
		p.known = false // look again
		return true, nil
	}
	if err != nil {
		return false, err
	}
	f.allowed = s.user.UserID
	return true, nil
}

// PersonaViews shows the personas of the application of a page, which may have no flow.
func (e *signIns) PersonaViews(ctx context.Context, l *ui.Locale, p *Page) ([]ui.Persona, error) {
	if p.Flow == nil {
		return nil, nil
	}
	set, err := e.Personas.Set(ctx, p.Flow.request.Client.ID)
	if err != nil {
		return nil, err
	}
	views := make([]ui.Persona, len(set.Personas))
	for i, one := range set.Personas {
		views[i] = ui.Persona{
			Name: one.Name, Title: l.Word(one.Title), Locked: one.Locked, EmailUnverified: !one.EmailVerified,
		}
		for _, s := range one.Statuses {
			if _, ok := e.Claims.Catalogue.Group(s.Group); ok {
				views[i].Groups = append(views[i].Groups, ui.PersonaGroup{
					Label:     e.Claims.Catalogue.GroupWords(l, s.Group),
					Subgroups: e.Claims.Catalogue.SubgroupWords(l, s.Group, s.Subgroups), State: stateOf(s),
				})
			}
		}
	}
	return views, nil
}

func stateOf(s sandbox.Status) ui.GroupState {
	switch {
	case s.ExpiresIn < 0:
		return ui.GroupExpired
	case s.Verified:
		return ui.GroupVerified
	case s.Pending:
		return ui.GroupPending
	default:
		return ui.GroupUnverified
	}
}

package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// userField binds a form to the user that it was shown to: when somebody else has
// signed in since, it is shown again for them instead of being acted upon.
const userField = "user"

// showConsent asks whether the application may have what it requested.
func (p *Provider) showConsent(w http.ResponseWriter, r *http.Request) error {
	f, err := p.openFlow(r.Context(), r)
	if err != nil {
		return err
	}
	return p.drawConsent(w, r, f)
}

func (p *Provider) drawConsent(w http.ResponseWriter, r *http.Request, f *flow) error {
	ctx := r.Context()
	s, err := p.situation(r, f)
	if err != nil {
		return err
	}
	if nextStep(s).step != stepConsent {
		p.goOn(w, r)
		return nil
	}
	account, err := p.accountView(ctx, s.user.UserID)
	if err != nil {
		return err
	}
	view := ui.ConsentView{
		Page: p.pageView(r, f.request), Form: p.flowForm(w, r, nil), Account: account,
		Offline:     slices.Contains(f.request.Scopes, scopeOfflineAccess),
		Incremental: s.consent != nil && !containsAll(s.consent.Scopes, f.request.Scopes), AppsURL: p.link("/account/apps"),
	}
	view.Hidden = append(view.Hidden, ui.Field{Name: userField, Value: s.user.UserID})
	for _, name := range f.request.Scopes {
		if isProtocolScope(name) {
			continue
		}
		scope, err := p.consentScope(r, f.request, s.user.UserID, name)
		if err != nil {
			return err
		}
		scope.New = view.Incremental && !slices.Contains(s.consent.Scopes, name)
		view.Scopes = append(view.Scopes, scope)
	}
	p.renderFor(w, r, f.request, http.StatusOK, ui.Consent(view))
	return nil
}

// consentScope shows what one scope would release now, value by value.
func (p *Provider) consentScope(r *http.Request, request *engine.AuthorizeRequest, userID, name string) (ui.ConsentScope, error) {
	scope := p.catalogue.scope(name)
	out := ui.ConsentScope{Title: scope.Title, Text: scope.Description}
	if out.Title == "" {
		out.Title = scope.Name
	}
	released, err := p.release(r.Context(), userID, []string{name}, request.EID)
	if err != nil {
		return out, err
	}
	for _, a := range released.attributes {
		out.Attributes = append(out.Attributes, ui.ConsentAttribute{Label: a.Name, Values: p.catalogue.attributes[a.Handle].display(a.Value)})
	}
	now := p.cfg.Clock()
	for _, s := range released.statuses {
		group := ui.ConsentGroup{Label: p.catalogue.groups[s.Group].Title, Subgroups: s.Subgroups}
		switch {
		case s.Verified:
			group.State, group.Since, group.Expires = ui.GroupVerified, s.VerifiedAt, s.ExpiresAt
		case !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt):
			group.State, group.Expires = ui.GroupExpired, s.ExpiresAt
		default:
			group.State = ui.GroupUnverified
		}
		out.Groups = append(out.Groups, group)
	}
	return out, nil
}

// display writes the JSON value of an attribute for people, a line for each record
// in the order of its members; flags among them say nothing to people.
func (a Attribute) display(raw json.RawMessage) []string {
	if a.Type != Records {
		return displayValue(raw)
	}
	var records []map[string]string
	if json.Unmarshal(raw, &records) != nil {
		return nil
	}
	lines := make([]string, 0, len(records))
	for _, record := range records {
		var parts []string
		for _, member := range a.Members {
			if text := record[member]; text != "" && text != "true" && text != "false" {
				parts = append(parts, text)
			}
		}
		lines = append(lines, strings.Join(parts, ", "))
	}
	return lines
}

// displayValue writes a string or a number.
func displayValue(raw json.RawMessage) []string {
	var value any
	if len(raw) == 0 || json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return []string{fmt.Sprint(value)}
}

// consent acts on the user's decision about exactly what the sealed request asks
// for; nothing else in the form is looked at.
func (p *Provider) consent(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	f, err := p.openFlow(ctx, r)
	if err != nil {
		return err
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if user == nil {
		p.goOn(w, r)
		return nil
	}
	if user.UserID != r.PostForm.Get(userField) {
		return p.drawConsent(w, r, f)
	}
	event := Event{Name: EventDenied, UserID: user.UserID, ClientID: f.request.Client.ID}
	switch r.PostForm.Get(ui.FieldAction) {
	case ui.ActionAllow:
		if err := p.allow(r, f, user); err != nil {
			return err
		}
		event.Name = EventConsent
		p.record(ctx, event)
		p.goOn(w, r)
		return nil
	case ui.ActionSwitch:
		return p.switchAccount(w, r)
	default: // what is not clearly a yes is a no
		p.record(ctx, event)
		return &refusal{f.request, &engine.Error{Code: engine.AccessDenied, Description: "The user did not allow it."}}
	}
}

// allow remembers a decision, beside what the user has allowed the application
// before.
func (p *Provider) allow(r *http.Request, f *flow, user *SignedIn) error {
	s, err := p.situation(r, f)
	if err != nil {
		return err
	}
	scopes := slices.Clone(f.request.Scopes)
	if s.consent != nil {
		for _, scope := range s.consent.Scopes {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	now := p.cfg.Clock()
	err = p.cfg.Store.SaveConsent(r.Context(), storage.Consent{
		Subject: user.UserID, ClientID: f.request.Client.ID, Scopes: scopes,
		CreatedAt: now, DecidedAt: now, LastUsedAt: now,
	})
	if err != nil {
		return fmt.Errorf("save consent: %w", err)
	}
	return nil
}

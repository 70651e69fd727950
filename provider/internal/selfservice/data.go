package selfservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// The attributes of a name.
const (
	firstName = "fname"
	lastName  = "lname"
)

// userField names the user of a form: another user may have signed in meanwhile.
const userField = "user"

// canName reports whether the user may change their name: not if the host provides it.
func (p *dataPages) canName(user *authflow.User) bool {
	_, first := p.Claims.Catalogue.Attribute(firstName)
	_, last := p.Claims.Catalogue.Attribute(lastName)
	return first && last && p.ownsAccount(user) && p.Claims.Host == nil
}

// isChecked reports whether the user's identity is verified, or the verification is
// pending: then another name would pass for the verified one.
func (p *dataPages) isChecked(ctx context.Context, userID string) (bool, error) {
	released, err := p.Claims.Release(ctx, userID, nil, p.groupNames(), "")
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(released.Statuses, func(s storage.Status) bool { return s.Verified || s.Pending }), nil
}

// groupNames returns all groups of the catalogue.
func (p *dataPages) groupNames() []string {
	names := make([]string, len(p.Claims.Catalogue.Groups))
	for i, g := range p.Claims.Catalogue.Groups {
		names[i] = g.Name
	}
	return names
}

// showData shows the user's data.
func (p *dataPages) showData(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	record, err := p.record(r, user)
	if err != nil {
		return err
	}
	return p.renderData(w, r, user, record, record.Text(firstName), record.Text(lastName), http.StatusOK)
}

// record reads all facts of the catalogue about a user.
func (p *dataPages) record(r *http.Request, user *authflow.User) (claims.Record, error) {
	var handles []string
	for _, a := range p.Claims.Catalogue.Attributes {
		if !p.Claims.Catalogue.IsComposed(a.Handle) {
			handles = append(handles, a.Handle)
		}
	}
	return p.Claims.Person(r.Context(), user.UserID, handles, p.groupNames())
}

func (p *dataPages) renderData(w http.ResponseWriter, r *http.Request, user *authflow.User, record claims.Record, first, last string, status int, problems ...ui.Problem) error {
	checked, err := p.isChecked(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	page := p.Site.PageView(r, nil)
	form := p.Site.Form(w, r, problems)
	form.Hidden = append(form.Hidden, ui.Field{Name: userField, Value: user.UserID})
	view := ui.DataView{
		Page: page, Form: form, Notice: p.Site.Noticed(r), FirstName: first, LastName: last,
		CanName: p.canName(user) && !checked, NameChecked: p.canName(user) && checked, AccountURL: p.Site.Link("/account"),
	}
	if p.ownsAccount(user) {
		view.ExportURL = p.Site.Link("/account/export")
	}
	for _, a := range p.Claims.Catalogue.Attributes {
		raw := record.Value(a.Handle)
		if raw == nil || p.Claims.Catalogue.IsComposed(a.Handle) {
			continue
		}
		view.Facts = append(view.Facts, p.Claims.Catalogue.Recorded(page.Locale, a.Handle, raw))
	}
	if view.Received, err = p.receivers(r, user); err != nil {
		return err
	}
	p.Site.Render(w, r, status, p.Site.Screens.Data(view))
	return nil
}

// receivers are the applications with the user's consent, each with the facts that it gets, and
// those that no longer get some, which whoever has withdrawn can ask to delete them.
func (p *dataPages) receivers(r *http.Request, user *authflow.User) ([]ui.App, error) {
	consents, err := p.Store.Consents(r.Context(), storage.ConsentFilter{Subject: user.UserID})
	if err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	former, err := p.Store.FormerRecipients(r.Context(), user.UserID)
	if err != nil {
		return nil, fmt.Errorf("read former recipients: %w", err)
	}
	var apps []ui.App
	current := map[string]storage.Consent{}
	for _, c := range consents {
		current[c.ClientID] = c
		app, err := p.receiver(r, c)
		if err != nil {
			return nil, err
		}
		apps = append(apps, app)
	}
	for _, f := range former {
		c := current[f.ClientID]
		app, err := p.receiver(r, storage.Consent{
			ClientID: f.ClientID, ClientName: f.ClientName, RedirectHosts: f.RedirectHosts, CreatedAt: f.Since,
			Attributes: claims.Without(f.Attributes, c.Attributes), Groups: claims.Without(f.Groups, c.Groups),
		})
		if err != nil {
			return nil, err
		}
		if app.Until = f.Until; len(app.Facts) > 0 {
			apps = append(apps, app)
		}
	}
	return apps, nil
}

// receiver is one application with its facts, which may be gone.
func (p *dataPages) receiver(r *http.Request, c storage.Consent) (ui.App, error) {
	app, err := p.apps.consentView(r, c)
	if errors.Is(err, registry.ErrNoClient) {
		app, err = ui.App{
			Client: ui.Client{Name: c.ClientName, Host: strings.Join(c.RedirectHosts, ", ")},
			Since:  c.CreatedAt, LastUsed: c.LastUsedAt, Facts: p.apps.facts(p.Site.Locale(r), c.Attributes, c.Groups),
		}, nil
	}
	app.Scopes = nil
	return app, err
}

// saveName records the user's name, on condition that the session is still valid for the
// account, and that the name is neither verified nor pending: a user who has been locked
// out cannot write late, and nobody can pass for the person who was verified.
func (p *dataPages) saveName(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	if !p.canName(user) {
		return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
	}
	if r.PostForm.Get(userField) != user.UserID {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired}
	}
	checked, err := p.isChecked(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	if checked {
		return nameChecked(errors.New("the name of a member who is verified, or about to be"))
	}
	first, last := strings.TrimSpace(r.PostForm.Get(ui.FieldFirstName)), strings.TrimSpace(r.PostForm.Get(ui.FieldLastName))
	var problems []ui.Problem
	for _, part := range []struct{ field, value string }{{ui.FieldFirstName, first}, {ui.FieldLastName, last}} {
		if !isName(part.value) {
			problems = append(problems, ui.Problem{Code: ui.NameInvalid, Field: part.field})
		}
	}
	if len(problems) > 0 {
		record, err := p.record(r, user)
		if err != nil {
			return err
		}
		return p.renderData(w, r, user, record, first, last, http.StatusUnprocessableEntity, problems...)
	}
	values, err := p.Claims.Catalogue.EncodeAll(map[string]any{firstName: first, lastName: last})
	if err != nil {
		return fmt.Errorf("encode name: %w", err)
	}
	err = p.Store.SetOwnAttributes(r.Context(), user.UserID, user.Account.Epoch, values, nil, p.Clock())
	if errors.Is(err, storage.ErrConflict) { // a check began since the page was shown
		return nameChecked(err)
	}
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	if err != nil {
		return fmt.Errorf("save name: %w", err)
	}
	p.Site.Redirect(w, p.Site.Link("/account/data", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeNameSaved)))
	return nil
}

func nameChecked(cause error) error {
	return &web.PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Cause: cause}
}

// maxName is the maximum length of a part of a name, in characters.
const maxName = 120

// isName reports whether a text can be part of a name.
func isName(s string) bool { return utf8.RuneCountInString(s) <= maxName && web.IsPlainText(s) }

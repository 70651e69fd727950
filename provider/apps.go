package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showApps lists the applications that the user has allowed something.
func (p *Provider) showApps(w http.ResponseWriter, r *http.Request) error {
	user, err := p.mustBeSignedIn(w, r)
	if err != nil || user == nil {
		return err
	}
	consents, err := p.cfg.Store.Consents(r.Context(), user.UserID)
	if err != nil {
		return fmt.Errorf("read consents: %w", err)
	}
	view := ui.AppsView{Page: p.pageView(r, nil), Notice: ui.Notice(r.URL.Query().Get(noticeParameter)), AccountURL: p.link("/account")}
	for _, c := range consents {
		app, err := p.appView(r.Context(), c)
		if errors.Is(err, engine.ErrNoClient) {
			continue // disabled: it can see nothing
		}
		if err != nil {
			return err
		}
		view.Apps = append(view.Apps, app)
	}
	p.render(w, r, http.StatusOK, ui.Apps(view))
	return nil
}

func (p *Provider) appView(ctx context.Context, c storage.Consent) (ui.App, error) {
	client, err := p.engine.Client(ctx, c.ClientID)
	if err != nil {
		return ui.App{}, err
	}
	app := ui.App{
		Client: ui.Client{
			Name: client.Name, LogoURL: p.imageURL(client.Logo), Host: hostOf(client.RedirectURIs[0]),
			Verified: true, TermsURL: client.TermsURI, PolicyURL: client.PolicyURI,
		},
		Since: c.CreatedAt, LastUsed: c.LastUsedAt,
		RemoveURL: p.link("/account/apps/remove", clientParameter, c.ClientID),
	}
	for _, name := range c.Scopes {
		if scope := p.catalogue.scope(name); scope != nil {
			app.Scopes = append(app.Scopes, scope.Title)
		}
	}
	return app, nil
}

// showRemoveApp asks whether to take back what an application was allowed.
func (p *Provider) showRemoveApp(w http.ResponseWriter, r *http.Request) error {
	user, err := p.mustBeSignedIn(w, r)
	if err != nil || user == nil {
		return err
	}
	clientID := parameter(r, clientParameter)
	consent, err := p.cfg.Store.Consent(r.Context(), user.UserID, clientID)
	if errors.Is(err, storage.ErrNotFound) {
		return &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound}
	}
	if err != nil {
		return fmt.Errorf("read consent: %w", err)
	}
	app, err := p.appView(r.Context(), consent)
	if errors.Is(err, engine.ErrNoClient) {
		return &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound}
	}
	if err != nil {
		return err
	}
	form := ui.Form{Action: p.link("/account/apps/remove"), Hidden: p.hidden(w, r, ui.Field{Name: clientParameter, Value: clientID})}
	p.render(w, r, http.StatusOK, ui.RemoveApp(ui.RemoveAppView{
		Page: p.pageView(r, nil), Form: form, App: app, CancelURL: p.link("/account/apps"),
	}))
	return nil
}

// removeApp forgets what the user has allowed an application and ends every token
// of it.
func (p *Provider) removeApp(w http.ResponseWriter, r *http.Request) error {
	user, err := p.mustBeSignedIn(w, r)
	if err != nil || user == nil {
		return err
	}
	clientID := r.PostForm.Get(clientParameter)
	if !isName(clientID) {
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest}
	}
	if err := p.cfg.Store.RevokeConsent(r.Context(), user.UserID, clientID, p.cfg.Clock()); err != nil {
		return fmt.Errorf("revoke consent: %w", err)
	}
	p.record(r.Context(), Event{Name: EventRevoked, UserID: user.UserID, ClientID: clientID, Detail: "by the user"})
	p.redirect(w, p.link("/account/apps", noticeParameter, string(ui.NoticeAppRemoved)))
	return nil
}

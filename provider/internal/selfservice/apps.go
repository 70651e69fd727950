package selfservice

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showConsents lists the applications that the user has given consent.
func (p *appPages) showConsents(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	consents, err := p.Store.Consents(r.Context(), storage.ConsentFilter{Subject: user.UserID})
	if err != nil {
		return fmt.Errorf("read consents: %w", err)
	}
	view := ui.AppsView{Page: p.Site.PageView(r, nil), Notice: p.Site.Noticed(r), AccountURL: p.Site.Link("/account")}
	for _, c := range consents {
		app, err := p.consentView(r, c)
		if errors.Is(err, registry.ErrNoClient) {
			continue // disabled: it can see nothing
		}
		if err != nil {
			return err
		}
		view.Apps = append(view.Apps, app)
	}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.Apps(view))
	return nil
}

func (p *appPages) consentView(r *http.Request, c storage.Consent) (ui.App, error) {
	client, err := p.Engine.Client(r.Context(), c.ClientID)
	if err != nil {
		return ui.App{}, err
	}
	app := ui.App{
		Client: ui.Client{
			Name: client.Title(), Logo: p.Site.ClientPicture(r.Context(), client.Logo, client.LogoDark), Host: web.HostOfFirst(client.RedirectURIs),
			TermsURL: client.TermsURL, PolicyURL: client.PolicyURL, Unknown: client.IsUnknown(),
		},
		Since: c.CreatedAt, LastUsed: c.LastUsedAt,
		OnDevice:  len(client.RedirectURIs) == 0 && client.AllowsGrant(protocol.GrantDeviceCode),
		RemoveURL: p.Site.Link("/account/apps/remove", web.ClientParameter, c.ClientID),
	}
	if client.InitiateLoginURI != "" {
		app.OpenURL = web.WithQuery(client.InitiateLoginURI, url.Values{"iss": {p.Site.Issuer}})
	}
	if client.IsUnknown() && !client.Trusted {
		app.Calls = client.Document.Name
	}
	l := p.Site.Locale(r)
	for _, name := range c.Scopes {
		if p.Claims.Catalogue.Scope(name) != nil {
			title, _ := p.Claims.Catalogue.ScopeWords(l, name, client.Dialect.V3Attributes)
			app.Scopes = append(app.Scopes, title)
		}
	}
	app.Facts = p.facts(l, c.Attributes, c.Groups)
	byScope, _ := p.Claims.Catalogue.RequestedFor(client, c.Scopes)
	for _, fact := range c.Attributes { // others were requested one by one
		_, ok := p.Claims.Catalogue.Attribute(fact)
		if ok && !slices.Contains(byScope, fact) && !p.Claims.Catalogue.IsComposed(fact) { // its parts are there
			app.Scopes = append(app.Scopes, p.Claims.Catalogue.AttributeWords(l, fact))
		}
	}
	app.Scopes = append(app.Scopes, p.howVerified(l, c.Attributes)...)
	for _, uri := range c.Resources {
		if resource := p.Engine.Resource(uri); resource != nil {
			app.Resources = append(app.Resources, resource.Name)
		}
	}
	return app, nil
}

// facts are what people call attributes and groups, but for those whose parts are there.
func (p *appPages) facts(l *ui.Locale, attributes, groups []string) (facts []ui.Label) {
	for _, handle := range attributes {
		if _, ok := p.Claims.Catalogue.Attribute(handle); ok && !p.Claims.Catalogue.IsComposed(handle) {
			facts = append(facts, p.Claims.Catalogue.AttributeWords(l, handle))
		}
	}
	for _, group := range groups {
		if _, ok := p.Claims.Catalogue.Group(group); ok {
			facts = append(facts, p.Claims.Catalogue.GroupWords(l, group))
		}
	}
	return append(facts, p.howVerified(l, attributes)...)
}

// howVerified are the facts among attributes that tell how a group was verified.
func (p *appPages) howVerified(l *ui.Locale, attributes []string) (facts []ui.Label) {
	for _, group := range claims.VerifiedAmong(attributes) {
		if _, ok := p.Claims.Catalogue.Group(group); ok {
			facts = append(facts, p.Claims.Catalogue.AttributeWords(l, authorization.VerifiedName(group)))
		}
	}
	return facts
}

// showRemoveConsent asks whether to withdraw consent from an application.
func (p *appPages) showRemoveConsent(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	clientID := web.Parameter(r, web.ClientParameter)
	consent, err := p.Store.Consent(r.Context(), user.UserID, clientID)
	if errors.Is(err, storage.ErrNotFound) {
		return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
	}
	if err != nil {
		return fmt.Errorf("read consent: %w", err)
	}
	app, err := p.consentView(r, consent)
	if errors.Is(err, registry.ErrNoClient) {
		return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
	}
	if err != nil {
		return err
	}
	form := ui.Form{Action: p.Site.Link("/account/apps/remove"), Hidden: p.Site.Hidden(w, r, ui.Field{Name: web.ClientParameter, Value: clientID})}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.RemoveApp(ui.RemoveAppView{
		Page: p.Site.PageView(r, nil), Form: form, App: app, CancelURL: p.Site.Link("/account/apps"),
	}))
	return nil
}

// removeConsent removes the user's consent for an application and ends all its tokens.
func (p *appPages) removeConsent(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	clientID := r.PostForm.Get(web.ClientParameter)
	if !registry.IsClientID(clientID) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
	}
	if _, err := p.EndConsent(r.Context(), user.UserID, clientID, "by the user"); err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/account/apps", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeAppRemoved)))
	return nil
}

package developer

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// metadata is the path at which OAuth clients look for the discovery document (RFC 8414),
// below the issuer.
const metadata = "/.well-known/oauth-authorization-server"

// endpoints are the addresses in an application's configuration, by their names in the
// discovery document.
var endpoints = []screens.Endpoint{
	{Name: "authorization_endpoint", URL: "/oauth/authorize"},
	{Name: "pushed_authorization_request_endpoint", URL: "/oauth/par"},
	{Name: endpointDevice, URL: "/oauth/device_authorization"},
	{Name: "token_endpoint", URL: "/oauth/token"},
	{Name: "userinfo_endpoint", URL: "/api/public/v3/userinfo"},
	{Name: "jwks_uri", URL: "/oidc/.well-known/jwks"},
	{Name: "revocation_endpoint", URL: "/oauth/revoke"},
	{Name: "introspection_endpoint", URL: "/oauth/introspect"},
	{Name: "end_session_endpoint", URL: "/signout"},
}

// endpointDevice is for applications with the grant of devices.
const endpointDevice = "device_authorization_endpoint"

// ofPeople are the endpoints that an application without sign-ins does not use.
var ofPeople = []string{"authorization_endpoint", "pushed_authorization_request_endpoint", "userinfo_endpoint", "end_session_endpoint"}

// showOverview shows an application.
func (d *appPages) showOverview(r *request) error {
	return d.renderOverview(r, "", http.StatusOK)
}

func (d *appPages) renderOverview(r *request, secret string, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionOverview)
	if err != nil {
		return err
	}
	view := screens.OverviewView{
		Page: p, Form: r.Form(problems...), Name: r.app.Name, ClientID: r.app.ClientID, Kind: r.app.Kind,
		Secret: secret, MayChange: r.may(developers),
	}
	if r.app.Deleting {
		view.Deleting, view.Sections = true, nil
		r.Render(status, screens.Overview(view))
		return nil
	}
	c, err := d.client(r)
	if errors.Is(err, provider.ErrScreenNotFound) {
		view.Incomplete, view.Sections = true, nil
		if r.may(developers) {
			view.DeleteURL = d.path("o", r.org.ID, r.env, r.app.ClientID, "delete")
		}
		r.Render(http.StatusOK, screens.Overview(view))
		return nil
	}
	if err != nil {
		return err
	}
	view.Name, view.Dialect, view.Public, view.ByKey = c.Name, c.Dialect, c.Public, signsWithKey(c)
	view.Disabled, view.Unreviewed, view.RedirectURIs = c.Disabled, c.Unreviewed, c.RedirectURIs
	if env, ok := d.copyTo(r.env); ok && view.MayChange && !stopped(r.app) && !r.suspended() {
		view.CopyTo = screens.Environment(env)
		if env == storage.Production {
			var copied provider.Client
			copied, view.LeftBehind = promoted(r.app, c)
			view.NeedsRedirect = r.app.Kind != kindMachine && len(copied.RedirectURIs) == 0
		}
	}
	d.addAddresses(r, &view, c)
	if err := d.addHint(r, &view); err != nil {
		return err
	}
	render := r.Render
	if secret != "" {
		render = r.Room().RenderSecret
	}
	render(status, screens.Overview(view))
	return nil
}

// addAddresses adds the addresses of the provider, and of the next pages.
func (d *appPages) addAddresses(r *request, view *screens.OverviewView, c provider.Client) {
	about := d.provider(r.env).Rooms().Installation()
	view.Issuer, view.DiscoveryURL = about.Issuer, about.Issuer+"/.well-known/openid-configuration"
	view.Endpoints = []screens.Endpoint{{Name: screens.EndpointMetadata, URL: about.Issuer + metadata}}
	for _, e := range endpoints {
		if r.app.Kind == kindMachine && slices.Contains(ofPeople, e.Name) || e.Name == endpointDevice && !slices.Contains(c.GrantTypes, grantDevice) {
			continue
		}
		view.Endpoints = append(view.Endpoints, screens.Endpoint{Name: e.Name, URL: about.BaseURL + e.URL})
	}
	for _, s := range view.Sections {
		switch s.Section {
		case screens.SectionSecrets:
			view.SecretsURL = s.URL
		case screens.SectionSamples:
			view.SamplesURL = s.URL
		case screens.SectionTry:
			view.TryURL = s.URL
		case screens.SectionAccess:
			view.AccessURL = s.URL
		}
	}
}

// addHint adds the last characters of the secret.
func (d *appPages) addHint(r *request, view *screens.OverviewView) error {
	if view.Public || view.ByKey || !view.MayChange {
		return nil
	}
	secrets, err := d.provider(r.env).Clients().ListSecrets(r.Request.Context(), r.app.ClientID)
	if err != nil {
		return notFound(err)
	}
	if len(secrets) > 0 {
		view.Hint = secrets[0].Hint
	}
	return nil
}

// changeOverview shows the secret, or copies the application.
func (d *appPages) changeOverview(r *request) error {
	if r.app.Deleting {
		return d.showOverview(r)
	}
	switch r.posted(ui.FieldAction) {
	case screens.ActionReveal:
		return d.revealSecret(r)
	case screens.ActionCopy:
		return d.copyApplication(r)
	}
	return forbidden("no such action")
}

// revealSecret shows the secret in the uncached response to the form, and nowhere else.
func (d *appPages) revealSecret(r *request) error {
	var secret string
	err := d.registered(r.Request.Context(), r.does(), "secret.reveal", nil, func(ctx context.Context) (err error) {
		secret, err = d.provider(r.env).Clients().Secret(ctx, r.app.ClientID)
		return err
	})
	if err != nil {
		return notFound(err)
	}
	d.warnOwners(r.Request.Context(), r.does(), ui.MailSecretShown)
	return d.renderOverview(r, secret, http.StatusOK)
}

// copyTo returns the environment to which applications of this one can be copied.
func (d *appPages) copyTo(env string) (string, bool) {
	other := storage.Sandbox
	if env == storage.Sandbox {
		other = storage.Production
	}
	return other, d.provider(other) != nil && d.mayRegister(other)
}

// copyApplication registers an application in the other environment as it is in this one,
// except for operator rights and its secret.
func (d *appPages) copyApplication(r *request) error {
	env, ok := d.copyTo(r.env)
	if !ok || stopped(r.app) {
		return forbidden("there is no environment to copy to, or an operator has stopped the application")
	}
	c, err := d.client(r)
	if err != nil {
		return err
	}
	from := c.ID
	offered := d.forms.offeredScopes(env)
	c.Scopes = slices.DeleteFunc(slices.Clone(d.forms.scopesOf(r.env, c)), func(s string) bool {
		return s != scopeOpenID && s != scopeOffline && !slices.ContainsFunc(offered, func(o catalogue.Scope) bool { return o.Name == s })
	})
	c.OptionalScopes = optionalOf(c)
	if c, _ = promoted(r.app, d.forms.withoutOperators(env, c, r.app)); r.app.Kind != kindMachine && len(c.RedirectURIs) == 0 {
		return d.renderOverview(r, "", http.StatusUnprocessableEntity, ui.Problem{Code: ui.AddressMissing})
	}
	c.ID, c.Disabled = newClientID(env), false
	if len(c.Resources) > 0 {
		c.Resources = d.forms.resourcesIn(env, c)
	}
	var wrong *provider.FieldError
	if errors.As(d.provider(env).Rooms().Clients.Validate(c), &wrong) { // as an address that is for a sandbox only
		problem := ui.Problem{Text: wrong.Error()}
		if wrong.Field == "Profile" {
			problem.Text = screens.ProfileProblem(r.Page(), screens.FieldProfile).Text
		}
		return d.renderOverview(r, "", http.StatusUnprocessableEntity, problem)
	}
	if env == storage.Production {
		of, err := d.drafts.checkBrand(r.Request.Context(), r.User.UserID, "", c.Name, false)
		if err != nil {
			return err
		}
		if len(of) > 0 {
			return d.renderOverview(r, "", http.StatusUnprocessableEntity, of...)
		}
	}
	fields := append(changed("copy_of", "", from), append(changed("client_id", "", c.ID), fieldsOf(c)...)...)
	err = d.register(r, env, c, r.app.Kind, "application.copy", fields)
	if errors.Is(err, errNoRoom) {
		return d.renderOverview(r, "", http.StatusUnprocessableEntity, ui.Problem{Code: ui.PicturesFull})
	}
	if errors.Is(err, errUnverified) {
		return d.renderOverview(r, "", http.StatusForbidden, ui.Problem{Code: ui.EmailUnverified})
	}
	if errors.Is(err, storage.ErrLimit) {
		return d.renderOverview(r, "", http.StatusTooManyRequests, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Applications})
	}
	if err != nil {
		return err
	}
	return r.done(d.path("o", r.org.ID, env, c.ID), screens.NoticeCopied)
}

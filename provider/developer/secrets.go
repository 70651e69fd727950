package developer

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// overlaps are how long the former secrets stay valid.
var overlaps = map[string]time.Duration{
	screens.OverlapNone: 0, screens.OverlapHour: time.Hour, screens.OverlapDay: 24 * time.Hour, screens.OverlapWeek: 7 * 24 * time.Hour,
}

// showSecrets lists the secrets of an application.
func (d *Dashboard) showSecrets(r *request) error {
	c, err := d.client(r)
	if err != nil {
		return err
	}
	return d.renderSecrets(r, c, "", http.StatusOK)
}

func (d *Dashboard) renderSecrets(r *request, c provider.Client, secret string, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionSecrets)
	if err != nil {
		return err
	}
	secrets, err := d.provider(r.env).Clients().ListSecrets(r.Request.Context(), c.ID)
	if err != nil {
		return notFound(err)
	}
	view := screens.SecretsView{
		Page: p, Form: r.Form(problems...), Version: strconv.FormatInt(c.Revision, 10), Public: c.Public, Secret: secret,
		ByKey: signsWithKey(c), Managed: c.SelfManaged, SettingsURL: d.path("o", r.org.ID, r.env, r.app.ClientID, "settings") + "#" + ui.FieldJWKS,
	}
	for i, s := range secrets {
		view.Secrets = append(view.Secrets, screens.Secret{
			ID: s.ID, Hint: s.Hint, Created: s.CreatedAt, Expires: s.ExpiresAt, LastUsed: s.LastUsedAt, Newest: i == 0,
		})
	}
	render := r.Render
	if secret != "" {
		render = r.RenderSecret
	}
	render(status, screens.Secrets(view))
	return nil
}

// changeSecrets makes a new secret, or ends one.
func (d *Dashboard) changeSecrets(r *request) error {
	c, err := d.client(r)
	if err != nil {
		return err
	}
	here := d.path("o", r.org.ID, r.env, r.app.ClientID, "secrets")
	// Reloading the page with a new secret does not make another.
	if r.posted(screens.FieldVersion) != strconv.FormatInt(c.Revision, 10) {
		return r.done(here, screens.NoticeSomebodyElse)
	}
	switch r.posted(ui.FieldAction) {
	case screens.ActionRevoke:
		return d.endManagement(r, c, here)
	case screens.ActionRotate:
		return d.rotateSecret(r, c)
	case ui.ActionEnd:
		return d.endSecret(r, c, here)
	}
	return forbidden("no such action")
}

func (d *Dashboard) rotateSecret(r *request, c provider.Client) error {
	overlap, ok := overlaps[r.posted(screens.FieldOverlap)]
	if !ok {
		return forbidden("no such overlap")
	}
	secret, err := d.provider(r.env).Clients().RotateSecret(r.Request.Context(), c.ID, overlap, c.Revision)
	if errors.Is(err, provider.ErrChanged) { // in this moment
		return r.done(d.path("o", r.org.ID, r.env, r.app.ClientID, "secrets"), screens.NoticeSomebodyElse)
	}
	if errors.Is(err, provider.ErrTooManySecrets) {
		return d.renderSecrets(r, c, "", http.StatusConflict, ui.Problem{Code: ui.TooManySecrets})
	}
	if err != nil {
		return notFound(err)
	}
	d.record(r, "secret.rotate", []storage.ChangedField{{Name: screens.FieldOverlap, After: r.posted(screens.FieldOverlap)}})
	d.warnOwners(r.Request.Context(), r.does(), ui.MailSecretShown)
	if c, err = d.client(r); err != nil {
		return err
	}
	return d.renderSecrets(r, c, secret, http.StatusOK)
}

func (d *Dashboard) endSecret(r *request, c provider.Client, here string) error {
	err := d.provider(r.env).Clients().EndSecret(r.Request.Context(), c.ID, r.posted(screens.FieldSecret))
	if errors.Is(err, provider.ErrLastSecret) {
		return d.renderSecrets(r, c, "", http.StatusConflict, ui.Problem{Code: ui.LastSecret})
	}
	if err != nil {
		return notFound(err)
	}
	d.record(r, "secret.end", nil)
	return r.done(here, screens.NoticeSecretEnded)
}

// endManagement ends the token with which a program manages the registration.
func (d *Dashboard) endManagement(r *request, c provider.Client, here string) error {
	if err := d.provider(r.env).Clients().RevokeRegistrationToken(r.Request.Context(), c.ID); err != nil {
		return notFound(err)
	}
	d.record(r, "registration.revoke", nil)
	return r.done(here, screens.NoticeTokenRevoked)
}

package developer

import (
	"context"
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
func (d *appPages) showSecrets(r *request) error {
	c, err := d.client(r)
	if err != nil {
		return err
	}
	return d.renderSecrets(r, c, http.StatusOK)
}

func (d *appPages) renderSecrets(r *request, c provider.Client, status int, problems ...ui.Problem) error {
	view, err := d.secretsView(r, c, problems...)
	if err == nil {
		r.Render(status, screens.Secrets(view))
	}
	return err
}

func (d *appPages) secretsView(r *request, c provider.Client, problems ...ui.Problem) (screens.SecretsView, error) {
	p, err := d.applicationPage(r, screens.SectionSecrets)
	if err != nil {
		return screens.SecretsView{}, err
	}
	secrets, err := d.provider(r.env).Clients().ListSecrets(r.Request.Context(), c.ID)
	if err != nil {
		return screens.SecretsView{}, notFound(err)
	}
	view := screens.SecretsView{
		Page: p, Form: r.Form(problems...), Version: strconv.FormatInt(c.Revision, 10), Public: c.Public,
		ByKey: signsWithKey(c), Managed: c.SelfManaged, SettingsURL: d.path("o", r.org.ID, r.env, r.app.ClientID, "settings") + "#" + ui.FieldJWKS,
	}
	for i, s := range secrets {
		view.Secrets = append(view.Secrets, screens.Secret{
			ID: s.ID, Hint: s.Hint, Created: s.CreatedAt, Expires: s.ExpiresAt, LastUsed: s.LastUsedAt, Newest: i == 0,
		})
	}
	return view, nil
}

// changeSecrets makes a new secret, or ends one.
func (d *appPages) changeSecrets(r *request) error {
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

// rotateSecret makes a new secret and shows it, once: nothing that fails afterwards keeps the page
// from being drawn.
func (d *appPages) rotateSecret(r *request, c provider.Client) error {
	overlap, ok := overlaps[r.posted(screens.FieldOverlap)]
	if !ok {
		return forbidden("no such overlap")
	}
	view, err := d.secretsView(r, c)
	if err != nil {
		return err
	}
	fields := []storage.ChangedField{{Name: screens.FieldOverlap, After: r.posted(screens.FieldOverlap)}}
	err = d.registered(r.Request.Context(), r.does(), "secret.rotate", fields, func(ctx context.Context) (err error) {
		view.Secret, err = d.provider(r.env).Clients().RotateSecret(ctx, c.ID, overlap, c.Revision)
		return err
	})
	if errors.Is(err, provider.ErrChanged) { // in this moment
		return r.done(d.path("o", r.org.ID, r.env, r.app.ClientID, "secrets"), screens.NoticeSomebodyElse)
	}
	if errors.Is(err, provider.ErrTooManySecrets) {
		return d.renderSecrets(r, c, http.StatusConflict, ui.Problem{Code: ui.TooManySecrets})
	}
	if err != nil {
		return notFound(err)
	}
	d.warnOwners(r.Request.Context(), r.does(), ui.MailSecretShown)
	if c, err = d.client(r); err == nil {
		if now, err := d.secretsView(r, c); err == nil { // else as it was
			now.Secret = view.Secret
			view = now
		}
	}
	r.Room().RenderSecret(http.StatusOK, screens.Secrets(view))
	return nil
}

func (d *appPages) endSecret(r *request, c provider.Client, here string) error {
	err := d.registered(r.Request.Context(), r.does(), "secret.end", nil, func(ctx context.Context) error {
		return d.provider(r.env).Clients().EndSecret(ctx, c.ID, r.posted(screens.FieldSecret))
	})
	if errors.Is(err, provider.ErrLastSecret) {
		return d.renderSecrets(r, c, http.StatusConflict, ui.Problem{Code: ui.LastSecret})
	}
	if err != nil {
		return notFound(err)
	}
	return r.done(here, screens.NoticeSecretEnded)
}

// endManagement ends the token with which a program manages the registration.
func (d *appPages) endManagement(r *request, c provider.Client, here string) error {
	err := d.registered(r.Request.Context(), r.does(), "registration.revoke", nil, func(ctx context.Context) error {
		return d.provider(r.env).Rooms().Clients.RevokeRegistrationToken(ctx, c.ID)
	})
	if err != nil {
		return notFound(err)
	}
	return r.done(here, screens.NoticeTokenRevoked)
}

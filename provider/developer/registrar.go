package developer

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// registrar decides about the applications that programs register in an environment with the
// tokens of organizations. It implements room.Registrar: a program may what a developer may
// on the pages.
type registrar struct {
	*appPages
	env string
}

// byProgram is who the activity log says has managed a registration: its program.
func byProgram(clientID string) string { return programPrefix + clientID }

func isProgram(who string) bool { return strings.HasPrefix(who, programPrefix) }

const programPrefix = "program:"

// Accepts implements room.Registrar.
func (g registrar) Accepts(ctx context.Context, token string) (bool, error) {
	_, err := g.initial(ctx, token)
	if errors.Is(err, room.ErrToken) {
		return false, nil
	}
	return err == nil, err
}

// initial returns an initial access token that is good for one more registration.
func (g registrar) initial(ctx context.Context, token string) (storage.RegistrationToken, error) {
	t, err := storage.One(g.Store.RegistrationTokens(ctx, storage.TokenFilter{Token: sha256.Sum256([]byte(token))}))
	if err == nil && (t.Environment != g.env || t.Remaining <= 0 || !g.Clock().Before(t.ExpiresAt)) {
		err = storage.ErrNotFound
	}
	return t, asTokenError(err)
}

// Register implements room.Registrar.
func (g registrar) Register(ctx context.Context, token string, c provider.Client) (provider.Client, error) {
	t, err := g.initial(ctx, token)
	if err != nil {
		return c, err
	}
	if !g.mayRegister(g.env) {
		return c, room.RegistrationRefused("Applications begin in the sandbox. Register this one there.")
	}
	c.ID = newClientID(g.env)
	a := act{by: byProgram(c.ID), org: storage.Organization{ID: t.OrganizationID}, app: storage.Application{
		Environment: g.env, OrganizationID: t.OrganizationID, Kind: kindOfProgram(c), CreatedBy: t.MadeBy,
		Document: document{Program: &program{Token: t.Name, Organization: t.OrganizationID, Hosts: t.Hosts}}.bytes(),
	}}
	if c, err = g.drafts.wish(ctx, a.app, provider.Client{}, c); err != nil {
		return c, err
	}
	fields := append(changed(screens.FieldToken, "", t.Name), fieldsOf(c)...)
	_, err = g.enter(ctx, a, c, "application.register", fields, func(ctx context.Context, app storage.Application) error {
		return g.Store.RegisterApplication(ctx, app, t.Digest, app.CreatedAt, g.Quotas.Applications)
	})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return c, room.ErrToken
	case errors.Is(err, storage.ErrLimit):
		return c, room.RegistrationRefused("The organization has as many applications as it may have.")
	case errors.Is(err, storage.ErrOrganizationStopped):
		return c, errSuspendedProgram
	case errors.Is(err, errUnverified):
		return c, room.RegistrationRefused("The owner who made the token has no verified e-mail address.")
	}
	return c, err
}

var errSuspendedProgram = room.RegistrationRefused("The organization of this token is suspended.")

// kindOfProgram is the kind of an application whose program says no more about it.
func kindOfProgram(c provider.Client) string {
	switch {
	case len(c.RedirectURIs) == 0:
		return kindMachine
	case !c.Public:
		return kindWeb
	case registration.OnDevice(c.RedirectURIs):
		return kindNative
	default:
		return kindSPA
	}
}

// Manages implements room.Registrar. In another organization than that of its token a program
// manages nothing, from the write that moves the application on.
func (g registrar) Manages(ctx context.Context, clientID string) error {
	app, err := g.Store.Application(ctx, g.env, clientID)
	if err != nil {
		return asTokenError(err)
	}
	kept, err := readDocument(app)
	if err == nil && (kept.Program == nil || kept.Program.Organization != app.OrganizationID) {
		err = room.ErrToken
	}
	return err
}

// Replace implements room.Registrar.
func (g registrar) Replace(ctx context.Context, now, wanted provider.Client) error {
	a, err := g.act(ctx, now.ID)
	if err != nil {
		return err
	}
	if (len(wanted.RedirectURIs) == 0) != (a.app.Kind == kindMachine) {
		return wrong("RedirectURIs", "cannot come or go: register another application")
	}
	if wanted, err = g.drafts.wish(ctx, a.app, now, wanted); err != nil {
		return err
	}
	if g.forms.vouched(g.env, now) {
		served, rest := g.forms.split(now, wanted)
		if len(needed(a.app.Kind, now, wanted))+len(lastReviewed(served, rest)) > 0 {
			return room.RegistrationRefused("The change leaves out something that the review of the application requires.")
		}
	}
	served, _, err := g.drafts.save(ctx, a, "application.change", now, wanted)
	if err != nil {
		return err
	}
	if movesData(now, wanted) {
		g.warnOwners(ctx, a, ui.MailAddressesChanged)
	}
	g.named(ctx, a.app, served.Name)
	return nil
}

// Remove implements room.Registrar. Unlike remove it ends the client first: only that write
// knows whether the token, which may be revoked meanwhile, is still the one of the request.
func (g registrar) Remove(ctx context.Context, c provider.Client) error {
	a, err := g.act(ctx, c.ID)
	if err != nil {
		return err
	}
	err = g.registered(ctx, a, "application.delete", changed(ui.FieldName, a.app.Name, ""), func(ctx context.Context) error {
		return g.provider(g.env).Clients().Delete(ctx, c.ID, c.Revision)
	})
	if err == nil {
		g.abandon(ctx, a.app)
	}
	return err
}

// act is what the program of a registration does to its application.
func (g registrar) act(ctx context.Context, clientID string) (act, error) {
	a := act{by: byProgram(clientID)}
	var err error
	if a.app, err = g.Store.Application(ctx, g.env, clientID); err == nil && a.app.Deleting {
		err = storage.ErrNotFound
	}
	if err == nil {
		a.org, err = g.Store.Organization(ctx, a.app.OrganizationID)
	}
	if err == nil && !a.org.Stopped.At.IsZero() {
		err = errSuspendedProgram
	}
	return a, asTokenError(err)
}

// asTokenError is the error of a program whose application is gone.
func asTokenError(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return room.ErrToken
	}
	return err
}

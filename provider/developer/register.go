package developer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// mayRegister reports whether developers register applications of an environment
// themselves.
func (d *frame) mayRegister(env string) bool { return env == storage.Sandbox || !d.Review }

// showRegister shows the form of a new application.
func (d *appPages) showRegister(r *request) error {
	if !d.mayRegister(r.env) {
		return provider.ErrScreenNotFound
	}
	return d.renderRegister(r, provider.Client{Scopes: usualScopes}, "", http.StatusOK)
}

func (d *appPages) renderRegister(r *request, c provider.Client, kind string, status int, problems ...ui.Problem) error {
	p, err := d.organizationPage(r, screens.SectionApplications)
	if err != nil {
		return err
	}
	view := screens.RegisterView{
		Page: d.inEnvironment(p, r.env, d.path("o", r.org.ID, storage.Sandbox), d.path("o", r.org.ID, storage.Production)),
		Form: r.Form(problems...), Name: c.Name, Kind: kind, Dialect: c.Dialect, RedirectURIs: r.posted(screens.FieldRedirectURIs),
		Kinds: kinds, CheckURL: d.path("o", r.org.ID, r.env, "check"), Unreviewed: r.env == storage.Production,
	}
	showProgram(&view, cmp.Or(r.posted(screens.FieldProgram), r.asked(screens.FieldProgram)), r.Request.Method == http.MethodPost)
	for _, s := range d.forms.offeredScopes(r.env) {
		view.Scopes = append(view.Scopes, d.forms.scopeView(r, s.Name, slices.Contains(c.Scopes, s.Name), c.Dialect))
	}
	r.Render(status, screens.Register(view))
	return nil
}

// registerApplication registers the entered application.
func (d *appPages) registerApplication(r *request) error {
	if !d.mayRegister(r.env) {
		return provider.ErrScreenNotFound
	}
	p, kind := d.postedRegistration(r)
	if r.env == storage.Production {
		of, err := d.drafts.checkBrand(r.Request.Context(), r.User.UserID, "", p.Name, false)
		if err != nil {
			return err
		}
		p.wrong(of...)
	}
	if len(p.problems) > 0 {
		return d.renderRegister(r, p.Client, kind, http.StatusUnprocessableEntity, p.problems...)
	}
	err := d.register(r, r.env, p.Client, kind, "application.create", fieldsOf(p.Client))
	if errors.Is(err, errUnverified) {
		return d.renderRegister(r, p.Client, kind, http.StatusForbidden, ui.Problem{Code: ui.EmailUnverified})
	}
	if errors.Is(err, storage.ErrLimit) {
		return d.renderRegister(r, p.Client, kind, http.StatusTooManyRequests, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Applications})
	}
	if err != nil {
		return err
	}
	of := d.path("o", r.org.ID, r.env, r.app.ClientID)
	if about, ok := p.program(kind); ok {
		of += "/samples" + samplesURL(about.ID, 0)
	}
	return r.done(of, screens.NoticeRegistered)
}

// keepRegistration shows the entered values again.
func (d *appPages) keepRegistration(r *request) error {
	if !d.mayRegister(r.env) {
		return provider.ErrScreenNotFound
	}
	p, kind := d.postedRegistration(r)
	problems := append([]ui.Problem{{Code: ui.ConfirmFirst}}, p.problems...)
	return d.renderRegister(r, p.Client, kind, http.StatusForbidden, problems...)
}

// postedRegistration returns the entered registration and its problems.
func (d *appPages) postedRegistration(r *request) (p *posting, kind string) {
	kind = r.posted(ui.FieldKind)
	p = d.forms.newPosting(r, newClient(r.env, kind))
	p.name()
	if !slices.Contains(kinds, kind) {
		p.wrong(ui.Problem{Code: ui.KindMissing})
	}
	if kind != kindMachine {
		p.redirectURIs()
	}
	if r.posted(screens.FieldDialect) == provider.V3 {
		p.Dialect, p.ResponseTypes = provider.V3, nil // those of the dialect, which its programs use
	}
	if about, ok := p.program(kind); ok {
		p.suit(about)
	}
	p.scopes(r.env)
	if kind == kindMachine { // they are chosen before the kind is, and are about people
		p.Scopes = slices.DeleteFunc(p.Scopes, isUsual)
	}
	if kind == kindSPA {
		p.Origins = originsOf(d.provider(r.env), p.RedirectURIs)
	}
	p.check(r.env)
	return p, kind
}

// newClient is the initial registration of a kind of application.
func newClient(env, kind string) provider.Client {
	c := provider.Client{ID: newClientID(env), Dialect: provider.Standard}
	if kind == kindMachine {
		// Without any it could request all; this one is of no use to it.
		c.GrantTypes, c.Scopes = []string{grantClient}, []string{scopeOpenID}
		return c
	}
	c.Public, c.GrantTypes = kind != kindWeb, []string{grantCode, grantRefresh}
	c.ResponseTypes, c.Scopes = responseTypes[:1], []string{scopeOpenID, scopeOffline}
	return c
}

// errUnverified is the error of a user without a verified address who registers a
// production application.
var errUnverified = errors.New("the address of the account is not verified")

// register registers an application for the user of a page, as an act with these fields.
func (d *appPages) register(r *request, env string, c provider.Client, kind, what string, fields []storage.ChangedField) error {
	a := r.does()
	a.app = storage.Application{Environment: env, OrganizationID: r.org.ID, Kind: kind, CreatedBy: r.User.UserID}
	app, err := d.enter(r.Request.Context(), a, c, what, fields, func(ctx context.Context, app storage.Application) error {
		return d.Store.CreateApplication(ctx, app, d.Quotas.Applications)
	})
	if err == nil {
		r.env, r.app = env, app
	}
	return notFound(err)
}

// enter records an application by create, and registers its client, which are in two databases. The
// application is first, and is removed last: no client is ever without a responsible
// organization. A failure between the two has the application removed again; an interruption
// leaves it without a client: its page says so, and it can be deleted.
func (d *appPages) enter(
	ctx context.Context, a act, c provider.Client, what string, fields []storage.ChangedField, create func(context.Context, storage.Application) error,
) (storage.Application, error) {
	if a.app.Environment == storage.Production {
		address, err := d.Provider.Rooms().People.VerifiedEmail(ctx, a.app.CreatedBy)
		if err != nil {
			return a.app, err
		}
		if address == "" {
			return a.app, errUnverified
		}
	}
	a.app.ClientID, a.app.Name = c.ID, c.Name
	a.app.CreatedAt = d.Clock()
	a.app.UpdatedAt = a.app.CreatedAt
	if err := create(ctx, a.app); err != nil {
		return a.app, err
	}
	err := d.makeRoom(ctx, a.app, brandOf(c))
	if err == nil {
		c.Revision, c.Unreviewed = provider.NoRevision, a.app.Environment == storage.Production
		err = d.registered(ctx, a, what, fields, func(ctx context.Context) error {
			return d.provider(a.app.Environment).Clients().Save(ctx, c)
		})
	}
	if err != nil {
		d.abandon(ctx, a.app)
		return a.app, err
	}
	if d.halts.halt(ctx, a.app) != nil { // the organization may be suspended by now
		d.wake()
	}
	return a.app, nil
}

// abandon has an application removed whose client is gone, or could not be registered, with one that
// has been registered although nobody was told.
func (d *appPages) abandon(ctx context.Context, a storage.Application) {
	mark := func(ctx context.Context) error {
		return d.Store.MarkApplication(ctx, a.Environment, a.ClientID, storage.ApplicationMark{Deleting: true})
	}
	if err := mark(context.WithoutCancel(ctx)); err != nil && !errors.Is(err, storage.ErrNotFound) {
		d.later(mark)
	}
	d.wake()
}

// newClientID returns an unused client ID that names its environment.
func newClientID(env string) string {
	if env == storage.Sandbox {
		return "test_" + newID()
	}
	return newID()
}

// errNoRoom means that the pictures of another application exceed the organization's quota.
var errNoRoom = errors.New("developer: the organization has no room for the pictures")

// makeRoom counts the pictures of a new application, or removes it again.
func (d *appPages) makeRoom(ctx context.Context, a storage.Application, shown brand) error {
	if shown.bytes() == 0 {
		return nil
	}
	a, err := d.Store.Application(ctx, a.Environment, a.ClientID)
	if err != nil {
		return err
	}
	a.PictureBytes = shown.bytes()
	err = d.Store.SaveApplication(ctx, a, d.Quotas.PictureBytes)
	if errors.Is(err, storage.ErrLimit) {
		return errors.Join(errNoRoom, d.Store.DeleteApplication(ctx, a.Environment, a.ClientID))
	}
	return err
}

package developer

import (
	"context"
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// request is a page request with the objects of its path. Organization and role are as they
// were when the request arrived: a member who is removed at the same moment still was one.
type request struct {
	*provider.Screen

	// org is the organization in the path, and role the user's role in it.
	org  storage.Organization
	role storage.Role

	// env is the environment in the path.
	env string

	// app is the application in the path.
	app storage.Application

	// confirmed reports that the user has just reauthenticated, as the page asked, and
	// confirmURL is where to do that before the posted form is accepted.
	confirmed  bool
	confirmURL string

	// within is the room that shows a page of reviews; the zero one for the dashboard.
	within Within
}

// value returns a part of the path.
func (r *request) value(name string) string { return r.Request.PathValue(name) }

// posted returns a field of the posted form.
func (r *request) posted(name string) string { return r.Request.PostForm.Get(name) }

// asked returns a parameter of the address.
func (r *request) asked(name string) string { return r.Request.URL.Query().Get(name) }

// may reports whether the user has at least this role.
func (r *request) may(n need) bool { return rank[r.role] >= n }

// rank orders the roles.
var rank = map[storage.Role]need{
	storage.RoleViewer:    viewers,
	storage.RoleDeveloper: developers,
	storage.RoleOwner:     owners,
}

// mount serves a page to its audience.
func (d *Dashboard) mount(p route) {
	answer := func(n need, h handler) http.Handler {
		return d.screen(func(s *provider.Screen) error { return d.answer(p, &request{Screen: s}, n, h) })
	}
	d.mounted[p.path] = p.looks
	d.mux.Handle("GET "+d.base+p.path, answer(p.looks, p.show))
	if p.act != nil {
		d.mux.Handle("POST "+d.base+p.path, answer(p.posts, p.act))
	}
}

// screen serves a page whose errors link to the dashboard.
func (d *Dashboard) screen(h func(*provider.Screen) error) http.Handler {
	return d.Provider.Pages().Screen(func(s *provider.Screen) error {
		err := h(s)
		var shown provider.ScreenError
		if errors.As(err, &shown) && !errors.Is(err, storage.ErrUnavailable) {
			shown.HomeURL = d.path()
			return shown
		}
		return err
	})
}

// answer answers a page request of a user with the right.
func (d *Dashboard) answer(p route, r *request, n need, h handler) error {
	if n > everybody && r.User.UserID == "" {
		r.SignIn(0)
		return nil
	}
	if err := d.admit(r, n); err != nil {
		return err
	}
	if n == operators && r.within.Around == nil { // under their name, whatever the page does
		r.Request = r.Request.WithContext(provider.By(r.Request.Context(), storage.Actor{Name: outside + r.User.UserID}))
	}
	// The dashboard's forms have no repeated field: readers of the first and of the last
	// value may each believe another.
	for _, values := range r.Request.PostForm {
		if len(values) > 1 {
			return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: errors.New("a field is given twice")}
		}
	}
	if answered, err := d.confirm(p, r); answered || err != nil {
		return err
	}
	if err := d.bounded(r); err != nil {
		return err
	}
	if r.app.Deleting && p.path != pathOfApplication {
		r.Redirect(d.path("o", r.org.ID, r.env, r.app.ClientID)) // which says so
		return nil
	}
	if r.Request.Method == http.MethodPost && r.suspended() && (p.gives == nil || p.gives(r)) {
		return d.refuseSuspended(r)
	}
	err := h(r)
	if r.role != "" && errors.Is(err, storage.ErrOrganizationStopped) { // in this moment
		return d.refuseSuspended(r)
	}
	return err
}

// admit reads the objects of the path. Objects that the user may not see are not found:
// guessing IDs reveals nothing.
func (d *frame) admit(r *request, n need) error {
	switch n {
	case everybody, users:
		return nil
	case operators:
		return d.admitOperator(r)
	}
	ctx := r.Request.Context()
	member, err := storage.One(d.Store.Members(ctx, r.value("org"), r.User.UserID))
	if err != nil {
		return notFound(err)
	}
	if r.org, err = d.Store.Organization(ctx, member.OrganizationID); err != nil {
		return notFound(err)
	}
	if r.role = member.Role; !r.may(n) {
		return forbidden("the role does not allow this")
	}
	if r.env = r.value("env"); r.env != "" && d.provider(r.env) == nil {
		return provider.ErrScreenNotFound
	}
	if client := r.value("client"); client != "" {
		if r.app, err = d.Store.Application(ctx, r.env, client); err != nil {
			return notFound(err)
		}
		if r.app.OrganizationID != r.org.ID {
			return provider.ErrScreenNotFound
		}
	}
	return nil
}

func (d *frame) admitOperator(r *request) error {
	operator, err := d.isOperator(r.Request.Context(), r.User.UserID)
	if err == nil && !operator {
		return provider.ErrScreenNotFound
	}
	return err
}

func (d *frame) isOperator(ctx context.Context, userID string) (bool, error) {
	if d.Operator == nil || userID == "" {
		return false, nil
	}
	return d.Operator(ctx, userID)
}

// inTrials is a page that exists only if the sandbox was made with Trials.
func (d *frame) inTrials(h handler) handler {
	if d.Trials == nil {
		return func(*request) error { return provider.ErrScreenNotFound }
	}
	return h
}

// provider returns the provider of an environment; nil if there is none.
func (d *frame) provider(environment string) *provider.Provider {
	switch environment {
	case storage.Production:
		return d.Provider
	case storage.Sandbox:
		return d.Sandbox
	default:
		return nil
	}
}

// client returns the registration of the application in the path. If it is gone it is not
// found: the overview of the application says so.
func (d *frame) client(r *request) (provider.Client, error) {
	c, err := d.provider(r.env).Clients().Get(r.Request.Context(), r.app.ClientID)
	if err == nil {
		r.app = d.named(r.Request.Context(), r.app, c.Name)
	}
	return c, notFound(err)
}

// notFound turns the error of a missing object into the page that says so.
func notFound(err error) error {
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, provider.ErrNoClient) {
		return provider.ErrScreenNotFound
	}
	return err
}

func forbidden(why string) error {
	return provider.ScreenError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Err: errors.New(why)}
}

package developer

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showHome lists the organizations of the user.
func (d *teamPages) showHome(r *request) error {
	if r.User.UserID == "" {
		return d.welcome(r)
	}
	memberships, err := d.Store.Memberships(r.Request.Context(), r.User.UserID)
	if err != nil {
		return err
	}
	p, err := d.page(r)
	if err != nil {
		return err
	}
	operator, err := d.isOperator(r.Request.Context(), r.User.UserID)
	if err != nil {
		return err
	}
	view := screens.HomeView{Page: p, CreateURL: d.path("new"), Live: d.Sandbox == nil}
	if operator {
		view.ReviewsURL = d.path("review")
	}
	for _, m := range memberships {
		view.Organizations = append(view.Organizations, screens.Organization{
			Name: m.Name, URL: d.path("o", m.ID), Role: asRole(m.Role), Suspended: !m.Stopped.At.IsZero(),
		})
	}
	r.Render(http.StatusOK, screens.Home(view))
	return nil
}

// welcome introduces the dashboard to a visitor who is not signed in.
func (d *teamPages) welcome(r *request) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Welcome(screens.WelcomeView{
		Page: p, StartURL: d.path("start"), Personas: d.Trials != nil,
	}))
	return nil
}

// leadHome redirects after a sign-in: home, or to the first step of who has nothing there yet.
func (d *teamPages) leadHome(r *request) error {
	memberships, err := d.Store.Memberships(r.Request.Context(), r.User.UserID)
	if err != nil {
		return err
	}
	operator, err := d.isOperator(r.Request.Context(), r.User.UserID)
	if err != nil {
		return err
	}
	if len(memberships) == 0 && !operator {
		r.Redirect(d.path("new"))
		return nil
	}
	r.Redirect(d.path())
	return nil
}

func (d *teamPages) showNewOrganization(r *request) error {
	return d.renderNewOrganization(r, storage.Organization{}, "", http.StatusOK)
}

func (d *teamPages) renderNewOrganization(r *request, o storage.Organization, contact string, status int, problems ...ui.Problem) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	r.Render(status, screens.OrganizationForm(screens.OrganizationView{
		Page: p, Form: r.Form(problems...), New: true, Name: o.Name, Contact: contact,
	}))
	return nil
}

func (d *teamPages) createOrganization(r *request) error {
	o, contact, problems := d.postedOrganization(r, newID())
	if len(problems) > 0 {
		return d.renderNewOrganization(r, o, contact, http.StatusUnprocessableEntity, problems...)
	}
	may, err := d.mayBe(r, r.User.UserID, storage.RoleOwner)
	if err != nil {
		return err
	}
	if !may {
		return d.renderNewOrganization(r, o, contact, http.StatusForbidden, ui.Problem{Code: ui.EmailUnverified})
	}
	perDay := provider.Limit{Burst: d.Quotas.OrganizationsPerDay, Every: 24 * time.Hour / time.Duration(d.Quotas.OrganizationsPerDay)}
	wait, err := d.Provider.Rooms().Pages.Allow(r.Request.Context(), "organizations of a user", r.User.UserID, perDay)
	if err != nil {
		return err
	}
	if wait > 0 {
		return d.renderNewOrganization(r, o, contact, r.Room().TooMany(wait), ui.Problem{Code: ui.TooMany, Count: d.Quotas.OrganizationsPerDay})
	}
	o.CreatedAt = d.Clock()
	owner := storage.Member{OrganizationID: o.ID, UserID: r.User.UserID, Role: storage.RoleOwner, JoinedAt: o.CreatedAt}
	r.org = o
	err = d.recorded(r.Request.Context(), r.does(), "organization.create", changed("name", "", o.Name), func(ctx context.Context) error {
		return d.Store.CreateOrganization(ctx, o, owner, d.Quotas.Organizations)
	})
	if err != nil {
		d.Provider.Rooms().Pages.GiveBack(r.Request.Context(), "organizations of a user", r.User.UserID, perDay, o.CreatedAt)
	}
	if errors.Is(err, storage.ErrLimit) {
		return d.renderNewOrganization(r, o, contact, http.StatusTooManyRequests, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Organizations})
	}
	if errors.Is(err, storage.ErrOrganizationStopped) {
		return d.renderNewOrganization(r, o, contact, http.StatusForbidden, ui.Problem{Code: ui.OwnsSuspended})
	}
	if err != nil {
		return err
	}
	r.Redirect(d.path("o", o.ID, d.first(), "new"))
	return nil
}

// postedOrganization returns the entered organization and its problems.
func (d *teamPages) postedOrganization(r *request, id string) (o storage.Organization, contact string, problems []ui.Problem) {
	o.ID, o.Name, contact = id, strings.TrimSpace(r.posted(ui.FieldName)), strings.TrimSpace(r.posted(screens.FieldContact))
	if problem, wrong := checkName(o.Name); wrong {
		problems = append(problems, problem)
	}
	if contact != "" {
		if !isEmail(contact) {
			problems = append(problems, ui.Problem{Code: ui.EmailInvalid, Field: screens.FieldContact})
		}
		o.Contact = d.Provider.Rooms().People.Seal(sealedContact, id, []byte(contact))
	}
	return o, contact, problems
}

// The kinds of what the dashboard keeps encrypted, by the key of personal data: it is kept longer than a secret.
const (
	sealedContact    = "developer contact"
	sealedInvitation = "developer invitation"
)

// contact returns the address of the contact person, or "". One that does not open can be entered anew.
func (d *teamPages) contact(ctx context.Context, o storage.Organization) string {
	if len(o.Contact) == 0 {
		return ""
	}
	address, err := d.Provider.Rooms().People.Open(sealedContact, o.ID, o.Contact)
	d.toldUnreadable(ctx, o.ID, sealedContact, err)
	return string(address)
}

// toldUnreadable reports whether something of an organization does not open, and tells it in the log: the rest of
// the page is shown.
func (d *frame) toldUnreadable(ctx context.Context, organization, kind string, err error) bool {
	if err != nil {
		d.Logger.ErrorContext(ctx, "something of an organization cannot be read",
			slog.String("organization", organization), slog.String("kind", kind), slog.Any("error", err))
	}
	return err != nil
}

func (d *teamPages) showOrganization(r *request) error {
	return d.renderOrganization(r, r.org, d.contact(r.Request.Context(), r.org), http.StatusOK)
}

func (d *teamPages) renderOrganization(r *request, o storage.Organization, contact string, status int, problems ...ui.Problem) error {
	p, err := d.organizationPage(r, screens.SectionOrganization)
	if err != nil {
		return err
	}
	r.Render(status, screens.OrganizationForm(screens.OrganizationView{
		Page: p, Form: r.Form(problems...), Name: o.Name, Contact: contact, Kept: r.org.Name,
		Version: strconv.FormatInt(r.org.Version, 10), MayChange: r.may(owners) && !r.suspended(), MayDelete: r.may(owners) && !r.suspended(),
	}))
	return nil
}

func (d *teamPages) changeOrganization(r *request) error {
	if r.posted(ui.FieldAction) == screens.ActionDelete {
		return d.deleteOrganization(r)
	}
	o, contact, problems := d.postedOrganization(r, r.org.ID)
	needs, err := d.contactNeeded(r, o)
	if err != nil {
		return err
	}
	if problems = append(problems, needs...); len(problems) > 0 {
		return d.renderOrganization(r, o, contact, http.StatusUnprocessableEntity, problems...)
	}
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	fields := changed("name", r.org.Name, o.Name)
	if d.contact(r.Request.Context(), r.org) != contact { // personal data: that it changed is enough
		fields = append(fields, storage.ChangedField{Name: "contact"})
	}
	o.Version = version
	err = d.recorded(r.Request.Context(), r.does(), "organization.change", fields, func(ctx context.Context) error {
		return d.Store.SaveOrganization(ctx, o)
	})
	here := d.path("o", o.ID, "settings")
	if errors.Is(err, storage.ErrChanged) {
		return r.done(here, screens.NoticeSomebodyElse)
	}
	if err != nil {
		return err
	}
	return r.done(here, screens.NoticeSaved)
}

func (d *teamPages) deleteOrganization(r *request) error {
	contact := d.contact(r.Request.Context(), r.org)
	if r.posted(ui.FieldConfirm) != r.org.Name {
		return d.renderOrganization(r, r.org, contact, http.StatusUnprocessableEntity, ui.Problem{Code: ui.ConfirmWrong})
	}
	err := d.Store.DeleteOrganization(r.Request.Context(), r.org.ID)
	switch {
	case errors.Is(err, storage.ErrConflict):
		return d.hasApplications(r, contact)
	case err != nil && !errors.Is(err, storage.ErrNotFound):
		return err
	}
	d.Logger.InfoContext(r.Request.Context(), "organization deleted", // its activity log is gone, too
		slog.String("organization", r.org.ID), slog.String("user", r.User.UserID))
	return r.done(d.path(), screens.NoticeDeleted)
}

// hasApplications says why an organization stays: it has applications, or they are being deleted.
func (d *teamPages) hasApplications(r *request, contact string) error {
	has, err := d.Store.Applications(r.Request.Context(), storage.ApplicationFilter{OrganizationID: r.org.ID})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(has, func(a storage.Application) bool { return !a.Deleting }) {
		d.wake()
		return r.done(d.path("o", r.org.ID, "settings"), screens.NoticeBeingDeleted)
	}
	return d.renderOrganization(r, r.org, contact, http.StatusConflict, ui.Problem{Code: ui.HasApplications})
}

// newID returns an unguessable ID.
func newID() string { return strings.ToLower(rand.Text()) }

// maxName is the maximum length of a name in characters, as that of a provider.Client has
// bytes.
const maxName = 120

// checkName returns the problem of a name.
func checkName(name string) (ui.Problem, bool) {
	seen := strings.ContainsFunc(name, unicode.IsGraphic)
	switch {
	case name == "":
		return ui.Problem{Code: ui.NameMissing}, true
	case len(name) > maxName, !utf8.ValidString(name), !seen, strings.ContainsFunc(name, unicode.IsControl):
		return ui.Problem{Code: ui.NameInvalid}, true
	}
	return ui.Problem{}, false
}

// isEmail reports whether a text is an address that mail can go to.
func isEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s && len(s) <= 254
}

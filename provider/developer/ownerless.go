package developer

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// listOwnerless returns a page of the organizations without an owner, and where the next one
// is.
func (d *Dashboard) listOwnerless(r *request) (rows []ui.DeveloperOwnerless, more string, err error) {
	const after = "ownerless_after"
	found, err := d.Store.Ownerless(r.Request.Context(), r.asked(after), pageOfReviews+1)
	if len(found) > pageOfReviews {
		found = found[:pageOfReviews]
		more = "?" + url.Values{after: {found[pageOfReviews-1].ID}}.Encode()
	}
	for _, o := range found {
		rows = append(rows, ui.DeveloperOwnerless{
			Name: o.Name, URL: d.path("review", "organization", o.ID), Members: o.Members, Applications: o.Applications,
		})
	}
	return rows, more, err
}

// withoutOwner is a page about an organization that nobody answers for: as long as somebody
// does, it is not an operator's to decide about.
func (d *Dashboard) withoutOwner(h func(*request, []storage.Member) error) handler {
	return func(r *request) error {
		var err error
		if r.org, err = d.Store.Organization(r.Request.Context(), r.value("org")); err != nil {
			return notFound(err)
		}
		members, err := d.Store.Members(r.Request.Context(), r.org.ID)
		if err == nil && slices.ContainsFunc(members, isOwner) {
			err = provider.ErrScreenNotFound
		}
		if err != nil {
			return err
		}
		return h(r, members)
	}
}

func (d *Dashboard) showOwnerless(r *request, members []storage.Member) error {
	return d.renderOwnerless(r, members, ui.DeveloperAppointView{}, http.StatusOK)
}

// keepOwnerless shows the address that was entered again.
func (d *Dashboard) keepOwnerless(r *request, members []storage.Member) error {
	return d.renderOwnerless(r, members, ui.DeveloperAppointView{Email: r.posted(ui.FieldEmail)}, http.StatusForbidden, ui.Problem{Code: ui.ConfirmFirst})
}

// renderOwnerless completes a view, which has what was entered.
func (d *Dashboard) renderOwnerless(r *request, members []storage.Member, view ui.DeveloperAppointView, status int, problems ...ui.Problem) error {
	var err error
	if view.DeveloperPage, err = d.page(r); err != nil {
		return err
	}
	view.Form, view.Name, view.ReviewsURL = r.Form(problems...), r.org.Name, d.path("review")
	if view.Contact, err = d.contact(r.org); err != nil {
		return err
	}
	people := d.newPeople(r)
	if view.Members, err = shownMembers(r, members, people); err != nil {
		return err
	}
	if view.Invitations, err = d.invitations(r, people); err != nil {
		return err
	}
	live := storage.ApplicationFilter{OrganizationID: r.org.ID, Environment: storage.Production}
	if view.Live, view.LiveMoreURL, err = d.listReviews(r, "live", live); err != nil {
		return err
	}
	r.Render(status, ui.DeveloperAppoint(view))
	return nil
}

// changeOwnerless appoints an owner, or takes that back.
func (d *Dashboard) changeOwnerless(r *request, members []storage.Member) error {
	here := d.path("review", "organization", r.org.ID)
	switch r.posted(ui.FieldAction) {
	case ui.ActionInvite:
		return d.appoint(r, members, here)
	case ui.ActionWithdraw:
		return d.withdraw(r, here)
	}
	return forbidden("no such action")
}

// appoint invites an owner. Somebody who becomes one in the same moment stays the only one:
// the invitation holds as long as there is none.
func (d *Dashboard) appoint(r *request, members []storage.Member, here string) error {
	o := offer{role: storage.RoleOwner, email: strings.TrimSpace(r.posted(ui.FieldEmail)), appoints: true, page: here}
	o.show = func(link string, status int, problems ...ui.Problem) error {
		if link != "" {
			return d.renderOwnerless(r, members, ui.DeveloperAppointView{Link: link, LinkFor: o.email}, status)
		}
		return d.renderOwnerless(r, members, ui.DeveloperAppointView{Email: o.email}, status, problems...)
	}
	return d.makeOffer(r, o)
}

// mayAppoint is storage.ErrNotFound when a user is no operator (any more): what such a one
// has invited holds no longer than an owner's invitation does.
func (d *Dashboard) mayAppoint(r *request, userID string) error {
	operator, err := d.isOperator(r, userID)
	if err == nil && !operator {
		return storage.ErrNotFound
	}
	return err
}

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

// ofOperators is a page about an organization, with its members.
func (d *Dashboard) ofOperators(h func(*request, []storage.Member) error) handler {
	return func(r *request) error {
		var err error
		if r.org, err = d.Store.Organization(r.Request.Context(), r.value("org")); err != nil {
			return notFound(err)
		}
		members, err := d.Store.Members(r.Request.Context(), r.org.ID)
		if err != nil {
			return err
		}
		return h(r, members)
	}
}

func (d *Dashboard) showOrganizationReview(r *request, members []storage.Member) error {
	return d.renderOrganizationReview(r, members, ui.DeveloperAppointView{}, http.StatusOK)
}

// keepOrganizationReview shows what was entered again.
func (d *Dashboard) keepOrganizationReview(r *request, members []storage.Member) error {
	view := ui.DeveloperAppointView{Email: r.posted(ui.FieldEmail), Entered: r.posted(ui.FieldReason)}
	return d.renderOrganizationReview(r, members, view, http.StatusForbidden, ui.Problem{Code: ui.ConfirmFirst})
}

// renderOrganizationReview completes a view, which has what was entered. Who the members are is
// shown of an organization that nobody answers for.
func (d *Dashboard) renderOrganizationReview(r *request, members []storage.Member, view ui.DeveloperAppointView, status int, problems ...ui.Problem) error {
	var err error
	if view.DeveloperPage, err = d.page(r); err != nil {
		return err
	}
	view.Form, view.Name, view.ReviewsURL, view.Version = r.Form(problems...), r.org.Name, d.path("review"), suspensionVersion(r.org)
	view.Own = slices.ContainsFunc(members, func(m storage.Member) bool { return m.UserID == r.User.UserID })
	if view.Contact, err = d.contact(r.org); err != nil {
		return err
	}
	people := d.newPeople(r)
	if view.Ownerless = !slices.ContainsFunc(members, isOwner); view.Ownerless {
		if view.Members, err = shownMembers(r, members, people); err != nil {
			return err
		}
		if view.Invitations, err = d.invitations(r, people); err != nil {
			return err
		}
	}
	if view.Suspended = r.suspension(); view.Suspended != nil {
		by, err := people.account(r.org.Stopped.By)
		if err != nil {
			return err
		}
		view.SuspendedBy = by.Email
	}
	left, err := d.Store.Applications(r.Request.Context(), storage.ApplicationFilter{Halting: true, OrganizationID: r.org.ID, Limit: 1000})
	if err != nil {
		return err
	}
	view.Left = len(left)
	live := storage.ApplicationFilter{OrganizationID: r.org.ID, Environment: storage.Production}
	if view.Live, view.LiveMoreURL, err = d.listReviews(r, "live", live); err != nil {
		return err
	}
	r.Render(status, ui.DeveloperAppoint(view))
	return nil
}

// decideOrganization suspends or reactivates an organization, appoints an owner where there is
// none, or takes that back: as long as somebody answers for it, that is not an operator's to
// decide about.
func (d *Dashboard) decideOrganization(r *request, members []storage.Member) error {
	here := d.path("review", "organization", r.org.ID)
	ownerless := !slices.ContainsFunc(members, isOwner)
	switch action := r.posted(ui.FieldAction); {
	case action == ui.ActionStop:
		return d.suspend(r, members, here)
	case action == ui.ActionStart:
		return d.reactivate(r, members, here)
	case !ownerless:
		return provider.ErrScreenNotFound
	case action == ui.ActionInvite:
		return d.appoint(r, members, here)
	case action == ui.ActionWithdraw:
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
			return d.renderOrganizationReview(r, members, ui.DeveloperAppointView{Link: link, LinkFor: o.email}, status)
		}
		return d.renderOrganizationReview(r, members, ui.DeveloperAppointView{Email: o.email}, status, problems...)
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

package developer

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// listOwnerless returns a page of the organizations without an owner, and the address of
// the next.
func (d *reviewPages) listOwnerless(r *request) (rows []screens.Ownerless, more string, err error) {
	const after = "ownerless_after"
	found, err := d.Store.Ownerless(r.Request.Context(), r.asked(after), pageOfReviews+1)
	if len(found) > pageOfReviews {
		found = found[:pageOfReviews]
		more = "?" + url.Values{after: {found[pageOfReviews-1].ID}}.Encode()
	}
	for _, o := range found {
		rows = append(rows, screens.Ownerless{
			Name: o.Name, URL: d.review(r, "organization", o.ID), Members: o.Members, Applications: o.Applications,
		})
	}
	return rows, more, err
}

// ofOperators is an operators' page about an organization, with its members.
func (d *reviewPages) ofOperators(h func(*request, []storage.Member) error) handler {
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

func (d *reviewPages) showOrganizationReview(r *request, members []storage.Member) error {
	return d.renderOrganizationReview(r, members, screens.AppointView{}, http.StatusOK)
}

// keepOrganizationReview shows the entered values again.
func (d *reviewPages) keepOrganizationReview(r *request, members []storage.Member) error {
	view := screens.AppointView{Email: r.posted(ui.FieldEmail), Entered: r.posted(ui.FieldReason)}
	return d.renderOrganizationReview(r, members, view, http.StatusForbidden, ui.Problem{Code: ui.ConfirmFirst})
}

func (d *reviewPages) renderOrganizationReview(r *request, members []storage.Member, view screens.AppointView, status int, problems ...ui.Problem) error {
	page, err := d.organizationReviewPage(r, members, view, problems...)
	if err == nil {
		r.Render(status, page)
	}
	return err
}

// organizationReviewPage completes a view with the entered values. It names the members only of
// an organization without an owner.
func (d *reviewPages) organizationReviewPage(r *request, members []storage.Member, view screens.AppointView, problems ...ui.Problem) (_ templ.Component, err error) {
	if err := d.team.looked(r, provider.Event{Detail: "organization " + r.org.ID}); err != nil {
		return nil, err
	}
	if view.Page, err = d.page(r); err != nil {
		return nil, err
	}
	view.Form, view.Name, view.ReviewsURL, view.Version = r.Form(problems...), r.org.Name, d.review(r), suspensionVersion(r.org)
	view.Own = slices.ContainsFunc(members, func(m storage.Member) bool { return m.UserID == r.User.UserID })
	view.Contact = d.team.contact(r.Request.Context(), r.org)
	people := d.newPeople(r)
	if view.Ownerless = !slices.ContainsFunc(members, isOwner); view.Ownerless {
		if view.Members, err = shownMembers(r, members, people); err != nil {
			return nil, err
		}
		if view.Invitations, err = d.team.invitations(r, people); err != nil {
			return nil, err
		}
	}
	if view.Suspended = r.suspension(); view.Suspended != nil {
		by, err := people.account(r.org.Stopped.By)
		if err != nil {
			return nil, err
		}
		view.SuspendedBy = by.Email
	}
	left, err := d.Store.Applications(r.Request.Context(), storage.ApplicationFilter{Halting: true, OrganizationID: r.org.ID, Limit: 1000})
	if err != nil {
		return nil, err
	}
	view.Left = len(left)
	live := storage.ApplicationFilter{OrganizationID: r.org.ID, Environment: storage.Production}
	if view.Live, view.LiveMoreURL, err = d.listReviews(r, "live", live); err != nil {
		return nil, err
	}
	return screens.Appoint(view), nil
}

// decideOrganization suspends or reactivates an organization, appoints an owner if there is
// none, or withdraws that: as long as there is an owner, operators do not decide about
// ownership.
func (d *reviewPages) decideOrganization(r *request, members []storage.Member) error {
	here := d.review(r, "organization", r.org.ID)
	ownerless := !slices.ContainsFunc(members, isOwner)
	switch action := r.posted(ui.FieldAction); {
	case action == screens.ActionStop:
		return d.suspend(r, members, here)
	case action == screens.ActionStart:
		return d.reactivate(r, members, here)
	case !ownerless:
		return provider.ErrScreenNotFound
	case action == screens.ActionInvite:
		return d.appoint(r, members, here)
	case action == screens.ActionWithdraw:
		return d.team.withdraw(r, here)
	}
	return forbidden("no such action")
}

// appoint invites an owner. A concurrent new owner stays the only one: the invitation is
// valid as long as there is none.
func (d *reviewPages) appoint(r *request, members []storage.Member, here string) error {
	o := offer{role: storage.RoleOwner, email: strings.TrimSpace(r.posted(ui.FieldEmail)), appoints: true, page: here}
	o.draw = func(link string, problems ...ui.Problem) (templ.Component, error) {
		if link != "" {
			return d.organizationReviewPage(r, members, screens.AppointView{Link: link, LinkFor: o.email})
		}
		return d.organizationReviewPage(r, members, screens.AppointView{Email: o.email}, problems...)
	}
	return d.team.makeOffer(r, o)
}

// mayAppoint returns storage.ErrNotFound if a user is not, or no longer, an operator, which
// ends the invitation, as for an owner's.
func (d *teamPages) mayAppoint(r *request, userID string) error {
	if strings.HasPrefix(userID, outside) { // nobody can be asked; it ends with its time, or an owner
		return nil
	}
	operator, err := d.isOperator(r.Request.Context(), userID)
	if err == nil && !operator {
		return storage.ErrNotFound
	}
	return err
}

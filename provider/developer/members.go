package developer

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

func (d *teamPages) showMembers(r *request) error {
	return d.renderMembers(r, http.StatusOK)
}

func (d *teamPages) renderMembers(r *request, status int, problems ...ui.Problem) error {
	page, err := d.membersPage(r, screens.MembersView{}, problems...)
	if err == nil {
		r.Render(status, page)
	}
	return err
}

// membersPage completes a view with the entered values.
func (d *teamPages) membersPage(r *request, view screens.MembersView, problems ...ui.Problem) (_ templ.Component, err error) {
	if view.Page, err = d.organizationPage(r, screens.SectionMembers); err != nil {
		return nil, err
	}
	view.Form, view.MayChange = r.Form(problems...), r.may(owners)
	members, err := d.Store.Members(r.Request.Context(), r.org.ID)
	if err != nil {
		return nil, err
	}
	people := d.newPeople(r)
	if view.Members, err = shownMembers(r, members, people); err != nil {
		return nil, err
	}
	view.NoOwner, view.NoOwnerKnown = !slices.ContainsFunc(members, isOwner), d.Operator != nil
	if view.MayChange {
		if view.Invitations, err = d.invitations(r, people); err != nil {
			return nil, err
		}
	}
	return screens.Members(view), nil
}

func isOwner(m storage.Member) bool { return m.Role == storage.RoleOwner }

func shownMembers(r *request, members []storage.Member, people people) ([]screens.Member, error) {
	var shown []screens.Member
	for _, m := range members {
		account, err := people.account(m.UserID)
		if err != nil {
			return nil, err
		}
		shown = append(shown, screens.Member{
			UserID: m.UserID, Account: account, Role: asRole(m.Role), Since: m.JoinedAt, You: m.UserID == r.User.UserID,
		})
	}
	return shown, nil
}

// changeMembers carries out the requested change. Owners decide; everybody may leave.
func (d *teamPages) changeMembers(r *request) error {
	action := r.posted(ui.FieldAction)
	leaves := action == screens.ActionRemove && r.posted(screens.FieldUser) == r.User.UserID
	if !r.may(owners) && !leaves {
		return forbidden("only owners decide about members")
	}
	switch action {
	case screens.ActionInvite:
		return d.invite(r)
	case screens.ActionWithdraw:
		return d.withdraw(r, d.path("o", r.org.ID, "members"))
	case screens.ActionRole:
		return d.setRole(r)
	case screens.ActionRemove:
		return d.removeMember(r, leaves)
	}
	return forbidden("no such action")
}

func (d *teamPages) setRole(r *request) error {
	user, role := r.posted(screens.FieldUser), storage.Role(r.posted(screens.FieldRole))
	if rank[role] == 0 {
		return forbidden("no such role")
	}
	verified, err := d.mayBe(r, user, role)
	if err != nil {
		return err
	}
	if !verified {
		return d.renderMembers(r, http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailUnverified})
	}
	member, err := storage.One(d.Store.Members(r.Request.Context(), r.org.ID, user))
	if err == nil {
		fields := append([]storage.ChangedField{{Name: "user", After: user}}, changed("role", string(member.Role), string(role))...)
		err = d.recorded(r.Request.Context(), r.does(), "member.role", fields, func(ctx context.Context) error {
			return d.Store.SetRole(ctx, r.org.ID, user, role)
		})
	}
	switch {
	case errors.Is(err, storage.ErrConflict):
		return d.renderMembers(r, http.StatusConflict, ui.Problem{Code: ui.LastOwner})
	case err != nil:
		return notFound(err)
	}
	if role == storage.RoleOwner && member.Role != role {
		d.warnOwners(r.Request.Context(), r.does(), ui.MailOwnerAdded)
	}
	return r.done(d.path("o", r.org.ID, "members"), screens.NoticeRoleChanged)
}

// mayBe reports whether a user can have a role: an owner is responsible for others and
// needs a verified address.
func (d *teamPages) mayBe(r *request, user string, role storage.Role) (bool, error) {
	if role != storage.RoleOwner {
		return true, nil
	}
	address, err := d.Provider.Rooms().People.VerifiedEmail(r.Request.Context(), user)
	return address != "", err
}

func (d *teamPages) removeMember(r *request, leaves bool) error {
	user := r.posted(screens.FieldUser)
	err := d.recorded(r.Request.Context(), r.does(), "member.remove", changed("user", user, ""), func(ctx context.Context) error {
		return d.Store.RemoveMember(ctx, r.org.ID, user)
	})
	if errors.Is(err, storage.ErrConflict) {
		return d.renderMembers(r, http.StatusConflict, ui.Problem{Code: ui.LastOwner})
	}
	if err != nil {
		return err
	}
	if leaves {
		return r.done(d.path(), screens.NoticeMemberGone)
	}
	return r.done(d.path("o", r.org.ID, "members"), screens.NoticeMemberGone)
}

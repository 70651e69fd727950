package developer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// invitationLife is how long an invitation waits.
const invitationLife = 7 * 24 * time.Hour

func (d *Dashboard) showMembers(r *request) error {
	return d.renderMembers(r, ui.DeveloperMembersView{}, http.StatusOK)
}

// renderMembers completes a view, which has what was entered.
func (d *Dashboard) renderMembers(r *request, view ui.DeveloperMembersView, status int, problems ...ui.Problem) error {
	ctx := r.Request.Context()
	var err error
	if view.DeveloperPage, err = d.organizationPage(r, ui.SectionMembers); err != nil {
		return err
	}
	view.Form, view.MayChange = r.Form(problems...), r.may(owners)
	members, err := d.Store.Members(ctx, r.org.ID)
	if err != nil {
		return err
	}
	people := d.newPeople(r)
	for _, m := range members {
		account, err := people.account(m.UserID)
		if err != nil {
			return err
		}
		view.Members = append(view.Members, ui.DeveloperMember{
			UserID: m.UserID, Account: account, Role: asRole(m.Role), Since: m.JoinedAt, You: m.UserID == r.User.UserID,
		})
	}
	if view.MayChange {
		if view.Invitations, err = d.invitations(r); err != nil {
			return err
		}
	}
	r.Render(status, ui.DeveloperMembers(view))
	return nil
}

func (d *Dashboard) invitations(r *request) ([]ui.DeveloperInvitation, error) {
	waiting, err := d.Store.Invitations(r.Request.Context(), r.org.ID, d.Clock())
	if err != nil {
		return nil, err
	}
	var shown []ui.DeveloperInvitation
	for _, i := range waiting {
		email, err := d.Provider.Open(sealedInvitation, i.Email)
		if err != nil {
			return nil, err
		}
		shown = append(shown, ui.DeveloperInvitation{
			ID: hex.EncodeToString(i.Token[:]), Email: string(email), Role: asRole(i.Role), Expires: i.ExpiresAt,
		})
	}
	return shown, nil
}

// changeMembers carries out what was asked for. Owners decide; everybody may leave.
func (d *Dashboard) changeMembers(r *request) error {
	action := r.posted(ui.FieldAction)
	leaves := action == ui.ActionRemove && r.posted(ui.FieldUser) == r.User.UserID
	if !r.may(owners) && !leaves {
		return forbidden("only owners decide about members")
	}
	switch action {
	case ui.ActionInvite:
		return d.invite(r)
	case ui.ActionWithdraw:
		return d.withdraw(r)
	case ui.ActionRole:
		return d.setRole(r)
	case ui.ActionRemove:
		return d.removeMember(r, leaves)
	}
	return forbidden("no such action")
}

func (d *Dashboard) invite(r *request) error {
	role, email := storage.Role(r.posted(ui.FieldRole)), strings.TrimSpace(r.posted(ui.FieldEmail))
	entered := ui.DeveloperMembersView{Email: email, Role: asRole(role)}
	switch {
	case email == "":
		return d.renderMembers(r, entered, http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailMissing})
	case !isEmail(email) || rank[role] == 0:
		return d.renderMembers(r, entered, http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailInvalid})
	}
	token, now := rand.Text(), d.Clock()
	err := d.Store.CreateInvitation(r.Request.Context(), storage.Invitation{
		Token: sha256.Sum256([]byte(token)), OrganizationID: r.org.ID, Role: role, Email: d.Provider.Seal(sealedInvitation, []byte(email)),
		InvitedBy: r.User.UserID, CreatedAt: now, ExpiresAt: now.Add(invitationLife),
	}, d.Quotas.Invitations)
	if errors.Is(err, storage.ErrLimit) {
		return d.renderMembers(r, entered, http.StatusTooManyRequests, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Invitations})
	}
	if err != nil {
		return notFound(err)
	}
	d.record(r, "member.invite", changed("role", "", string(role)))
	link := d.absolute(d.path("join", token))
	if d.Mailer == nil {
		return d.renderMembers(r, ui.DeveloperMembersView{Link: link}, http.StatusOK)
	}
	if err := d.mail(r, email, ui.MailView{Kind: ui.MailInvitation, Locale: r.Page().Locale, InvitationURL: link}); err != nil {
		return err
	}
	return r.done(d.path("o", r.org.ID, "members"), ui.DeveloperInvited)
}

func (d *Dashboard) withdraw(r *request) error {
	var token storage.Digest
	if n, err := hex.Decode(token[:], []byte(r.posted(ui.FieldCode))); err != nil || n != len(token) {
		return forbidden("no identifier of an invitation")
	}
	if err := d.Store.RemoveInvitation(r.Request.Context(), r.org.ID, token); err != nil {
		return err
	}
	d.record(r, "member.withdraw", nil)
	return r.done(d.path("o", r.org.ID, "members"), ui.DeveloperWithdrawn)
}

func (d *Dashboard) setRole(r *request) error {
	user, role := r.posted(ui.FieldUser), storage.Role(r.posted(ui.FieldRole))
	if rank[role] == 0 {
		return forbidden("no such role")
	}
	member, err := d.Store.Member(r.Request.Context(), r.org.ID, user)
	if err == nil {
		err = d.Store.SetRole(r.Request.Context(), r.org.ID, user, role)
	}
	switch {
	case errors.Is(err, storage.ErrConflict):
		return d.renderMembers(r, ui.DeveloperMembersView{}, http.StatusConflict, ui.Problem{Code: ui.LastOwner})
	case err != nil:
		return notFound(err)
	}
	fields := append([]storage.ChangedField{{Name: "user", After: user}}, changed("role", string(member.Role), string(role))...)
	d.record(r, "member.role", fields)
	return r.done(d.path("o", r.org.ID, "members"), ui.DeveloperRoleChanged)
}

func (d *Dashboard) removeMember(r *request, leaves bool) error {
	user := r.posted(ui.FieldUser)
	err := d.Store.RemoveMember(r.Request.Context(), r.org.ID, user)
	if errors.Is(err, storage.ErrConflict) {
		return d.renderMembers(r, ui.DeveloperMembersView{}, http.StatusConflict, ui.Problem{Code: ui.LastOwner})
	}
	if err != nil {
		return err
	}
	d.record(r, "member.remove", changed("user", user, ""))
	if leaves {
		return r.done(d.path(), ui.DeveloperMemberGone)
	}
	return r.done(d.path("o", r.org.ID, "members"), ui.DeveloperMemberGone)
}

// invitation returns the one that the address is about, and its organization; false when it
// is over.
func (d *Dashboard) invitation(r *request) (storage.Invitation, storage.Organization, bool, error) {
	i, err := d.Store.Invitation(r.Request.Context(), sha256.Sum256([]byte(r.value("token"))))
	if err == nil && !d.Clock().Before(i.ExpiresAt) {
		err = storage.ErrNotFound
	}
	var o storage.Organization
	if err == nil {
		o, err = d.Store.Organization(r.Request.Context(), i.OrganizationID)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Invitation{}, storage.Organization{}, false, nil
	}
	return i, o, err == nil, err
}

func (d *Dashboard) showInvitation(r *request) error {
	i, o, found, err := d.invitation(r)
	if err != nil {
		return err
	}
	return d.renderInvitation(r, i, o, !found)
}

func (d *Dashboard) renderInvitation(r *request, i storage.Invitation, o storage.Organization, gone bool) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if gone {
		status = http.StatusNotFound
	}
	r.Render(status, ui.DeveloperInvitationScreen(ui.DeveloperInvitationView{
		DeveloperPage: p, Form: r.Form(), Organization: o.Name, Role: asRole(i.Role), Gone: gone,
	}))
	return nil
}

func (d *Dashboard) acceptInvitation(r *request) error {
	member, err := d.Store.AcceptInvitation(r.Request.Context(), sha256.Sum256([]byte(r.value("token"))), r.User.UserID, d.Clock())
	if errors.Is(err, storage.ErrNotFound) {
		return d.renderInvitation(r, storage.Invitation{}, storage.Organization{}, true)
	}
	if err != nil {
		return err
	}
	r.org.ID = member.OrganizationID
	d.record(r, "member.join", changed("role", "", string(member.Role)))
	return r.done(d.path("o", member.OrganizationID), ui.DeveloperJoined)
}

// mail hands a mail to the mailer.
func (d *Dashboard) mail(r *request, to string, v ui.MailView) error {
	page := r.Page()
	v.Brand, v.Theme, v.BaseURL, v.Time = page.Brand, page.Theme, d.Provider.Installation().BaseURL, d.Clock()
	return d.Mailer.Send(r.Request.Context(), provider.ComposeMail(to, v))
}

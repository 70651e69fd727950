package developer

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// invitationLife is how long an invitation is valid.
const invitationLife = 7 * 24 * time.Hour

// The limits on mailed invitations, deleted ones included: by sender, by organization, and
// by recipient, who may be a stranger.
var (
	mailsOfSender       = provider.Limit{Burst: 20, Every: 15 * time.Minute}
	mailsOfOrganization = provider.Limit{Burst: 50, Every: 10 * time.Minute}
	mailsToRecipient    = provider.Limit{Burst: 3, Every: 8 * time.Hour}
)

func (d *teamPages) invitations(r *request, people people) ([]screens.Invitation, error) {
	waiting, err := d.Store.Invitations(r.Request.Context(), storage.TokenFilter{OrganizationID: r.org.ID, Now: d.Clock()})
	if err != nil {
		return nil, err
	}
	var shown []screens.Invitation
	for _, i := range waiting {
		email, err := d.invitedAddress(i)
		if d.toldUnreadable(r.Request.Context(), i.OrganizationID, sealedInvitation, err) {
			continue
		}
		by, err := people.account(i.InvitedBy)
		if err != nil {
			return nil, err
		}
		shown = append(shown, screens.Invitation{
			ID: hex.EncodeToString(i.Token[:]), Email: email, By: by.Email, Role: asRole(i.Role), Expires: i.ExpiresAt,
		})
	}
	return shown, nil
}

// invitedAddress returns the address of an invitation, or "".
func (d *teamPages) invitedAddress(i storage.Invitation) (string, error) {
	if len(i.Email) == 0 {
		return "", nil
	}
	email, err := d.Provider.Rooms().People.Open(sealedInvitation, hex.EncodeToString(i.Token[:]), i.Email)
	return string(email), err
}

// offer is an invitation to be made.
type offer struct {
	role     storage.Role
	email    string // empty for anybody with the link
	appoints bool   // by an operator

	// page is the page on which it is made. It is drawn again with a link that was not
	// mailed, or with problems.
	page string
	draw func(link string, problems ...ui.Problem) (templ.Component, error)
}

// invite makes an invitation, for the entered address or for anybody with the link.
func (d *teamPages) invite(r *request) error {
	o := offer{role: storage.Role(r.posted(screens.FieldRole)), email: strings.TrimSpace(r.posted(ui.FieldEmail)), page: d.path("o", r.org.ID, "members")}
	o.draw = func(link string, problems ...ui.Problem) (templ.Component, error) {
		if link != "" {
			return d.membersPage(r, screens.MembersView{Link: link, LinkFor: o.email})
		}
		return d.membersPage(r, screens.MembersView{Email: o.email, Role: asRole(o.role)}, problems...)
	}
	return d.makeOffer(r, o)
}

// makeOffer records an invitation and mails it, or shows its link without a mailer or an
// address: nothing that fails afterwards keeps that page from being drawn.
func (d *teamPages) makeOffer(r *request, o offer) error {
	refuse := func(status int, problem ui.Problem) error {
		page, err := o.draw("", problem)
		if err == nil {
			r.Render(status, page)
		}
		return err
	}
	recipient, err := mailbox.EmailKey(o.email)
	switch {
	case rank[o.role] == 0, o.email != "" && (err != nil || !isEmail(o.email)):
		return refuse(http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailInvalid})
	case o.email == "" && o.role == storage.RoleOwner:
		return refuse(http.StatusUnprocessableEntity, ui.Problem{Code: ui.OwnerNeedsEmail})
	}
	mailed := o.email != "" && d.Mailer != nil
	unsent := func(error) {}
	if mailed {
		var wait time.Duration
		if wait, unsent, err = d.mayMail(r.Request.Context(), r.does(), recipient); err != nil {
			return err
		}
		if wait > 0 {
			return refuse(r.Room().TooMany(wait), ui.Problem{Code: ui.TooManyAttempts, Count: int(math.Ceil(wait.Minutes()))})
		}
	}
	token := rand.Text()
	link := d.invitationLink(token)
	var page templ.Component
	if !mailed {
		if page, err = o.draw(link); err != nil {
			return err
		}
	}
	i, err := d.createInvitation(r.Request.Context(), r.does(), o, token)
	if err != nil {
		unsent(err)
		if errors.Is(err, storage.ErrLimit) {
			return refuse(http.StatusTooManyRequests, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Invitations})
		}
		return notFound(err)
	}
	if !mailed {
		if now, err := o.draw(link); err == nil { // else as it was
			page = now
		}
		r.Render(http.StatusOK, page)
		return nil
	}
	err = d.mailInvitation(r.Request.Context(), o.email, r.Page().Locale, i, link, unsent)
	switch {
	case errors.Is(err, provider.ErrRecipientRefused):
		return refuse(http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailUndeliverable, Field: ui.FieldEmail})
	case err != nil:
		return err
	}
	return r.done(o.page, screens.NoticeInvited)
}

// mailInvitation mails an invitation, or removes it: nobody has it, and a retry must not leave two.
// It counts if the server refuses the address, or whoever enters any number keeps the mailer busy.
func (d *teamPages) mailInvitation(ctx context.Context, to string, locale *ui.Locale, i storage.Invitation, link string, unsent func(error)) error {
	err := d.mail(ctx, to, ui.MailView{Kind: ui.MailInvitation, Locale: locale, InvitationURL: link})
	if err == nil {
		return nil
	}
	if !errors.Is(err, provider.ErrRecipientRefused) {
		unsent(err)
	}
	failed := d.takeBack(ctx, i)
	if failed == nil && errors.Is(err, provider.ErrRecipientRefused) {
		d.Logger.InfoContext(ctx, "mail cannot be delivered", slog.String("mail", string(ui.MailInvitation)), slog.Any("error", err))
		return err
	}
	if failed != nil { // which is no word about the address
		return fmt.Errorf("%w; the mail of the invitation: %s", failed, err.Error())
	}
	return err
}

// mayMail counts an invitation to be mailed, or returns how long to wait. unsent undoes the count
// of one that failed, unless it may have been sent all the same.
func (d *teamPages) mayMail(ctx context.Context, a act, recipient string) (wait time.Duration, unsent func(error), err error) {
	at, counted := d.Clock(), 0
	shares := []struct {
		what, who string
		limit     provider.Limit
	}{
		{"invitations of a member", a.by, mailsOfSender},
		{"invitations of an organization", a.org.ID, mailsOfOrganization},
		{"invitations to an address", recipient, mailsToRecipient},
	}
	unsent = func(err error) {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return
		}
		for _, b := range shares[:counted] {
			d.Provider.Rooms().Pages.GiveBack(ctx, b.what, b.who, b.limit, at)
		}
	}
	for _, b := range shares {
		if wait, err = d.Provider.Rooms().Pages.Allow(ctx, b.what, b.who, b.limit); err != nil || wait > 0 {
			unsent(err)
			return wait, nil, err
		}
		counted++
	}
	return 0, unsent, nil
}

// takeBack removes an invitation that was not mailed.
func (d *teamPages) takeBack(ctx context.Context, i storage.Invitation) error {
	remove := func(ctx context.Context) error { return d.Store.RemoveInvitation(ctx, i.OrganizationID, i.Token) }
	err := remove(context.WithoutCancel(ctx))
	if err != nil {
		d.later(remove)
	}
	return err
}

func (d *teamPages) invitationLink(token string) string { return d.absolute(d.path("join", token)) }

// createInvitation records the invitation of a token.
func (d *teamPages) createInvitation(ctx context.Context, a act, o offer, token string) (storage.Invitation, error) {
	now := d.Clock()
	i := storage.Invitation{
		Token: sha256.Sum256([]byte(token)), OrganizationID: a.org.ID, Role: o.role, Appoints: o.appoints,
		InvitedBy: a.by, CreatedAt: now, ExpiresAt: now.Add(invitationLife),
	}
	if o.email != "" {
		i.Email = d.Provider.Rooms().People.Seal(sealedInvitation, hex.EncodeToString(i.Token[:]), []byte(o.email))
	}
	var events []provider.Event
	if o.appoints {
		events = []provider.Event{{Name: event.OwnerAppointed, Detail: a.org.ID}}
	}
	fields := append(changed("role", "", string(o.role)), aboutInvitation(i)...)
	return i, d.recorded(ctx, a, "member.invite", fields, func(ctx context.Context) error {
		return d.Store.CreateInvitation(ctx, i, d.Quotas.Invitations)
	}, events...)
}

// aboutInvitation identifies the invitation for the activity log, and whether it was for
// one address; the address itself is personal data, and stays encrypted.
func aboutInvitation(i storage.Invitation) []storage.ChangedField {
	whom := "anyone with the link"
	if len(i.Email) > 0 {
		whom = "one address"
	}
	return []storage.ChangedField{{Name: "invitation", After: hex.EncodeToString(i.Token[:4])}, {Name: "for", After: whom}}
}

// withdraw withdraws an invitation, and redirects to a page.
func (d *teamPages) withdraw(r *request, page string) error {
	var token storage.Digest
	if n, err := hex.Decode(token[:], []byte(r.posted(ui.FieldCode))); err != nil || n != len(token) {
		return forbidden("no identifier of an invitation")
	}
	var line []provider.Event
	if r.role == "" { // of an operator
		line = append(line, provider.Event{Name: event.OwnerWithdrawn, Detail: r.org.ID})
	}
	fields := changed("invitation", hex.EncodeToString(token[:4]), "")
	err := d.recorded(r.Request.Context(), r.does(), "member.withdraw", fields, func(ctx context.Context) error {
		return d.Store.RemoveInvitation(ctx, r.org.ID, token)
	}, line...)
	if err != nil {
		return err
	}
	return r.done(page, screens.NoticeWithdrawn)
}

// invitation returns the invitation of the request's address, and its organization; false
// if it is no longer valid.
func (d *teamPages) invitation(r *request) (storage.Invitation, storage.Organization, bool, error) {
	i, err := storage.One(d.Store.Invitations(r.Request.Context(), storage.TokenFilter{Token: sha256.Sum256([]byte(r.value("token")))}))
	if err == nil && !d.Clock().Before(i.ExpiresAt) {
		err = storage.ErrNotFound
	}
	if err == nil && i.Appoints {
		err = d.mayAppoint(r, i.InvitedBy)
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

// isFor reports whether an invitation is for this user: for anybody with the link, unless
// it makes an owner, or for the user's verified address.
func (d *teamPages) isFor(r *request, i storage.Invitation) (bool, error) {
	invited, err := d.invitedAddress(i)
	if d.toldUnreadable(r.Request.Context(), i.OrganizationID, sealedInvitation, err) {
		return false, nil
	}
	if invited == "" {
		return i.Role != storage.RoleOwner, nil
	}
	own, err := d.Provider.Rooms().People.VerifiedEmail(r.Request.Context(), r.User.UserID)
	if err != nil || own == "" {
		return false, err
	}
	address, err := mailbox.EmailKey(invited)
	return err == nil && address == own, nil // an invalid address is nobody's
}

func (d *teamPages) showInvitation(r *request) error {
	i, o, found, err := d.invitation(r)
	if err != nil {
		return err
	}
	return d.renderInvitation(r, i, o, !found)
}

func (d *teamPages) renderInvitation(r *request, i storage.Invitation, o storage.Organization, gone bool, problems ...ui.Problem) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	view := screens.InvitationView{Page: p, Form: r.Form(problems...), Gone: gone}
	status := http.StatusOK
	switch {
	case gone:
		status = http.StatusNotFound
	case len(problems) > 0 && problems[0].Code == ui.OrganizationSuspended:
		status = http.StatusConflict
	case len(problems) > 0:
		status = http.StatusTooManyRequests
	}
	if !gone {
		meant, err := d.isFor(r, i)
		if err != nil {
			return err
		}
		if view.Other = !meant; view.Other { // its content is for nobody else
			status = http.StatusForbidden
		} else {
			view.Organization, view.Role = o.Name, asRole(i.Role)
		}
	}
	r.Render(status, screens.InvitationScreen(view))
	return nil
}

// roleBy is the role that the user will have by an invitation: who is a member keeps theirs, unless
// it appoints.
func (d *teamPages) roleBy(r *request, i storage.Invitation) (storage.Role, error) {
	member, err := storage.One(d.Store.Members(r.Request.Context(), i.OrganizationID, r.User.UserID))
	if errors.Is(err, storage.ErrNotFound) || err == nil && i.Appoints {
		return i.Role, nil
	}
	return member.Role, err
}

func (d *teamPages) acceptInvitation(r *request) error {
	i, o, found, err := d.invitation(r)
	if err != nil {
		return err
	}
	meant := found
	if found {
		meant, err = d.isFor(r, i)
	}
	if err != nil {
		return err
	}
	if !meant {
		return d.renderInvitation(r, i, o, !found)
	}
	role, err := d.roleBy(r, i)
	if err != nil {
		return err
	}
	var member storage.Member
	r.org = o
	fields := append(changed("role", "", string(role)), aboutInvitation(i)...)
	err = d.recorded(r.Request.Context(), r.does(), "member.join", fields, func(ctx context.Context) (err error) {
		member, err = d.Store.AcceptInvitation(ctx, i.Token, r.User.UserID, d.Clock(), d.Quotas.Organizations)
		return err
	})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return d.renderInvitation(r, storage.Invitation{}, storage.Organization{}, true)
	case errors.Is(err, storage.ErrOrganizationStopped):
		return d.renderInvitation(r, i, o, false, ui.Problem{Code: ui.OrganizationSuspended})
	case errors.Is(err, storage.ErrLimit):
		return d.renderInvitation(r, i, o, false, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Organizations})
	case err != nil:
		return err
	}
	if i.Role == storage.RoleOwner && member.Role == storage.RoleOwner {
		d.warnOwners(r.Request.Context(), r.does(), ui.MailOwnerAdded)
	}
	return r.done(d.path("o", member.OrganizationID), screens.NoticeJoined)
}

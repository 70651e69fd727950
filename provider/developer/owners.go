package developer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// The limits on mails about members' actions: nobody floods the owners, and nobody who
// tries keeps them from hearing about another kind of action, or another member.
var (
	warningsOfMember       = provider.Limit{Burst: 5, Every: 10 * time.Minute}
	warningsOfOrganization = provider.Limit{Burst: 30, Every: time.Minute}
)

// mailTime limits the sending of the mails about one act.
const mailTime = 30 * time.Second

// warnOwners mails all owners of the organization about a change that decides who gets
// personal data: the others may know better.
func (d *frame) warnOwners(ctx context.Context, a act, kind ui.MailKind) {
	if d.Mailer == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	member := a.org.ID + " " + a.by + " " + string(kind)
	wait, err := d.Provider.Rooms().Pages.Allow(ctx, "warnings of a member", member, warningsOfMember)
	if err == nil && wait == 0 {
		wait, err = d.Provider.Rooms().Pages.Allow(ctx, "warnings of an organization", a.org.ID, warningsOfOrganization)
	}
	if err != nil || wait > 0 {
		d.Logger.WarnContext(ctx, "owners are not notified by mail", slog.String("organization", a.org.ID), slog.String("user", a.by),
			slog.String("kind", string(kind)), slog.Bool("too_many", wait > 0), slog.Any("error", err))
		return
	}
	path := d.path("o", a.org.ID, "activity")
	if kind == ui.MailOwnerAdded {
		path = d.path("o", a.org.ID, "members")
	}
	d.tellOwners(ctx, a, kind, path)
}

// tellOwners mails the owners of the organization. The change stands, whether the mail is
// sent or not, and a caller that disconnects does not stop it.
func (d *frame) tellOwners(ctx context.Context, a act, kind ui.MailKind, path string) {
	if d.Mailer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTime)
	defer cancel()
	about := a.app.Name
	if about == "" {
		about = a.org.Name
	}
	members, err := d.Store.Members(ctx, a.org.ID)
	for _, m := range members {
		if m.Role == storage.RoleOwner {
			err = errors.Join(err, d.tell(ctx, m.UserID, ui.MailView{Kind: kind, Application: about, ApplicationURL: d.absolute(path)}))
		}
	}
	if err != nil {
		d.Logger.WarnContext(ctx, "some owners could not be notified by mail", slog.String("organization", a.org.ID),
			slog.String("client", a.app.ClientID), slog.String("kind", string(kind)), slog.Any("error", err))
	}
}

// tell mails a member, in the member's language, unless the member is gone.
func (d *frame) tell(ctx context.Context, userID string, v ui.MailView) error {
	account, err := d.Provider.Rooms().People.View(ctx, userID)
	if errors.Is(err, provider.ErrNoUser) || err == nil && account.Email == "" {
		return nil
	}
	if err == nil {
		v.Locale, err = d.Provider.Rooms().People.Locale(ctx, userID)
	}
	if err != nil {
		return err
	}
	return d.mail(ctx, account.Email, v)
}

// mail passes a mail to the mailer.
func (d *frame) mail(ctx context.Context, to string, v ui.MailView) error {
	v.Time = d.Clock()
	return d.Mailer.Send(ctx, d.Provider.Rooms().Pages.ComposeMail(to, v))
}

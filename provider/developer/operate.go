package developer

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Operator is who decides about organizations and applications elsewhere than on the pages of
// the dashboard, such as at package provider/desk. Its rights are checked there.
type Operator struct {
	// UserID is the user of Config.Provider that the operator is; empty for who is no user.
	UserID string

	// Name is that of who is no user, or is an operator there only.
	Name string
}

// outside is what the name of an operator begins with who is not one of Config.Operator.
const outside = "staff:"

// by is how the dashboard records an operator.
func (o Operator) by() string {
	if o.UserID != "" {
		return o.UserID
	}
	return outside + o.Name
}

// The errors of the verbs for operators, besides provider.ErrChanged.
var (
	// ErrNotThere means that there is no such organization or application.
	ErrNotThere = errors.New("developer: there is no such organization or application")
	// ErrOwn means that the operator is a member of the organization, or has asked for what
	// is decided.
	ErrOwn = errors.New("developer: the operator is a member of the organization")
	// ErrSuspended means that the organization is suspended.
	ErrSuspended = errors.New("developer: the organization is suspended")
	// ErrFull means that the organization has as many applications as it may have, or as many
	// invitations.
	ErrFull = errors.New("developer: the organization has reached a limit")
)

// MaxReason is the maximum length of a reason that members read, in characters.
const MaxReason = maxNote

// asOperatorError is the error of a verb for operators.
func asOperatorError(err error) error {
	for _, one := range []struct{ is, as error }{
		{storage.ErrChanged, provider.ErrChanged}, {storage.ErrNotFound, ErrNotThere}, {provider.ErrNoClient, ErrNotThere},
		{provider.ErrScreenNotFound, ErrNotThere}, {storage.ErrConflict, ErrOwn}, {storage.ErrOrganizationStopped, ErrSuspended},
		{storage.ErrLimit, ErrFull},
	} {
		if errors.Is(err, one.is) {
			return one.as
		}
	}
	return err
}

// inStep makes a write that somebody rests on what they act on (provider.By), and records
// events in its step; after it, if the dashboard has a store of its own.
func (d *frame) inStep(ctx context.Context, write func(context.Context) error, events ...provider.Event) error {
	return d.Provider.Rooms().Events.WriteIn(ctx, d.Store, write, events...)
}

// Revision names the state of an application that an operator looks at.
func Revision(a storage.Application, c provider.Client) string {
	return fmt.Sprintf("%d.%d", a.Version, c.Revision)
}

// StopApplication stops an application of production for a reason, which its owners are told.
// It is unknown to every endpoint until StartApplication. provider.ErrChanged if it has
// another Revision.
func (d *Dashboard) StopApplication(ctx context.Context, o Operator, clientID, reason, revision string) error {
	a, v, err := d.decided(ctx, o, clientID, revision)
	if err != nil {
		return err
	}
	if stopped(a.app) && v.client.Disabled {
		return provider.ErrChanged
	}
	if v.Review.Reason, err = reasonFrom(reason); err != nil {
		return err
	}
	v.Review.DecidedAt = d.Clock()
	return asOperatorError(d.reviews.stopApplication(ctx, a, v.document))
}

// StartApplication ends the stop of an application of production; its owners are told.
// provider.ErrChanged if it has another Revision or is not stopped, ErrOwn if it is the
// operator's, ErrSuspended if its organization is suspended.
func (d *Dashboard) StartApplication(ctx context.Context, o Operator, clientID, revision string) error {
	a, v, err := d.decided(ctx, o, clientID, revision)
	if err != nil {
		return err
	}
	if !stopped(a.app) {
		return provider.ErrChanged
	}
	return asOperatorError(d.reviews.startApplication(ctx, a, v))
}

// decided reads an application of production that an operator decides about.
func (d *Dashboard) decided(ctx context.Context, o Operator, clientID, revision string) (a act, v reviewed, err error) {
	a.by = o.by()
	if a.app, err = d.Store.Application(ctx, storage.Production, clientID); err == nil {
		a.org, err = d.Store.Organization(ctx, a.app.OrganizationID)
	}
	if err == nil {
		v.client, err = d.Provider.Clients().Get(ctx, clientID)
	}
	if err == nil {
		v.document, err = readDocument(a.app)
	}
	if err == nil && (a.app.Deleting || Revision(a.app, v.client) != revision) {
		err = provider.ErrChanged
	}
	return a, v, asOperatorError(err)
}

// OrganizationRevision names the state of an organization that an operator looks at.
func OrganizationRevision(o storage.Organization) string { return suspensionVersion(o) }

// SuspendOrganization stops all applications of an organization for a reason, which its owners
// are told. provider.ErrChanged if it has another revision.
func (d *Dashboard) SuspendOrganization(ctx context.Context, o Operator, id, reason, revision string) error {
	reason, err := reasonFrom(reason)
	if err != nil {
		return err
	}
	a, err := d.decidedOrganization(ctx, o, id, revision)
	if err != nil {
		return err
	}
	return asOperatorError(d.reviews.stopOrganization(ctx, a, reason))
}

// ReactivateOrganization ends a suspension; the owners are told. provider.ErrChanged if the
// organization has another revision, ErrOwn if the operator is a member of it.
func (d *Dashboard) ReactivateOrganization(ctx context.Context, o Operator, id, revision string) error {
	a, err := d.decidedOrganization(ctx, o, id, revision)
	if err != nil {
		return err
	}
	if a.org.Stopped.At.IsZero() {
		return provider.ErrChanged
	}
	return asOperatorError(d.reviews.startOrganization(ctx, a))
}

func (d *Dashboard) decidedOrganization(ctx context.Context, o Operator, id, revision string) (a act, err error) {
	a.by = o.by()
	if a.org, err = d.Store.Organization(ctx, id); err == nil && suspensionVersion(a.org) != revision {
		err = provider.ErrChanged
	}
	return a, asOperatorError(err)
}

// AppointOwner invites somebody to be the owner of an organization that has none, by mail, in
// a language of the screens. The invitation is valid for a week, as long as there is no owner
// and, if the operator is one of Config.Operator, as long as that is so. Without a Mailer the
// link is returned. provider.ErrChanged if there is an owner, ErrOwn if the operator is a
// member; a wrong address is a provider.FieldError.
func (d *Dashboard) AppointOwner(ctx context.Context, o Operator, id, email string, locale *ui.Locale) (link string, err error) {
	email = strings.TrimSpace(email)
	recipient, err := mailbox.EmailKey(email)
	if err != nil || !isEmail(email) {
		return "", wrong("email", "is not an e-mail address")
	}
	a := act{by: o.by()}
	if a.org, err = d.Store.Organization(ctx, id); err != nil {
		return "", asOperatorError(err)
	}
	if err := d.ownerless(ctx, o, id); err != nil {
		return "", err
	}
	operates, err := d.isOperator(ctx, o.UserID)
	if err != nil {
		return "", err
	}
	if !operates { // nobody can be asked whether they still are one
		a.by = outside + cmp.Or(o.Name, o.UserID)
	}
	unsent := func(error) {}
	if d.Mailer != nil {
		var wait time.Duration
		if wait, unsent, err = d.team.mayMail(ctx, a, recipient); err != nil {
			return "", err
		}
		if wait > 0 {
			return "", wrong("email", "has been invited too often; try again later")
		}
	}
	token := rand.Text()
	link = d.team.invitationLink(token)
	i, err := d.team.createInvitation(ctx, a, offer{role: storage.RoleOwner, email: email, appoints: true}, token)
	switch {
	case err != nil:
		unsent(err)
		return "", asOperatorError(err)
	case d.Mailer == nil:
		return link, nil
	}
	err = d.team.mailInvitation(ctx, email, locale, i, link, unsent)
	if errors.Is(err, provider.ErrRecipientRefused) {
		return "", wrong("email", "is refused by the mail server")
	}
	return "", err
}

// ownerless returns why an operator appoints no owner of an organization, or nil.
func (d *Dashboard) ownerless(ctx context.Context, o Operator, id string) error {
	members, err := d.Store.Members(ctx, id)
	if err != nil {
		return err
	}
	for _, m := range members {
		switch {
		case isOwner(m):
			return provider.ErrChanged
		case m.UserID == o.UserID:
			return ErrOwn
		}
	}
	return nil
}

// ScopesTaken records in the activity log that an operator has taken scopes from an
// application, and tells its owners.
func (d *Dashboard) ScopesTaken(ctx context.Context, o Operator, app storage.Application, scopes []string) {
	a := act{by: o.by(), org: storage.Organization{ID: app.OrganizationID}, app: app}
	d.recordAct(ctx, a, "scopes.take", []storage.ChangedField{{Name: "scopes", Removed: scopes}})
	d.tellOwners(ctx, a, ui.MailScopesTaken, d.path("o", app.OrganizationID, app.Environment, app.ClientID))
}

// MoveApplication gives an application to another organization; the owners of both are told.
// It has its log and its pictures there, its changes of before stay. A program that manages its
// registration does so no longer, even after an interruption. provider.ErrChanged if
// it has another Revision or is there already, ErrSuspended if one of the two is suspended,
// ErrFull if the other has as many applications as it may have, ErrNotThere if there is no
// such application or organization.
func (d *Dashboard) MoveApplication(ctx context.Context, o Operator, app storage.Application, to string) error {
	from := app.OrganizationID
	err := d.inStep(ctx, func(ctx context.Context) error {
		return d.Store.MoveApplication(ctx, app.Environment, app.ClientID, app.Version, to, d.Quotas.Applications)
	}, provider.Event{Name: event.ClientMoved, ClientID: app.ClientID, Detail: to})
	if errors.Is(err, storage.ErrConflict) { // it is there
		err = storage.ErrChanged
	}
	if err != nil {
		return asOperatorError(err)
	}
	// The token is refused already (registrar.Manages). It would be good again if the application
	// came back.
	err = d.provider(app.Environment).Rooms().Clients.RevokeRegistrationToken(provider.By(ctx, storage.Actor{}), app.ClientID)
	if err != nil && !errors.Is(err, provider.ErrNoClient) {
		d.Logger.ErrorContext(ctx, "the token of a moved application could not be removed", slog.String("client", app.ClientID), slog.Any("error", err))
	}
	for _, organization := range []string{from, to} {
		a := act{by: o.by(), org: storage.Organization{ID: organization}, app: app}
		d.recordAct(ctx, a, "application.move", changed("organization", from, to))
		d.tellOwners(ctx, a, ui.MailApplicationMoved, d.path("o", organization))
	}
	return nil
}

// ReviewURL is the address of an operators' page about an application, below that of the list
// of the room that shows it. If that is empty it is the dashboard's own, which may be at another host.
func (d *Dashboard) ReviewURL(reviewsURL string, a storage.Application) string {
	return below(cmp.Or(reviewsURL, d.absolute(d.path("review"))), a.Environment, a.ClientID)
}

// Within is another room that shows the pages on which operators decide.
type Within struct {
	// ReviewsURL is the path of its own list of what waits. The pages are below it.
	ReviewsURL string

	// Around is what is around its pages.
	Around func() (ui.Wide, error)
}

// ReviewPage is a page on which operators decide about an application or an organization.
type ReviewPage struct {
	// Path is its pattern of http.ServeMux below Within.ReviewsURL.
	Path string

	// Show answers GET, and Act, nil for a page without a form, POST, within a room that has
	// said who acts (provider.By). There is nothing for who is not one of Config.Operator.
	Show, Act func(*provider.Screen, Within) error
}

// ReviewPages returns the pages on which operators decide, for another room of the same provider.
func (d *Dashboard) ReviewPages() (pages []ReviewPage) {
	for _, p := range d.reviews.routes() {
		path := strings.TrimPrefix(p.path, "/review")
		if path == "" { // the list
			continue
		}
		within := func(n need, h handler) func(*provider.Screen, Within) error {
			return func(s *provider.Screen, w Within) error { return d.answer(p, &request{Screen: s, within: w}, n, h) }
		}
		page := ReviewPage{Path: path, Show: within(p.looks, p.show)}
		if p.act != nil {
			page.Act = within(p.posts, p.act)
		}
		pages = append(pages, page)
	}
	return pages
}

// StopReason is why an operator has stopped an application, as its members read it; empty if
// none has. It wants an application with its Document.
func (d *Dashboard) StopReason(a storage.Application) string {
	kept, err := readDocument(a)
	if err != nil || !stopped(a) {
		return ""
	}
	return kept.Review.Reason
}

// reasonFrom returns a reason as members read it.
func reasonFrom(reason string) (string, error) {
	reason = strings.TrimSpace(strings.ReplaceAll(reason, "\r\n", "\n"))
	switch {
	case reason == "":
		return "", wrong("reason", "is missing")
	case utf8.RuneCountInString(reason) > maxNote:
		return "", wrong("reason", fmt.Sprintf("is longer than %d characters", maxNote))
	}
	return reason, nil
}

func wrong(field, problem string) error {
	return &provider.FieldError{Field: field, Err: errors.New(problem)}
}

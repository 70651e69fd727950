package developer

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// suspended reports whether an operator has suspended the organization in the path.
func (r *request) suspended() bool { return !r.org.Stopped.At.IsZero() }

// refuseSuspended redirects a member whose form was refused to a page that says why.
func (d *frame) refuseSuspended(r *request) error {
	return r.done(d.path("o", r.org.ID), screens.NoticeNothingWhileSuspended)
}

// suspension is the notice on the pages of a suspended organization.
func (r *request) suspension() *screens.Suspension {
	if !r.suspended() {
		return nil
	}
	return &screens.Suspension{Since: r.org.Stopped.At, Reason: r.org.Stopped.Reason}
}

// addOrganizations adds suspended organizations, and the results of an operator's search.
func (d *reviewPages) addOrganizations(r *request, view *screens.ReviewsView) (err error) {
	list := func(name string, find func(after string) ([]storage.Organization, error)) (rows []screens.Found, more string, err error) {
		found, err := find(r.asked(name))
		if len(found) > pageOfReviews {
			found = found[:pageOfReviews]
			more = "?" + url.Values{screens.FieldSearch: {view.Search}, name: {found[pageOfReviews-1].ID}}.Encode()
		}
		for _, o := range found {
			rows = append(rows, screens.Found{Name: o.Name, URL: d.review(r, "organization", o.ID), Suspended: !o.Stopped.At.IsZero()})
		}
		return rows, more, err
	}
	ctx := r.Request.Context()
	view.Suspended, view.SuspendedMoreURL, err = list("suspended_after", func(after string) ([]storage.Organization, error) {
		return d.Store.Organizations(ctx, storage.OrganizationFilter{Stopped: true}, after, pageOfReviews+1)
	})
	if err != nil || view.Search == "" {
		return err
	}
	view.Found, view.FoundMoreURL, err = list("found_after", func(after string) ([]storage.Organization, error) {
		return d.Store.Organizations(ctx, storage.OrganizationFilter{Search: view.Search}, after, pageOfReviews+1)
	})
	return err
}

// suspend suspends an organization with all its applications, with a reason for its
// members.
func (d *reviewPages) suspend(r *request, members []storage.Member, here string) error {
	reason := strings.TrimSpace(strings.ReplaceAll(r.posted(ui.FieldReason), "\r\n", "\n"))
	wrong := func(problem ui.Problem) error {
		return d.renderOrganizationReview(r, members, screens.AppointView{Entered: reason}, http.StatusUnprocessableEntity, problem)
	}
	switch {
	case reason == "":
		return wrong(ui.Problem{Code: ui.ReasonMissing})
	case utf8.RuneCountInString(reason) > maxNote:
		return wrong(ui.Problem{Code: ui.NoteTooLong, Field: ui.FieldReason})
	}
	err := d.stopOrganization(r.Request.Context(), r.does(), reason)
	if errors.Is(err, storage.ErrChanged) {
		return r.done(here, screens.NoticeSomebodyElse)
	}
	if err != nil {
		return notFound(err)
	}
	return r.done(here, screens.NoticeSuspended)
}

// stopOrganization stops an organization with all its applications. storage.ErrChanged if it
// is stopped.
func (d *reviewPages) stopOrganization(ctx context.Context, a act, reason string) error {
	err := d.recorded(ctx, a, "organization.suspend", changed("reason", "", reason), func(ctx context.Context) error {
		return d.Store.StopOrganization(ctx, a.org.ID, storage.Stop{At: d.Clock(), Reason: reason, By: a.by})
	}, provider.Event{Name: event.OrganizationSuspended, Detail: a.org.ID})
	if err != nil {
		return err
	}
	d.finishSuspension(ctx, a, ui.MailOrganizationSuspended)
	return nil
}

// reactivate ends the suspension that the page has shown.
func (d *reviewPages) reactivate(r *request, members []storage.Member, here string) error {
	if r.posted(screens.FieldVersion) != suspensionVersion(r.org) || !r.suspended() {
		return r.done(here, screens.NoticeSomebodyElse)
	}
	err := d.startOrganization(r.Request.Context(), r.does())
	switch {
	case errors.Is(err, storage.ErrChanged):
		return r.done(here, screens.NoticeSomebodyElse)
	case errors.Is(err, storage.ErrConflict):
		return d.renderOrganizationReview(r, members, screens.AppointView{}, http.StatusForbidden, ui.Problem{Code: ui.OwnOrganization})
	case err != nil:
		return notFound(err)
	}
	return r.done(here, screens.NoticeReactivated)
}

// startOrganization ends the stop of an organization that was read. storage.ErrChanged if it
// is not stopped, or was at another moment; storage.ErrConflict if the user is a member of it.
func (d *reviewPages) startOrganization(ctx context.Context, a act) error {
	err := d.recorded(ctx, a, "organization.reactivate", nil, func(ctx context.Context) error {
		return d.Store.StartOrganization(ctx, a.org.ID, a.org.Stopped.At, a.by)
	}, provider.Event{Name: event.OrganizationReactivated, Detail: a.org.ID})
	if err != nil {
		return err
	}
	d.finishSuspension(ctx, a, ui.MailOrganizationReactivated)
	return nil
}

// suspensionVersion identifies the suspension of an organization.
func suspensionVersion(o storage.Organization) string {
	return strconv.FormatInt(storage.UnixMicro(o.Stopped.At), 10)
}

// carryOutTime is how long an operator waits for a decision to be carried out. Run does the
// rest, and the page says how much is left.
const carryOutTime = 5 * time.Second

// finishSuspension carries out a decision about an organization, and mails its owners.
func (d *reviewPages) finishSuspension(ctx context.Context, a act, mail ui.MailKind) {
	d.finishDecision(ctx, a, func(ctx context.Context) error { return d.halts.carryOut(ctx, a.org.ID) }, mail, d.path("o", a.org.ID))
}

// finishDecision carries out a decision, and mails the owners.
func (d *reviewPages) finishDecision(ctx context.Context, a act, carryOut func(context.Context) error, mail ui.MailKind, url string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), carryOutTime)
	defer cancel()
	if err := carryOut(ctx); err != nil {
		d.Logger.ErrorContext(ctx, "a decision could not be carried out yet; Run will retry",
			slog.String("organization", a.org.ID), slog.String("client", a.app.ClientID), slog.Any("error", err))
	}
	d.tellOwners(ctx, a, mail, url)
}

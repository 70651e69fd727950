package developer

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// decide carries out an operator's decision.
func (d *reviewPages) decide(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	version, _, _ := strings.Cut(r.posted(screens.FieldVersion), ".")
	seen, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	unseen := r.posted(screens.FieldVersion) != v.version(r.app)
	inSandbox, waits := r.env == storage.Sandbox, r.app.Review == storage.ReviewAsked
	r.app.Version = seen
	switch r.posted(ui.FieldAction) {
	case screens.ActionApprove:
		if !unseen && (waits || v.isUnfinished(r.app)) {
			return d.approve(r, v)
		}
	case screens.ActionRefuse:
		if waits {
			return d.withReason(r, v, d.refuse)
		}
	case screens.ActionStop:
		if !inSandbox {
			return d.withReason(r, v, d.stop)
		}
	case screens.ActionStart:
		if stopped(r.app) {
			return d.start(r, v)
		}
	}
	return d.finishReview(r, storage.ErrChanged, "")
}

// keepDecision shows the entered reason again, with the current application.
func (d *reviewPages) keepDecision(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	return d.renderReview(r, v, http.StatusForbidden, ui.Problem{Code: ui.ConfirmFirst})
}

// withReason makes a decision with a reason for the members.
func (d *reviewPages) withReason(r *request, v reviewed, decide func(*request, reviewed) error) error {
	reason := strings.TrimSpace(strings.ReplaceAll(r.posted(ui.FieldReason), "\r\n", "\n"))
	switch {
	case reason == "":
		return d.renderReview(r, v, http.StatusUnprocessableEntity, ui.Problem{Code: ui.ReasonMissing})
	case utf8.RuneCountInString(reason) > maxNote:
		return d.renderReview(r, v, http.StatusUnprocessableEntity, ui.Problem{Code: ui.NoteTooLong, Field: ui.FieldReason})
	}
	v.Review.Reason, v.Review.DecidedAt = reason, d.Clock()
	return decide(r, v)
}

// refuse refuses the request. The published registration stays.
func (d *reviewPages) refuse(r *request, v reviewed) error {
	state, act, mail := storage.ReviewRefused, "production.refuse", ui.MailApplicationRefused
	fields := changed("reason", "", v.Review.Reason)
	if r.env == storage.Production {
		state, act, mail = storage.ReviewApproved, "changes.refuse", ui.MailChangesRefused
		fields = append(fields, v.pending()...)
		v.Changes = nil
	} else {
		v.Decided = decidedOn(v.client)
	}
	line := provider.Event{Name: event.ReviewRefused, ClientID: r.app.ClientID, Detail: r.env}
	err := d.noting(r.Request.Context(), d.Provider, r.does(), act, fields, func(ctx context.Context) error {
		return d.decideReview(ctx, r.does(), state, v, line)
	})
	if err == nil {
		d.tellOwners(r.Request.Context(), r.does(), mail, d.path("o", r.org.ID, r.env, r.app.ClientID, "access"))
	}
	return d.finishReview(r, err, screens.NoticeRefused)
}

// decideReview is saveReview for a decision that nobody makes about their own. Who has
// asked is in the version that is replaced, and whether the operator has become a member is
// checked by the write, which records the events.
func (d *reviewPages) decideReview(ctx context.Context, a act, state storage.Review, v reviewed, events ...provider.Event) error {
	if v.askedBy(a.by) {
		return storage.ErrConflict
	}
	app := a.app
	app.Review, app.Document, app.UpdatedAt = state, v.document.bytes(), d.Clock()
	return d.inStep(ctx, func(ctx context.Context) error { return d.Store.DecideApplication(ctx, app, a.by) }, events...)
}

// finishReview redirects to the application with a notice.
func (d *reviewPages) finishReview(r *request, err error, done screens.Notice) error {
	here := d.review(r, r.env, r.app.ClientID)
	switch {
	case errors.Is(err, storage.ErrConflict):
		return d.renderAgain(r, http.StatusForbidden, ui.Problem{Code: ui.OwnApplication})
	case errors.Is(err, storage.ErrOrganizationStopped):
		return d.renderAgain(r, http.StatusConflict, ui.Problem{Code: ui.OrganizationSuspended})
	case errors.Is(err, storage.ErrChanged):
		return r.done(here, screens.NoticeSomebodyElse)
	case err != nil:
		return err
	}
	return r.done(here, done)
}

// renderAgain shows the current application, and why a decision failed.
func (d *reviewPages) renderAgain(r *request, status int, problem ui.Problem) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	return d.renderReview(r, v, status, problem)
}

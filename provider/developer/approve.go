package developer

import (
	"context"
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// approve publishes what waits for review: the copy of an application of the sandbox, or
// the changes that developers want in production. It is claimed first: of two operators one
// gets an error, and an interrupted approval can be completed, and happens once.
func (d *reviewPages) approve(r *request, v reviewed) error {
	if !met(d.drafts.checks(r, v.wanted)) {
		return d.renderReview(r, v, http.StatusConflict, ui.Problem{Code: ui.ChecksUnmet})
	}
	act, mail, fields := "changes.approve", ui.MailChangesApproved, v.pending()
	finish, done := d.serveChanges, screens.NoticeChangesApproved
	if r.env == storage.Sandbox {
		if v.Live == "" {
			v.Live = newID() // that of the copy
		}
		v.Decided = decidedOn(v.wanted)
		act, mail, fields = "production.approve", ui.MailApplicationApproved, changed("client_id", "", v.Live)
		finish, done = d.copyToProduction, screens.NoticeApproved
	}
	v.Review.DecidedAt, v.Review.Reason = d.Clock(), ""
	line := provider.Event{Name: event.ReviewApproved, ClientID: r.app.ClientID, Detail: r.env}
	err := d.decideReview(r.Request.Context(), r.does(), storage.ReviewApproved, v, line)
	if err == nil {
		err = finish(r, v, func(change func(*storage.Application, *document)) error {
			return d.recorded(r.Request.Context(), r.does(), act, fields, func(ctx context.Context) error {
				return d.editApplication(ctx, r.app, change)
			})
		})
	}
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, storage.ErrLimit):
		return d.renderAgain(r, http.StatusConflict, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Applications})
	case errors.As(err, &wrong): // as a scope that production does not have
		return d.renderAgain(r, http.StatusConflict, ui.Problem{Text: wrong.Error()})
	case err != nil:
		return d.finishReview(r, err, "")
	}
	live := r.app.ClientID
	if r.env == storage.Sandbox {
		live = v.Live
	}
	d.tellOwners(r.Request.Context(), r.does(), mail, d.path("o", r.org.ID, storage.Production, live))
	return d.finishReview(r, nil, done)
}

// finish is the last write of an approval, which records it.
type finish func(change func(*storage.Application, *document)) error

// serveChanges publishes the approved changes in place of the registration that the
// operator has compared. If another has been saved since, the changes keep waiting.
func (d *reviewPages) serveChanges(r *request, v reviewed, finish finish) error {
	ctx := r.Request.Context()
	err := d.Provider.Clients().Save(ctx, v.wanted)
	if errors.Is(err, provider.ErrChanged) {
		err := d.editApplication(ctx, r.app, func(a *storage.Application, kept *document) { a.Review = standingOf(*a, *kept) })
		if err != nil {
			return err
		}
		return storage.ErrChanged
	}
	if err != nil {
		return err
	}
	return finish(func(a *storage.Application, kept *document) {
		kept.Webhooks = union(kept.Webhooks, v.Changes.webhooks())
		if kept.Changes != nil && kept.Changes.At.Equal(v.Changes.At) { // no others have come meanwhile
			kept.Changes = nil
		}
		a.Name, a.Review, kept.Decided = v.wanted.Name, standingOf(*a, *kept), decidedOn(v.wanted)
	})
}

// copyToProduction makes the missing parts of the copy. The application is first: no client
// is ever without a responsible organization.
func (d *reviewPages) copyToProduction(r *request, v reviewed, finish finish) error {
	ctx, now, shown := r.Request.Context(), d.Clock(), brandOf(v.wanted)
	err := d.Store.CreateApplication(ctx, storage.Application{
		Environment: storage.Production, ClientID: v.Live, OrganizationID: r.org.ID, Name: r.app.Name, Kind: r.app.Kind,
		Review: storage.ReviewApproved, PictureBytes: shown.bytes(),
		CreatedBy: v.Review.AskedBy, CreatedAt: now, UpdatedAt: now,
		Document: document{Review: v.Review, Decided: v.Decided}.bytes(),
	}, d.Quotas.Applications)
	if err != nil && !errors.Is(err, storage.ErrConflict) {
		return err
	}
	// Operator rights of the sandbox are not for real people.
	c := d.forms.withoutOperators(storage.Production, v.wanted, r.app)
	c.Resources = d.forms.resourcesIn(storage.Production, c) // by name: what is added later was not reviewed
	c.ID, c.Secret, c.Revision = v.Live, "", provider.NoRevision
	c.Unreviewed, c.Disabled = false, false
	if err := d.Provider.Clients().Save(ctx, c); err != nil && !errors.Is(err, provider.ErrChanged) {
		return err
	}
	if err := d.halts.halt(ctx, storage.Application{Environment: storage.Production, ClientID: v.Live}); err != nil {
		return err
	}
	return finish(func(_ *storage.Application, kept *document) { kept.Copied = true })
}

// editApplication changes an application and its document, whatever others change
// concurrently.
func (d *frame) editApplication(ctx context.Context, a storage.Application, change func(*storage.Application, *document)) error {
	err := storage.ErrChanged
	for errors.Is(err, storage.ErrChanged) && ctx.Err() == nil {
		if a, err = d.Store.Application(ctx, a.Environment, a.ClientID); err != nil {
			return err
		}
		kept, readErr := readDocument(a)
		if readErr != nil {
			return readErr
		}
		change(&a, &kept)
		a.Document, a.UpdatedAt = kept.bytes(), d.Clock()
		err = d.Store.SaveApplication(ctx, a)
	}
	return err
}

// stop makes an application of production unknown to every endpoint.
func (d *reviewPages) stop(r *request, v reviewed) error {
	return d.finishReview(r, d.stopApplication(r.Request.Context(), r.does(), v.document), screens.NoticeStopped)
}

// stopApplication stops an application for the reason in its document. storage.ErrChanged if
// it has another version.
func (d *reviewPages) stopApplication(ctx context.Context, a act, kept document) error {
	app := a.app
	app.Review, app.Document, app.UpdatedAt = storage.ReviewRefused, kept.bytes(), d.Clock()
	err := d.inStep(ctx, func(ctx context.Context) error { return d.Store.SaveApplication(ctx, app) },
		provider.Event{Name: event.ClientStopped, ClientID: app.ClientID})
	if err != nil {
		return err
	}
	d.recordAct(ctx, a, "production.stop", changed("reason", "", kept.Review.Reason))
	d.finishStop(ctx, a, ui.MailApplicationStopped, d.path("o", a.org.ID, app.Environment, app.ClientID, "access"))
	return nil
}

// finishStop carries out a decision about one application, whose line is written, and mails its
// owners.
func (d *reviewPages) finishStop(ctx context.Context, a act, mail ui.MailKind, url string) {
	d.finishDecision(ctx, a, func(ctx context.Context) error { return d.halts.halt(provider.By(ctx, storage.Actor{}), a.app) }, mail, url)
}

// start lets an application of production run again.
func (d *reviewPages) start(r *request, v reviewed) error {
	return d.finishReview(r, d.startApplication(r.Request.Context(), r.does(), v), screens.NoticeStarted)
}

// startApplication ends the stop of an application. storage.ErrChanged if it has another
// version, storage.ErrConflict if it is the user's own, storage.ErrOrganizationStopped if its
// organization is stopped.
func (d *reviewPages) startApplication(ctx context.Context, a act, v reviewed) error {
	state := storage.ReviewApproved
	if v.client.Unreviewed {
		state = storage.ReviewNone
	}
	if v.Changes != nil {
		state = storage.ReviewAsked
	}
	v.Review.Reason, v.Review.DecidedAt = "", d.Clock()
	err := d.decideReview(ctx, a, state, v, provider.Event{Name: event.ClientStarted, ClientID: a.app.ClientID})
	if err != nil {
		return err
	}
	d.recordAct(ctx, a, "production.start", nil)
	d.finishStop(ctx, a, ui.MailApplicationStarted, d.path("o", a.org.ID, a.app.Environment, a.app.ClientID))
	return nil
}

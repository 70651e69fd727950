package developer

import (
	"context"
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// approve copies an application to production. It is claimed first, with the client ID that
// the copy has: of two operators one is told so, and when this ends in the middle it can be
// finished, and makes no second copy.
func (d *Dashboard) approve(r *request, v reviewed) error {
	if v.Live == "" {
		v.Live = newID()
	}
	v.Review.DecidedAt, v.Review.Reason = d.Clock(), ""
	err := d.saveReview(r, storage.ReviewApproved, v.document)
	if err == nil {
		err = d.copyToProduction(r, v)
	}
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, storage.ErrLimit):
		return d.renderUnfinished(r, ui.Problem{Code: ui.TooMany, Count: d.Quotas.Applications})
	case errors.As(err, &wrong): // as a scope that production does not have
		return d.renderUnfinished(r, ui.Problem{Text: wrong.Error()})
	case err != nil:
		return d.finishReview(r, err, "")
	}
	d.record(r, "production.approve", changed("client_id", "", v.Live))
	d.tellOwners(r, ui.MailApplicationApproved, d.path("o", r.org.ID, storage.Production, v.Live))
	return d.finishReview(r, nil, ui.DeveloperApproved)
}

// renderUnfinished shows an application as it is by now: approved, and not copied.
func (d *Dashboard) renderUnfinished(r *request, problem ui.Problem) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	return d.renderReview(r, v, http.StatusConflict, problem)
}

// copyToProduction makes the copy, as far as it is not there. The application is first: no
// client is ever without an organization that answers for it.
func (d *Dashboard) copyToProduction(r *request, v reviewed) error {
	ctx, now, shown := r.Request.Context(), d.Clock(), brandOf(v.client)
	err := d.Store.CreateApplication(ctx, storage.Application{
		Environment: storage.Production, ClientID: v.Live, OrganizationID: r.org.ID, Name: r.app.Name, Kind: r.app.Kind,
		Review: storage.ReviewApproved, PictureBytes: shown.bytes(),
		CreatedBy: v.Review.AskedBy, CreatedAt: now, UpdatedAt: now,
	}, d.Quotas.Applications)
	if err != nil && !errors.Is(err, storage.ErrConflict) {
		return err
	}
	// What the operator trusts in the sandbox is not trusted with real people.
	c := withoutOperators(v.client, r.app)
	c.Resources = d.resourcesIn(storage.Production, c) // by name: what is added later was not reviewed
	c.ID, c.Secret, c.Revision = v.Live, "", provider.NoRevision
	c.Unreviewed, c.Disabled = false, false
	if err := d.Provider.SaveClient(ctx, c); err != nil && !errors.Is(err, provider.ErrChanged) {
		return err
	}
	return d.edit(ctx, r.app, func(kept *document) { kept.Copied = true })
}

// edit changes what is kept about an application, whoever else changes something of it.
func (d *Dashboard) edit(ctx context.Context, a storage.Application, change func(*document)) error {
	err := storage.ErrChanged
	for errors.Is(err, storage.ErrChanged) && ctx.Err() == nil {
		if a, err = d.Store.Application(ctx, a.Environment, a.ClientID); err != nil {
			return err
		}
		kept, readErr := readDocument(a)
		if readErr != nil {
			return readErr
		}
		change(&kept)
		a.Document, a.UpdatedAt = kept.bytes(), d.Clock()
		err = d.Store.SaveApplication(ctx, a)
	}
	return err
}

// stop makes an application of production unknown to every endpoint. It is marked first: a
// member who enables it at the same moment finds the mark (setDisabled).
func (d *Dashboard) stop(r *request, v reviewed) error {
	err := d.saveReview(r, storage.ReviewRefused, v.document)
	if err == nil {
		err = d.setStopped(r, true)
	}
	if err == nil {
		d.record(r, "production.stop", changed("reason", "", v.Review.Reason))
		d.tellOwners(r, ui.MailApplicationStopped, d.path("o", r.org.ID, r.env, r.app.ClientID, "access"))
	}
	return d.finishReview(r, err, ui.DeveloperStopped)
}

// stopAgain takes an application out of use that an operator has stopped.
func (d *Dashboard) stopAgain(r *request) (bool, error) {
	now, err := d.Store.Application(r.Request.Context(), r.env, r.app.ClientID)
	if err != nil || !stopped(now) {
		return false, notFound(err)
	}
	return true, d.setStopped(r, true)
}

// start lets an application of production run again.
func (d *Dashboard) start(r *request, v reviewed) error {
	state := storage.ReviewApproved
	if v.client.Unreviewed {
		state = storage.ReviewNone
	}
	v.Review.Reason, v.Review.DecidedAt = "", d.Clock()
	err := d.saveReview(r, state, v.document)
	if err == nil {
		err = d.setStopped(r, false)
	}
	if err == nil {
		d.record(r, "production.start", nil)
		d.tellOwners(r, ui.MailApplicationStarted, d.path("o", r.org.ID, r.env, r.app.ClientID))
	}
	return d.finishReview(r, err, ui.DeveloperStarted)
}

// setStopped takes an application out of use or back, whoever else changes something of its
// registration.
func (d *Dashboard) setStopped(r *request, stopped bool) error {
	ctx := r.Request.Context()
	err := provider.ErrChanged
	for errors.Is(err, provider.ErrChanged) && ctx.Err() == nil {
		c, readErr := d.provider(r.env).Client(ctx, r.app.ClientID)
		if readErr != nil {
			return notFound(readErr)
		}
		c.Disabled = stopped
		err = d.provider(r.env).SaveClient(ctx, c)
	}
	return err
}

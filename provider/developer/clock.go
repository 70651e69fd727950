package developer

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// steps are the sizes of clock changes of an organization.
var steps = map[string]time.Duration{
	"5m": 5 * time.Minute, "1h": time.Hour, "24h": 24 * time.Hour, "168h": 7 * 24 * time.Hour, "720h": 30 * 24 * time.Hour,
}

// mostOffset limits the difference of an organization's clock from the true one.
const mostOffset = 10 * 365 * 24 * time.Hour

func (d *trialPages) showClock(r *request) error {
	settings, err := d.Store.SandboxSettings(r.Request.Context(), r.org.ID)
	if err != nil {
		return err
	}
	p, err := d.organizationPage(r, screens.SectionClock)
	if err != nil {
		return err
	}
	p.Environment = screens.Sandbox
	r.Render(http.StatusOK, screens.Clock(screens.ClockView{
		Page: p, Form: r.Form(), Now: d.Clock().Add(settings.ClockOffset), Moved: settings.ClockOffset,
		Version: strconv.FormatInt(settings.Version, 10), MayChange: r.may(developers),
	}))
	return nil
}

// changeClock moves the clock of an organization: it makes the records of its applications
// and personas older by as much.
func (d *trialPages) changeClock(r *request) error {
	ctx := r.Request.Context()
	settings, err := d.Store.SandboxSettings(ctx, r.org.ID)
	if err != nil {
		return err
	}
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	by, ok := steps[r.posted(screens.FieldStep)]
	if r.posted(ui.FieldAction) == screens.ActionReset {
		by, ok = -settings.ClockOffset, true
	}
	if !ok || settings.ClockOffset+by > mostOffset {
		return forbidden("no such step of the clock")
	}
	before := settings.ClockOffset
	settings.Version, settings.ClockOffset = version, before+by
	here := d.path("o", r.org.ID, "clock")
	// Concurrent changes fail here; from now on, only this step moves it by so much.
	switch err := d.Store.SaveSandboxSettings(ctx, settings); {
	case errors.Is(err, storage.ErrChanged):
		return r.done(here, screens.NoticeSomebodyElse)
	case err != nil:
		return notFound(err)
	}
	if err := d.elapse(r, by); err != nil {
		back := func(ctx context.Context) error { return d.moveBack(ctx, r.org.ID, by) }
		if back(context.WithoutCancel(ctx)) != nil {
			d.later(back)
		}
		return err
	}
	d.recordAct(ctx, r.does(), "clock.move", changed("offset", before.String(), settings.ClockOffset.String()))
	return r.done(here, screens.NoticeSaved)
}

// elapse makes an organization's records in the sandbox older.
func (d *trialPages) elapse(r *request, by time.Duration) error {
	clients, err := d.sandboxClients(r)
	if err != nil {
		return err
	}
	return d.Sandbox.Rooms().Sandbox.Elapse(r.Request.Context(), storage.Elapsed{
		ClientIDs: clients, UserPrefix: persona.UserID(r.org.ID, ""), By: by,
	})
}

// moveBack reverts a step that the sandbox, a database of its own, has not taken: otherwise
// the clock would differ from its records, even after a reset.
func (d *trialPages) moveBack(ctx context.Context, organization string, by time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	settings, err := d.Store.SandboxSettings(ctx, organization)
	if err != nil {
		return err
	}
	settings.ClockOffset -= by
	return d.Store.SaveSandboxSettings(ctx, settings)
}

// sandboxClients returns the client IDs of an organization in the sandbox.
func (d *trialPages) sandboxClients(r *request) ([]string, error) {
	filter := storage.ApplicationFilter{Environment: storage.Sandbox, OrganizationID: r.org.ID}
	var ids []string
	for {
		found, err := d.Store.Applications(r.Request.Context(), filter)
		if err != nil || len(found) == 0 {
			return ids, err
		}
		for _, a := range found {
			ids = append(ids, a.ClientID)
		}
		filter.AfterName, filter.After = found[len(found)-1].Name, found[len(found)-1].ClientID
	}
}

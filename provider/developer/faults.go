package developer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// faultLife is how long a fault lasts, so that a forgotten one does not become a riddle.
const faultLife = time.Hour

// inSandbox is a page of sandbox applications only.
func (d *trialPages) inSandbox(h handler) handler {
	return d.inTrials(func(r *request) error {
		if r.env != storage.Sandbox {
			return provider.ErrScreenNotFound
		}
		return h(r)
	})
}

func (d *trialPages) showFaults(r *request) error {
	f, err := d.Store.Fault(r.Request.Context(), r.app.ClientID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	p, err := d.applicationPage(r, screens.SectionFaults)
	if err != nil {
		return err
	}
	view := screens.FaultsView{Page: p, Form: r.Form(), MayChange: r.may(developers)}
	if d.Clock().Before(f.ExpiresAt) {
		view.Fault, view.Until = f.Name, f.ExpiresAt
	}
	for _, fault := range sandbox.Faults() {
		view.Faults = append(view.Faults, string(fault))
	}
	r.Render(http.StatusOK, screens.Faults(view))
	return nil
}

func (d *trialPages) changeFault(r *request) error {
	name := r.posted(screens.FieldFault)
	if name != "" && !slices.Contains(sandbox.Faults(), sandbox.Fault(name)) {
		return forbidden("no such fault")
	}
	err := d.recorded(r.Request.Context(), r.does(), "fault.set", changed("fault", "", name), func(ctx context.Context) error {
		return d.Store.SetFault(ctx, storage.Fault{ClientID: r.app.ClientID, Name: name, ExpiresAt: d.Clock().Add(faultLife)})
	})
	if err != nil {
		return notFound(err)
	}
	return r.done(d.path("o", r.org.ID, r.env, r.app.ClientID, "faults"), screens.NoticeSaved)
}

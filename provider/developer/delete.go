package developer

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showDelete asks whether to delete an application. It works without a registration, so
// that remains can be deleted, too.
func (d *appPages) showDelete(r *request) error {
	return d.renderDelete(r, http.StatusOK)
}

func (d *appPages) renderDelete(r *request, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionSettings)
	if err != nil {
		return err
	}
	r.Render(status, screens.Delete(screens.DeleteView{Page: p, Form: r.Form(problems...), Name: r.app.Name}))
	return nil
}

// deleteApplication deletes the application of a page.
func (d *appPages) deleteApplication(r *request) error {
	if r.posted(ui.FieldConfirm) != r.app.Name {
		return d.renderDelete(r, http.StatusUnprocessableEntity, ui.Problem{Code: ui.ConfirmWrong})
	}
	if err := d.remove(r.Request.Context(), r.does()); err != nil {
		return notFound(err)
	}
	return r.done(d.path("o", r.org.ID, r.env), screens.NoticeBeingDeleted)
}

// remove marks an application as being deleted, which decides it. Its client becomes unusable at
// once, and a background task (goOn), in any process, removes the rest of both, and does all of it
// after an interruption.
func (d *appPages) remove(ctx context.Context, a act) error {
	err := d.recorded(ctx, a, "application.delete", changed(ui.FieldName, a.app.Name, ""), func(ctx context.Context) error {
		return d.Store.MarkApplication(ctx, a.app.Environment, a.app.ClientID, storage.ApplicationMark{Deleting: true})
	})
	if err != nil {
		return err
	}
	d.wake()
	if err := d.provider(a.app.Environment).Clients().Delete(ctx, a.app.ClientID, 0); err != nil {
		d.Logger.WarnContext(ctx, "the client of a deleted application could not be ended yet; will retry",
			slog.String("client", a.app.ClientID), slog.Any("error", err))
	}
	return nil
}

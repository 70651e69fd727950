package developer

import (
	"context"
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showDelete asks whether to delete an application. It works without a registration, so
// that remains can be deleted, too.
func (d *Dashboard) showDelete(r *request) error {
	return d.renderDelete(r, http.StatusOK)
}

func (d *Dashboard) renderDelete(r *request, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionSettings)
	if err != nil {
		return err
	}
	r.Render(status, screens.Delete(screens.DeleteView{Page: p, Form: r.Form(problems...), Name: r.app.Name}))
	return nil
}

// deleteApplication marks the application, and then its client, which becomes unusable at
// once. A background task (goOn) removes the rest of both, even after an interruption.
func (d *Dashboard) deleteApplication(r *request) error {
	if r.posted(ui.FieldConfirm) != r.app.Name {
		return d.renderDelete(r, http.StatusUnprocessableEntity, ui.Problem{Code: ui.ConfirmWrong})
	}
	if err := d.remove(r.Request.Context(), r.does()); err != nil {
		return notFound(err)
	}
	return r.done(d.path("o", r.org.ID, r.env), screens.NoticeBeingDeleted)
}

// remove marks an application as being deleted, and deletes its client.
func (d *Dashboard) remove(ctx context.Context, a act) error {
	if err := d.Store.SetDeleting(ctx, a.app.Environment, a.app.ClientID); err != nil {
		return err
	}
	if err := d.provider(a.app.Environment).Clients().Delete(ctx, a.app.ClientID); err != nil {
		return err
	}
	d.recordAct(ctx, a, "application.delete", changed(ui.FieldName, a.app.Name, ""))
	return nil
}

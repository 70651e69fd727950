package developer

import (
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
	ctx := r.Request.Context()
	if err := d.Store.SetDeleting(ctx, r.env, r.app.ClientID); err != nil {
		return notFound(err)
	}
	if err := d.provider(r.env).Clients().Delete(ctx, r.app.ClientID); err != nil {
		return err
	}
	d.record(r, "application.delete", changed(ui.FieldName, r.app.Name, ""))
	return r.done(d.path("o", r.org.ID, r.env), screens.NoticeBeingDeleted)
}

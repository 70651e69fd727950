package selfservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showDelete explains the deletion of the account, and asks for the password.
func (p *Pages) showDelete(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error {
	return p.renderDelete(w, r, user, known, http.StatusOK)
}

func (p *Pages) renderDelete(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool, status int, problems ...ui.Problem) error {
	duties, err := p.Companions.Duties(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	if len(duties) > 0 && status == http.StatusOK && r.Method == http.MethodPost {
		status = http.StatusConflict
	}
	p.Site.Render(w, r, status, p.Site.Screens.Delete(ui.DeleteView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: user.Account.Email, Known: known,
		Duties: duties, On: p.Clock().Add(p.Grace), ExportURL: p.Site.Link("/account/export"), AccountURL: p.Site.Link("/account"),
	}))
	return nil
}

// delete schedules the account's deletion after the grace period. Its sessions and grants
// end in the same step, including this browser's session.
func (p *Pages) delete(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error {
	duties, err := p.Companions.Duties(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	if len(duties) > 0 {
		return p.renderDelete(w, r, user, known, http.StatusOK)
	}
	owner, problem, wait, err := p.checkOwner(r, user, known)
	if err != nil {
		return err
	}
	if problem.Code != "" {
		return p.renderDelete(w, r, user, known, refused(w, wait), problem)
	}
	now := p.Clock()
	owner.DeleteAt = now.Add(p.Grace)
	on := owner.Proof()
	on.Session, on.At = user.Session, now
	err = p.Audit.Step(r.Context(), func(ctx context.Context) error {
		return p.Store.SetDeletion(ctx, owner.ID, on, owner.DeleteAt, now)
	}, storage.Event{Name: event.DeletionRequested, Subject: owner.ID})
	if known && (errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrProof)) { // look again who that is
		p.Site.Redirect(w, p.Site.Link("/account/delete"))
		return nil
	}
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrProof) { // the password that was checked has changed
		return p.renderDelete(w, r, user, known, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasswordWrong})
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("set deletion: %w", err)
	}
	p.Sessions.Forget(w)
	p.NoticeMail(r, owner, ui.MailView{Kind: ui.MailDeletion, On: owner.DeleteAt})
	p.RenderDeletion(w, r, &authflow.Page{}, owner, true)
	return nil
}

package people

import (
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

func (d *Room) showProof(r *frame.Request) error { return d.renderProof(r, http.StatusOK) }

func (d *Room) renderProof(r *frame.Request, status int, problems ...ui.Problem) error {
	page, err := r.Page(screens.SectionFind)
	if err != nil {
		return err
	}
	r.Render(status, views.Proof(views.ProofView{
		Page: page, Form: r.Form(problems...), CanMail: r.Frame.Provider.Rooms().Installation().SignsUp, BackURL: r.MatterPath(),
	}))
	return nil
}

// prove sends the caller a code, or takes the one that they read out.
func (d *Room) prove(r *frame.Request) error {
	if err := r.Only(views.FieldCode); err != nil {
		return err
	}
	switch r.Action() {
	case views.ActionSend:
		err := r.Frame.Provider.Rooms().Accounts.SendCallerCode(r.Context(), r.Matter.Subject)
		return d.proved(r, err, "", screens.NoticeCodeSent, "proof")
	case views.ActionProve:
		_, _, err := r.Frame.Provider.Rooms().People.ProveCaller(r.Context(), r.Matter.ID, r.Staff.ID, r.Matter.Subject, r.Posted(views.FieldCode))
		return d.proved(r, err, views.FieldCode, screens.NoticeProved, "actions")
	}
	return frame.Malformed("no such button")
}

// proved answers after a code was sent or taken.
func (d *Room) proved(r *frame.Request, err error, field string, n screens.Notice, next string) error {
	w := views.Wrong("")
	switch {
	case err == nil:
		return r.Done(r.MatterPath(next), n)
	case errors.Is(err, audit.ErrMatter):
		return r.Done(r.Path(), screens.NoticeMatterEnded)
	case errors.Is(err, audit.ErrProof):
		w = views.WrongCode
	case errors.Is(err, room.ErrTooMany):
		w = views.WrongTooMany
	case errors.Is(err, room.ErrNoMail), errors.Is(err, room.ErrLocked), errors.Is(err, provider.ErrNoUser):
		w = views.WrongNoMail
	default:
		return err
	}
	return d.renderProof(r, http.StatusUnprocessableEntity, views.ProblemOf(r.Locale(), field, w))
}

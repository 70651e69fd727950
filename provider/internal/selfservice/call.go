package selfservice

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showCall explains the code for a call with the staff.
func (p *frame) showCall(w http.ResponseWriter, r *http.Request, _ *authflow.User) error {
	p.renderCall(w, r, http.StatusOK, "")
	return nil
}

// showCallCode shows a code to read out, in the response to the form: it is in no address and
// no history of the browser.
func (p *frame) showCallCode(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	code, wait, err := p.Callers.New(r.Context(), user.UserID, storage.SessionProof)
	if err != nil {
		return err
	}
	if wait > 0 {
		p.renderCall(w, r, web.TooMany(w, wait), "", account.Throttled(wait))
		return nil
	}
	p.renderCall(w, r, http.StatusOK, account.SpacedCode(code))
	return nil
}

func (p *frame) renderCall(w http.ResponseWriter, r *http.Request, status int, code string, problems ...ui.Problem) {
	p.Site.Render(w, r, status, p.Site.Screens.Call(ui.CallView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Code: code, ValidFor: account.CallerCodeLife, AccountURL: p.Site.Link("/account"),
	}))
}

package account

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// RenderDeletion shows the date of an account's deletion.
func (p *Pages) RenderDeletion(w http.ResponseWriter, r *http.Request, page *authflow.Page, account storage.Account, decided bool) {
	p.Site.RenderFor(w, r, page.Request(), http.StatusOK, p.Site.Screens.Deletion(ui.DeletionView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, nil),
		Email: account.Email, On: account.DeleteAt, Decided: decided,
	}))
}

package account

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// SecurityPath is the page of all ways to sign in, which also stops a recovery.
const SecurityPath = "/account/security"

// Warned returns the request of a page of an account that warns its owner of a recovery in
// progress, from which it can be stopped; the same request if there is none.
func (p *Pages) Warned(w http.ResponseWriter, r *http.Request, run storage.Recovery) *http.Request {
	if run.AccountID == "" || !p.Clock().Before(run.EndsAt) {
		return r
	}
	return web.Warned(r, &ui.Recovery{
		ReadyAt: run.ReadyAt, Form: ui.Form{Action: p.Site.Link(SecurityPath), Hidden: p.Site.Hidden(w, r)},
	})
}

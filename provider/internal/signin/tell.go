package signin

import (
	"log/slog"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// tell notifies the owner of an account of a sign-in that is out of the ordinary.
func (p *frame) tell(r *http.Request, e entry) {
	switch {
	case slices.ContainsFunc(e.presented, func(f storage.Factor) bool { return f.Method == storage.RecoveryCode }):
		p.NoticeMail(r, e.account, ui.MailView{Kind: ui.MailRecoveryCodeUsed, Left: e.codesLeft})
	case e.signUp == nil:
		p.tellNewBrowser(r, e.account)
	}
}

// tellNewBrowser notifies the owner of an account of a sign-in in a browser that the account does
// not know, unless it is the first at all. The sign-in itself cannot be undone, so a failure is
// only logged.
func (p *frame) tellNewBrowser(r *http.Request, account storage.Account) {
	if p.SendMail == nil || account.Email == "" || p.KnownDevice(r, account) != "" {
		return
	}
	signIns, err := p.Store.Events(r.Context(), storage.EventFilter{Name: event.SignedIn, Subject: account.ID, Limit: 2})
	if err != nil {
		p.Site.Logger.WarnContext(r.Context(), "user could not be notified of a new browser", slog.Any("error", err))
		return
	}
	if len(signIns) > 1 { // with this one
		p.NoticeMail(r, account, ui.MailView{Kind: ui.MailNewBrowser})
	}
}

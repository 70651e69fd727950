package selfservice

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/ui"
)

// showAccount is the start of a user's own pages.
func (p *appPages) showAccount(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	return p.renderAccount(w, r, user, http.StatusOK)
}

func (p *appPages) renderAccount(w http.ResponseWriter, r *http.Request, user *authflow.User, status int, problems ...ui.Problem) error {
	person, err := p.Claims.Person(r.Context(), user.UserID, claims.AccountHandles, nil)
	if err != nil {
		return err
	}
	view := ui.AccountView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Notice: p.Site.Noticed(r),
		Account: ui.Account{Name: person.Name(), Email: person.Text("email")}, EmailVerified: person.EmailVerified() || !p.SendsMail(), AppsURL: p.Site.Link("/account/apps"),
		GroupsURL: p.groupsURL(), WalletURL: p.Wallet(),
	}
	if p.isSomeone(user) {
		view.DataURL, view.LanguageURL, view.HistoryURL = p.Site.Link("/account/data"), p.Site.Link("/account/language"), p.Site.Link("/account/history")
		if p.HasAccounts() {
			view.SessionsURL = p.Site.Link("/account/sessions")
		}
	}
	if p.ownsAccount(user) {
		view.SecurityURL = p.Site.Link(account.SecurityPath)
		view.PasswordURL, view.ExportURL, view.DeleteURL = p.Site.Link("/account/password"), p.Site.Link("/account/export"), p.Site.Link("/account/delete")
		view.CallURL = p.Site.Link("/account/help")
		if p.SendsMail() {
			view.EmailURL = p.Site.Link("/account/email")
		}
	}
	if p.HasAccounts() || p.SignOutURL != "" {
		view.SignOutURL = p.Site.Link("/signout")
	}
	p.Site.Render(w, r, status, p.Site.Screens.AccountHome(view))
	return nil
}

package selfservice

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/ui"
)

// showAccount is the home of a user's own pages.
func (p *Pages) showAccount(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	return p.renderAccount(w, r, user, http.StatusOK)
}

func (p *Pages) renderAccount(w http.ResponseWriter, r *http.Request, user *authflow.User, status int, problems ...ui.Problem) error {
	person, err := p.Claims.Person(r.Context(), user.UserID, claims.AccountHandles, nil)
	if err != nil {
		return err
	}
	view := ui.AccountView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Notice: p.Site.Noticed(r),
		Account: ui.Account{Name: person.Name(), Email: person.Text("email")}, EmailVerified: person.EmailVerified() || !p.SendsMail(), AppsURL: p.Site.Link("/account/apps"),
		GroupsURL: p.Site.Link("/account/groups"),
	}
	if p.HasAccounts() {
		view.SessionsURL, view.PasswordURL = p.Site.Link("/account/sessions"), p.Site.Link("/account/password")
	}
	if p.HasAccounts() || p.SignOutURL != "" {
		view.SignOutURL = p.Site.Link("/signout")
	}
	p.Site.Render(w, r, status, p.Site.Screens.AccountHome(view))
	return nil
}

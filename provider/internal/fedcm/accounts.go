package fedcm

import (
	"cmp"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// showAccounts tells the browser, and no page, who can be chosen.
func (p *Pages) showAccounts(w http.ResponseWriter, r *http.Request) error {
	_, owner, ok, err := p.Sessions.OfFedCM(r.Context(), r)
	if err != nil || !ok {
		return p.nobody(w, r, err)
	}
	person, err := p.Claims.Person(r.Context(), owner.ID, claims.AccountHandles, nil)
	if err != nil {
		return err
	}
	p.Site.WriteJSON(w, r, http.StatusOK, map[string][]choice{"accounts": {{
		ID: p.AccountID(owner.ID), Name: cmp.Or(person.Name(), owner.Email), GivenName: person.Text("fname"),
		Email: owner.Email, LoginHints: []string{owner.Email},
	}}})
	return nil
}

// choice is what a browser shows of one that can be chosen.
type choice struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	GivenName  string   `json:"given_name,omitempty"`
	Email      string   `json:"email"`
	LoginHints []string `json:"login_hints"`
}

// nobody has the browser lead its user to the sign-in, unless it is not known who that is.
func (p *Pages) nobody(w http.ResponseWriter, r *http.Request, err error) error {
	if err == nil {
		session.SayLoggedOut(w)
		p.Site.WriteJSON(w, r, http.StatusUnauthorized, map[string]string{"error": "login_required"})
	}
	return err
}

// doneParameter marks the address to which a sign-in leads back.
const doneParameter = "done"

// showSignIn is where a browser leads a user who is not signed in, or who wants to use
// another account.
func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	user, err := page.User()
	switch {
	case err != nil:
		return err
	case user == nil:
		return p.Flows.SignIn(w, r, nil, p.back())
	case web.Parameter(r, doneParameter) != "":
		p.close(w, r, user)
		return nil
	}
	shown, err := p.Flows.AccountView(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	sealed, err := p.Flows.SealReturn(w, r, p.back())
	if err != nil {
		return err
	}
	form := ui.Form{Action: p.Site.Link(signInPath), Hidden: p.Site.Hidden(w, r, ui.Field{Name: web.FlowParameter, Value: sealed})}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.SelectAccount(ui.SelectAccountView{Page: p.Site.PageView(r, nil), Form: form, Account: shown}))
	return nil
}

// signIn goes on with the account that is signed in, or lets another user sign in.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	user, err := page.User()
	if err != nil {
		return err
	}
	if user == nil || r.PostForm.Get(ui.FieldAction) != ui.ActionContinue {
		return p.Flows.SwitchAccount(w, r, page)
	}
	p.close(w, r, user)
	return nil
}

// back is where a sign-in leads to that this page has asked for.
func (p *Pages) back() authflow.Return {
	return authflow.Return{Address: p.Site.Link(signInPath, doneParameter, "1")}
}

// close closes the window. A session from before the provider had second cookies gets one.
func (p *Pages) close(w http.ResponseWriter, r *http.Request, user *authflow.User) {
	p.Sessions.SendSecond(w, user.Session)
	view := ui.FedCMView{Page: p.Site.PageView(r, nil)}
	view.Languages = nil // an address with done in it would be kept
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.FedCM(view))
}

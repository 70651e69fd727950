package authflow

import (
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
)

// showSelectAccount asks whether to continue with the signed-in account.
func (e *signIns) showSelectAccount(w http.ResponseWriter, r *http.Request, p *Page) error {
	user, err := p.User()
	if err != nil {
		return err
	}
	return e.renderSelectAccount(w, r, p.Flow, user)
}

func (e *signIns) renderSelectAccount(w http.ResponseWriter, r *http.Request, f *Flow, user *User) error {
	if user == nil {
		return e.redirectBack(w, r, f)
	}
	account, err := e.AccountView(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	form := e.Site.Form(w, r, nil)
	form.Hidden = append(form.Hidden, ui.Field{Name: userField, Value: user.UserID})
	e.Site.RenderFor(w, r, f.request, http.StatusOK, e.Site.Screens.SelectAccount(ui.SelectAccountView{
		Page: e.Site.PageView(r, f.request), Form: form, Account: account,
	}))
	return nil
}

// selectAccount continues with the account that was shown, or lets another user sign in.
func (e *signIns) selectAccount(w http.ResponseWriter, r *http.Request, p *Page) error {
	if r.PostForm.Get(ui.FieldAction) != ui.ActionContinue {
		return e.SwitchAccount(w, r, p)
	}
	user, err := p.User()
	if err != nil {
		return err
	}
	if user == nil || user.UserID != r.PostForm.Get(userField) {
		return e.renderSelectAccount(w, r, p.Flow, user)
	}
	p.Flow.chosen = user.UserID
	return e.continueWith(w, r, p.Flow)
}

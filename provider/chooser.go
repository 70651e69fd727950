package provider

import (
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
)

// showChooser asks whether to go on with the account that is signed in.
func (p *Provider) showChooser(w http.ResponseWriter, r *http.Request) error {
	f, err := p.openFlow(r.Context(), r)
	if err != nil {
		return err
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if user == nil {
		p.goOn(w, r)
		return nil
	}
	account, err := p.accountView(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	p.renderFor(w, r, f.request, http.StatusOK, ui.Chooser(ui.ChooserView{
		Page: p.pageView(r, f.request), Form: p.flowForm(w, r, nil), Account: account,
	}))
	return nil
}

// choose goes on with the account shown, or lets somebody else sign in.
func (p *Provider) choose(w http.ResponseWriter, r *http.Request) error {
	f, err := p.openFlow(r.Context(), r)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) != ui.ActionContinue {
		return p.switchAccount(w, r)
	}
	f.chosen = true
	sealed, err := p.seal(w, r, f)
	if err != nil {
		return err
	}
	p.redirect(w, p.link("/oauth/authorize", flowParameter, sealed))
	return nil
}

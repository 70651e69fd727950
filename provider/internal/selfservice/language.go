package selfservice

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showLanguage asks for the language of screens and mails.
func (p *Pages) showLanguage(w http.ResponseWriter, r *http.Request, _ *authflow.User) error {
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.ChooseLanguage(ui.LanguageView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, nil), Notice: p.Site.Noticed(r),
		ByMail: p.SendsMail(), AccountURL: p.Site.Link("/account"),
	}))
	return nil
}

// chooseLanguage stores the language in the browser and in the account, if there is one.
func (p *Pages) chooseLanguage(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	chosen := r.PostForm.Get(ui.FieldLanguage)
	if !slices.ContainsFunc(p.Site.Locales.All(), func(l *ui.Locale) bool { return l.Lang == chosen }) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
	}
	if p.HasAccounts() {
		err := p.Store.SetLanguage(r.Context(), user.UserID, chosen)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return fmt.Errorf("save language: %w", err)
		}
	}
	p.Site.Cookies.Set(w, session.Language, chosen, web.DeviceLife)
	p.Site.Redirect(w, p.Site.Link("/account/language", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeLanguageSaved)))
	return nil
}

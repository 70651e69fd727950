package recovery

import (
	"cmp"
	"context"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// showRecover asks for the address of the account whose passkey or app is lost.
func (p *Pages) showRecover(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	p.renderRecover(w, r, page, p.GivenEmail(r), http.StatusOK)
	return nil
}

func (p *Pages) renderRecover(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) {
	v := screens.RecoverStartView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: email, SignInURL: p.link(r, "/signin"),
	}
	if p.GivenEmail(r) != "" {
		v.OtherURL = p.link(r, "/recover")
	}
	p.Site.RenderFor(w, r, page.Request(), status, screens.RecoverStart(v))
}

// recover mails the address a code, or the notice that it has no account; the screen is the
// same.
func (p *Pages) recover(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	email := cmp.Or(p.GivenEmail(r), r.PostForm.Get(ui.FieldEmail))
	sealed, rejected, err := p.requestCode(w, r, account.ForRecover, email)
	if err != nil {
		return err
	}
	if rejected != nil {
		p.renderRecover(w, r, page, email, rejected.Status, rejected.Problem)
		return nil
	}
	p.Site.Redirect(w, p.link(r, "/recover/code", web.CodeParameter, sealed))
	return nil
}

// showCode asks for the code.
func (p *Pages) showCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForRecover)
	if err != nil {
		return err
	}
	p.renderCode(w, r, page, c, http.StatusOK)
	return nil
}

func (p *Pages) renderCode(w http.ResponseWriter, r *http.Request, page *authflow.Page, c account.CodeRequest, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, screens.RecoverCode(screens.RecoverCodeView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: c.Email,
		ValidFor: account.CodeLife, RestartURL: p.link(r, "/recover", web.CodeParameter, p.SealGiven(w, r, c.Email)),
	}))
}

// code uses the code up and leads to what else the account asks for.
func (p *Pages) code(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForRecover)
	if err != nil {
		return err
	}
	rejected, err := p.UseCode(w, r, c, r.PostForm.Get(ui.FieldCode), func(r *http.Request, code account.Right) error {
		of, set, err := p.reader(r.Context(), code.Payload)
		if err != nil {
			return err
		}
		return p.goOn(w, r, set, of, code, "")
	})
	if rejected != nil {
		p.renderCode(w, r, page, c, rejected.Status, rejected.Problem)
	}
	return err
}

// reader returns the account whose mailbox a code was read in, and all that it signs in with.
func (p *Pages) reader(ctx context.Context, payload []byte) (of storage.Account, set standing, err error) {
	if of, err = p.Addressed(ctx, payload); err != nil {
		return of, set, err
	}
	set, err = p.stand(ctx, of.ID)
	return of, set, lapsed(err)
}

// goOn leads the reader of the mailbox, whose code it spends, to what else the account asks for.
// hash is that of the new password, if one was chosen.
func (p *Pages) goOn(w http.ResponseWriter, r *http.Request, set standing, of storage.Account, code account.Right, hash string) error {
	sealed, err := p.sealReader(w, r, of, hash)
	if err == nil {
		err = p.SpendCode(r.Context(), code)
	}
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, p.next(set), web.CodeParameter, sealed))
	return nil
}

package recovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// byCode is how a password was set with the mailbox alone, for the audit log.
const byCode = "by a code sent to the user"

// showFinish asks for the new password, when the mailbox is enough or the wait is over.
func (p *Pages) showFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	read, set, err := p.openReader(r)
	if err != nil {
		return err
	}
	if p.mustProve(w, r, read, set) {
		return nil
	}
	p.renderFinish(w, r, page, read, set, http.StatusOK)
	return nil
}

// mustProve sends a reader back who has to prove more, or to wait. It reports whether it has.
func (p *Pages) mustProve(w http.ResponseWriter, r *http.Request, read reader, set standing) bool {
	to := p.next(set)
	if read.Way != "" {
		to = finishPath
	}
	if to != finishPath {
		p.Site.Redirect(w, p.link(r, to, web.CodeParameter, web.Parameter(r, web.CodeParameter)))
	}
	return to != finishPath
}

func (p *Pages) renderFinish(
	w http.ResponseWriter, r *http.Request, page *authflow.Page, read reader, set standing, status int, problems ...ui.Problem,
) {
	v := screens.RecoverFinishView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: set.Account.Email,
		Removes: needsMore(set) && (read.Way == "" || read.Way == codeWay),
	}
	if read.Hash == "" {
		v.MinLength = p.Accounts.MinLength
	}
	p.Site.RenderFor(w, r, page.Request(), status, screens.RecoverFinish(v))
}

// finish sets the new password.
func (p *Pages) finish(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	read, set, err := p.openReader(r)
	if err != nil {
		return err
	}
	if p.mustProve(w, r, read, set) {
		return nil
	}
	chosen := r.PostForm.Get(ui.FieldNewPassword)
	if read.Hash == "" {
		if problem := p.PasswordProblem(chosen, set.Account.Email); problem.Code != "" {
			p.renderFinish(w, r, page, read, set, http.StatusUnprocessableEntity, problem)
			return nil
		}
	}
	hash, err := p.hashOf(r, read, chosen)
	if err != nil {
		return err
	}
	r, done := account.Outlasting(r)
	defer done()
	if read.Way != "" {
		return lapsed(p.rest(w, r, set, read, hash))
	}
	if !needsMore(set) {
		return lapsed(p.setPassword(w, r, set, set.Account.Proof(), hash, byCode))
	}
	how := "after the wait"
	if !set.Running.ApprovedAt.IsZero() {
		how = "approved by the host"
	}
	return lapsed(p.finishRecovery(w, r, set, set.Account.Proof(), hash, how))
}

// setPassword sets the new password, and keeps what the account has beside it.
func (p *Pages) setPassword(w http.ResponseWriter, r *http.Request, set standing, on storage.Proof, hash, by string) error {
	err := p.Audit.Step(r.Context(), func(ctx context.Context) error {
		return p.Store.SetPassword(ctx, set.Account.ID, on, hash, p.Clock())
	}, storage.Event{Name: event.PasswordChanged, Subject: set.Account.ID, Detail: by})
	if err != nil {
		return fmt.Errorf("save password: %w", err)
	}
	p.NoticeMail(r, set.Account, ui.MailView{Kind: ui.MailPasswordChanged})
	p.toSignIn(w, r, set, ui.NoticePasswordChanged)
	return nil
}

// finishRecovery sets the new password, and removes what the account has beside it.
func (p *Pages) finishRecovery(w http.ResponseWriter, r *http.Request, set standing, on storage.Proof, hash, how string) error {
	now := p.Clock()
	if on.At.IsZero() {
		on.At = now
	}
	err := p.Audit.Step(r.Context(), func(ctx context.Context) error {
		return p.Store.FinishRecovery(ctx, storage.RecoveryFinish{AccountID: set.Account.ID, PasswordHash: hash, At: now, On: on})
	}, storage.Event{Name: event.Recovered, Subject: set.Account.ID, Detail: how})
	if err != nil {
		return fmt.Errorf("finish recovery: %w", err)
	}
	p.TellRecovery(r.Context(), set.Account, ui.MailView{Kind: ui.MailRecovered, Locale: p.LocaleOf(r, set.Account)}, storage.Recovery{})
	p.toSignIn(w, r, set, ui.NoticeRecovered)
	return nil
}

// toSignIn leads to the sign-in page, with the address filled in.
func (p *Pages) toSignIn(w http.ResponseWriter, r *http.Request, set standing, notice ui.Notice) {
	p.Site.Redirect(w, p.link(r, "/signin", web.CodeParameter, p.SealGiven(w, r, set.Account.Email), web.NoticeParameter, p.Site.Notice(w, r, notice)))
}

// isSpent reports whether a factor that was right is no longer, because another request has
// used it, or the account has changed.
func isSpent(err error) bool {
	return errors.Is(err, storage.ErrProof) || errors.Is(err, storage.ErrChanged)
}

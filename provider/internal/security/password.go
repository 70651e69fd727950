package security

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// asksOld reports whether the page that changes the password asks for the old one: that is
// the highest that an account with nothing else has. Owners of other accounts authenticate
// first, with more than it.
func (o *owner) asksOld() bool { return o.has.Highest() <= storage.OneFactor && o.has.Password }

// showPassword asks for a new password.
func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request, o *owner) error {
	if !o.asksOld() {
		if sent, err := p.confirm(w, r, o); sent || err != nil {
			return err
		}
	}
	p.renderPassword(w, r, o, http.StatusOK)
	return nil
}

func (p *Pages) renderPassword(w http.ResponseWriter, r *http.Request, o *owner, status int, problems ...ui.Problem) {
	view := ui.PasswordView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: o.set.Account.Email,
		MinLength: p.Accounts.MinLength, First: !o.has.Password, Known: !o.asksOld(),
		SecurityURL: p.link(homePath), AccountURL: p.link("/account"),
	}
	if p.Party != nil && o.has.Passkey && o.has.Password {
		view.RemoveURL = p.link(removePasswordPath)
	}
	p.Site.Render(w, r, status, p.Site.Screens.Password(view))
}

// changePassword sets a new password. Every session and grant of the account ends, to lock
// out anybody who knew the old password. This browser gets a new session in the same step.
func (p *Pages) changePassword(w http.ResponseWriter, r *http.Request, o *owner) error {
	old, chosen := r.PostForm.Get(ui.FieldPassword), r.PostForm.Get(ui.FieldNewPassword)
	if !o.asksOld() {
		if sent, err := p.confirm(w, r, o); sent || err != nil {
			return err
		}
		if problem := p.PasswordProblem(chosen, o.set.Account.Email); problem.Code != "" {
			p.renderPassword(w, r, o, http.StatusUnprocessableEntity, problem)
			return nil
		}
		return p.setPassword(w, r, o, chosen, o.Factors)
	}
	if problem := p.changeProblem(old, chosen, o.set.Account.Email); problem.Code != "" {
		p.renderPassword(w, r, o, http.StatusUnprocessableEntity, problem)
		return nil
	}
	checked, wait, err := p.CheckPassword(r, o.set.Account.Email, old)
	switch {
	case err != nil:
		return err
	case wait > 0:
		p.renderPassword(w, r, o, web.TooMany(w, wait), account.Throttled(wait))
		return nil
	case checked == nil || checked.ID != o.UserID: // the address is another's now
		p.renderPassword(w, r, o, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasswordWrong})
		return nil
	}
	o.set.Account = *checked
	return p.setPassword(w, r, o, chosen, []storage.Factor{p.Flows.Password(*checked)})
}

// setPassword sets a password that was checked, and begins a session with these factors.
func (p *Pages) setPassword(w http.ResponseWriter, r *http.Request, o *owner, chosen string, factors []storage.Factor) error {
	ctx, mine := r.Context(), o.set.Account
	hash, err := p.Accounts.Hasher.Hash(ctx, password.Known, chosen)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	now := p.Clock()
	factors = slices.Clone(factors)
	for i := range factors {
		if factors[i].Method == storage.Password { // it is another one
			factors[i].Since = now
		}
	}
	begin, send := p.Sessions.New(authflow.Authentication(r, mine, factors...))
	err = p.Audit.Step(ctx, func(ctx context.Context) error {
		return p.Store.SetPassword(ctx, mine.ID, p.proof(o), hash, now, begin)
	}, byUser(event.PasswordChanged, mine.ID))
	switch {
	case errors.Is(err, storage.ErrChanged) && o.asksOld(): // the password that was checked has changed
		p.renderPassword(w, r, o, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasswordWrong})
		return nil
	case errors.Is(err, storage.ErrChanged):
		p.renderPassword(w, r, o, http.StatusUnprocessableEntity, security.Say(p.Site.Locale(r), security.Meanwhile))
		return nil
	case ended(err):
		return p.again(w, r)
	case err != nil:
		return fmt.Errorf("save password: %w", err)
	}
	send(w)
	mine.Epoch++ // which the change has begun
	p.MarkDevice(w, r, mine)
	p.NoticeMail(r, mine, ui.MailView{Kind: ui.MailPasswordChanged})
	if o.has.Password {
		p.home(w, r, security.PasswordChanged)
	} else {
		p.home(w, r, security.PasswordSet)
	}
	return nil
}

func (p *Pages) changeProblem(old, chosen, email string) ui.Problem {
	switch {
	case old == "":
		return ui.Problem{Code: ui.PasswordMissing}
	case old == chosen:
		return ui.Problem{Code: ui.PasswordUnchanged}
	default:
		return p.PasswordProblem(chosen, email)
	}
}

// showRemovePassword asks whether to remove the password.
func (p *Pages) showRemovePassword(w http.ResponseWriter, r *http.Request, o *owner) error {
	return p.renderRemovePassword(w, r, o, "")
}

func (p *Pages) renderRemovePassword(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
	if !o.has.Password {
		p.Site.Redirect(w, p.link(homePath))
		return nil
	}
	form, status := p.form(w, r, problem)
	p.Site.Render(w, r, status, security.RemovePassword(security.RemovePasswordView{
		Page: p.Site.PageView(r, nil), Form: form, BackURL: p.link(passwordPath),
	}))
	return nil
}

// removePassword removes the password of an account with passkeys. Recovery codes have to be
// there first: nothing else gets its owner in soon, if the passkeys are lost.
func (p *Pages) removePassword(w http.ResponseWriter, r *http.Request, o *owner) error {
	switch {
	case !o.has.Password:
		return p.again(w, r)
	case p.Party == nil || !o.has.Passkey:
		return p.renderRemovePassword(w, r, o, security.LastWayIn)
	case !o.has.RecoveryCodes:
		return p.renderRemovePassword(w, r, o, security.CodesFirst)
	}
	return p.change(w, r, o, change{
		do:   func(ctx context.Context, on storage.Proof) error { return p.Store.RemovePassword(ctx, o.UserID, on) },
		show: p.renderRemovePassword, event: event.PasswordRemoved, mail: ui.MailPasswordRemoved, notice: security.PasswordRemoved,
	})
}

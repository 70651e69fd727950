package selfservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Neither an unlocked browser nor a mailbox can change an account's address: this takes the
// password, the new mailbox, and the old one if it is verified. There is one code of
// sixteen digits, of which each mailbox gets half, so that nobody learns which half is
// wrong.

// showEmail asks for another address.
func (p *dataPages) showEmail(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error {
	p.renderEmail(w, r, user, known, "", http.StatusOK)
	return nil
}

func (p *dataPages) renderEmail(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool, wanted string, status int, problems ...ui.Problem) {
	p.Site.Render(w, r, status, p.Site.Screens.Email(ui.EmailView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: user.Account.Email, NewEmail: wanted,
		EmailVerified: user.Account.EmailVerified, Known: known, AccountURL: p.Site.Link("/account"),
	}))
}

// newAddress is the payload of a change of address: the account before and after.
type newAddress struct {
	AccountID string `json:"i"`
	Epoch     int64  `json:"n"`
	Email     string `json:"e"`
	Wanted    string `json:"w"`
}

// changeEmail sends the codes. It says and does the same whether another account has the
// address, whose owner gets a notice in place of a code.
func (p *dataPages) changeEmail(w http.ResponseWriter, r *http.Request, user *authflow.User, known bool) error {
	wanted := r.PostForm.Get(ui.FieldEmail)
	if problems := emailProblems(user.Account, wanted, known || r.PostForm.Get(ui.FieldPassword) != ""); len(problems) > 0 {
		p.renderEmail(w, r, user, known, wanted, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	owner, problem, wait, err := p.checkOwner(r, user, known)
	if err != nil {
		return err
	}
	if problem.Code != "" {
		p.renderEmail(w, r, user, known, wanted, refused(w, wait), problem)
		return nil
	}
	sealed, rejected, err := p.sendEmailCodes(w, r, owner, wanted)
	if rejected != nil {
		p.renderEmail(w, r, user, known, wanted, rejected.Status, rejected.Problem)
	}
	if rejected != nil || err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/account/email/codes", web.CodeParameter, sealed))
	return nil
}

// emailProblems returns the problems of the entered values, in the order of the fields.
func emailProblems(mine storage.Account, wanted string, proved bool) []ui.Problem {
	var problems []ui.Problem
	_, err := mailbox.EmailKey(wanted)
	switch {
	case wanted == "":
		problems = append(problems, ui.Problem{Code: ui.EmailMissing})
	case err != nil:
		problems = append(problems, ui.Problem{Code: ui.EmailInvalid})
	case !mailbox.HasDot(wanted):
		problems = append(problems, ui.Problem{Code: ui.EmailNoDot})
	case wanted == mine.Email:
		problems = append(problems, ui.Problem{Code: ui.EmailUnchanged})
	}
	if !proved {
		problems = append(problems, ui.Problem{Code: ui.PasswordMissing})
	}
	return problems
}

func (p *dataPages) sendEmailCodes(w http.ResponseWriter, r *http.Request, owner storage.Account, wanted string) (string, *account.Rejection, error) {
	key, err := mailbox.EmailKey(wanted)
	if err != nil {
		return "", nil, err
	}
	other, err := p.Accounts.ByEmail(r.Context(), key)
	if err != nil {
		return "", nil, err
	}
	payload, err := json.Marshal(newAddress{owner.ID, owner.Epoch, owner.Email, wanted})
	if err != nil {
		return "", nil, fmt.Errorf("encode change of address: %w", err)
	}
	if other.ID != "" && other.ID != owner.ID {
		payload = nil
	}
	c := account.CodeRequest{Purpose: account.ForEmail, Email: wanted}
	if owner.EmailVerified {
		c.Old = owner.Email
	}
	return p.NewCode(w, r, c, payload)
}

// showEmailCodes asks for the codes.
func (p *dataPages) showEmailCodes(w http.ResponseWriter, r *http.Request, _ *authflow.User) error {
	c, err := p.OpenCode(r, account.ForEmail)
	if err != nil {
		return err
	}
	p.renderEmailCodes(w, r, c, http.StatusOK)
	return nil
}

func (p *dataPages) renderEmailCodes(w http.ResponseWriter, r *http.Request, c account.CodeRequest, status int, problems ...ui.Problem) {
	p.Site.Render(w, r, status, p.Site.Screens.EmailCodes(ui.EmailCodesView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: c.Old, NewEmail: c.Email,
		ValidFor: account.CodeLife, RestartURL: p.Site.Link("/account/email"), AccountURL: p.Site.Link("/account"),
	}))
}

// confirmEmail gives the account its new address, unless the account has changed since the
// codes were sent.
func (p *dataPages) confirmEmail(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	c, err := p.OpenCode(r, account.ForEmail)
	if err != nil {
		return err
	}
	entered, old := r.PostForm.Get(ui.FieldCode), r.PostForm.Get(ui.FieldOldCode)
	if problems := codeProblems(c, entered, old); len(problems) > 0 {
		p.renderEmailCodes(w, r, c, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	rejected, err := p.UseCode(w, r, c, entered+old, func(r *http.Request, code account.Right) error {
		return p.moveAccount(w, r, user, code, time.Unix(c.Made, 0))
	})
	if rejected != nil {
		if c.Old != "" && rejected.Problem.Code == ui.CodeWrong {
			rejected.Problem.Code = ui.CodesWrong
		}
		p.renderEmailCodes(w, r, c, rejected.Status, rejected.Problem)
	}
	return err
}

func codeProblems(c account.CodeRequest, entered, old string) []ui.Problem {
	var problems []ui.Problem
	if entered == "" {
		problems = append(problems, ui.Problem{Code: ui.CodeMissing})
	}
	if c.Old != "" && old == "" {
		problems = append(problems, ui.Problem{Code: ui.CodeMissing, Field: ui.FieldOldCode})
	}
	return problems
}

// carried are the factors of the session that an account begins with its new address: those
// of the session before, and its password, if that was checked for the change.
func (p *dataPages) carried(user *authflow.User, owner storage.Account, checked time.Time) []storage.Factor {
	if assurance.Best(user.Factors).Level > storage.OneFactor || owner.PasswordHash == "" {
		return user.Factors
	}
	known := p.Flows.Password(owner)
	known.At = checked
	return []storage.Factor{known}
}

// moveAccount gives the account its new address. Every session and grant of the account
// ends: a reader of the old mailbox could have got in by it. This browser gets a new
// session in the same step, with the time of the password check. The old mailbox gets a way
// back, unless it was never verified.
func (p *dataPages) moveAccount(w http.ResponseWriter, r *http.Request, user *authflow.User, code account.Right, checked time.Time) error {
	var to newAddress
	if err := json.Unmarshal(code.Payload, &to); err != nil {
		return fmt.Errorf("decode change of address: %w", err)
	}
	owner, err := p.Addressed(r.Context(), code.Payload)
	if err != nil {
		return err
	}
	key, err := mailbox.EmailKey(to.Wanted)
	if err != nil {
		return err
	}
	if owner.ID != user.UserID { // another user has signed in meanwhile
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired}
	}
	begin, send := p.Sessions.New(authflow.Authentication(r, owner, p.carried(user, owner, checked)...))
	change := storage.EmailChange{
		AccountID: owner.ID, On: code.Spend(owner.Proof()), Email: to.Wanted, EmailKey: key, At: p.Clock(), Begin: begin,
	}
	told := ui.MailView{Kind: ui.MailEmailChanged}
	if owner.EmailVerified {
		change.ReturnUntil = change.At.Add(account.ReturnLife)
		told = ui.MailView{Kind: ui.MailEmailReturn, On: change.ReturnUntil}
		if told.ReturnURL, err = p.ReturnURL(owner, change.At); err != nil {
			return err
		}
	}
	err = p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Store.ChangeEmail(ctx, change) },
		storage.Event{Name: event.EmailChanged, Subject: owner.ID, Detail: "by the user"})
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrConflict) || errors.Is(err, storage.ErrProof) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	if err != nil {
		return fmt.Errorf("save e-mail address: %w", err)
	}
	send(w)
	p.NoticeMail(r, owner, told) // to the old one
	owner.Epoch++                // which the change has begun
	p.MarkDevice(w, r, owner)
	p.Site.Redirect(w, p.Site.Link("/account", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeEmailChanged)))
	return nil
}

package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// ErrLocked is the error for the right password of an account that is disabled.
var ErrLocked = errors.New("account: the account is locked")

// CheckPassword returns the account of an e-mail address and password, or nil, or how long
// to wait before another attempt. Time and answer are the same whether there is no such
// account, it has no password, it is disabled, or the password is wrong.
func (p *Pages) CheckPassword(r *http.Request, email, presented string) (*storage.Account, time.Duration, error) {
	account, wait, err := p.CheckSignIn(r, email, presented)
	if errors.Is(err, ErrLocked) {
		err = nil
	}
	return account, wait, err
}

// CheckSignIn is CheckPassword for the sign-in page: ErrLocked tells the owner of a disabled
// account, who would try passwords otherwise; nobody else learns that it is.
func (p *Pages) CheckSignIn(r *http.Request, email, presented string) (*storage.Account, time.Duration, error) {
	ctx := r.Context()
	key, err := mailbox.EmailKey(email)
	if err != nil {
		key = email // nobody's, but counted and hashed like any other
	}
	account, err := p.Accounts.ByEmail(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	caller := p.caller(r, key, account)
	wait, end, err := p.Limits.Try(ctx, p.Actions.SignIn, caller)
	defer end()
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	share, done := p.seats.share(caller)
	defer done()
	ok, outdated, err := p.Accounts.Hasher.Verify(ctx, share, account.PasswordHash, presented)
	if err != nil {
		return nil, 0, fmt.Errorf("verify password: %w", err)
	}
	if !ok || account.Disabled {
		p.signInFailed(ctx, account)
		if ok {
			err = ErrLocked
		}
		return nil, 0, err
	}
	p.Limits.Reset(ctx, p.Actions.SignIn, caller)
	if outdated {
		p.Accounts.Rehash(ctx, account, presented, share)
	}
	return &account, 0, nil
}

// signInFailed records a failed sign-in. Without an account it does so only once in a
// while: strangers must not make the log grow at will.
func (p *Pages) signInFailed(ctx context.Context, account storage.Account) {
	e := storage.Event{Name: event.SignInFailed, Subject: account.ID, Detail: failureReason(account)}
	if account.ID == "" {
		p.Audit.RecordOnce(ctx, e)
		return
	}
	p.Audit.Record(ctx, e)
}

// failureReason is why a password was not accepted, for the audit log only.
func failureReason(account storage.Account) string {
	switch {
	case account.ID == "":
		return "no such account"
	case account.Disabled:
		return "the account is disabled"
	default:
		return "wrong password"
	}
}

// PasswordProblem returns why a password is refused; words are further ones that it must
// not consist of.
func (p *Pages) PasswordProblem(chosen string, words ...string) ui.Problem {
	words = append(words, p.Site.Brand.Name, p.Site.Base.Hostname())
	policy := password.Policy{MinLength: p.Accounts.MinLength}
	var reason password.Reason
	if !errors.As(policy.Check(chosen, words...), &reason) {
		return ui.Problem{}
	}
	switch reason {
	case password.TooShort:
		return ui.Problem{Code: ui.PasswordTooShort, Count: p.Accounts.MinLength}
	case password.TooPersonal:
		return ui.Problem{Code: ui.PasswordContainsContext}
	case password.TooLong, password.NotText:
		return ui.Problem{Code: ui.PasswordTooLong, Count: password.MaxCharacters}
	default:
		return ui.Problem{Code: ui.PasswordCommon}
	}
}

package account

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// codeDigits is the number of digits of a code in one mail.
const codeDigits = 8

// letter is a mail with a code, or with half of one.
type letter struct {
	email string
	kind  ui.MailKind
	code  string

	// asTyped is for an address to verify in the spelling that was typed, not in that of an
	// account.
	asTyped bool
}

// letters returns the mails of a request: one, or one half of the code to each of two
// addresses.
func (c CodeRequest) letters() []letter {
	first := letter{c.Email, c.mail(), c.Code[:codeDigits], c.Purpose == ForEmail && c.Void == 0}
	if c.Old == "" {
		return []letter{first}
	}
	return []letter{first, {c.Old, ui.MailOldEmail, c.Code[codeDigits:], false}}
}

// mail is the type of the mail with the code.
func (c CodeRequest) mail() ui.MailKind {
	switch {
	case c.Purpose == ForVerify, c.Purpose == ForConnect:
		return ui.MailVerifyEmail
	case c.Purpose == ForEmail && c.Void == 0:
		return ui.MailNewEmail
	case c.Purpose == ForEmail:
		return ui.MailEmailTaken
	case c.Purpose == ForSignUp && c.Void == 0:
		return ui.MailSignUp
	case c.Purpose == ForSignUp:
		return ui.MailAccountExists
	case c.Purpose == ForRecover && c.Void == 0:
		return ui.MailRecoveryCode
	case c.Void == 0:
		return ui.MailResetPassword
	default:
		return ui.MailNoAccount
	}
}

// sendLetters sends the mails of a request, or says why one cannot be delivered: the same whether
// or not its address has an account. Unsent mails do not use up a reader's limit.
func (p *Pages) sendLetters(r *http.Request, c CodeRequest, counted time.Time) (*Rejection, error) {
	letters := c.letters()
	for i, l := range letters {
		err := p.send(r, l)
		if err == nil {
			continue
		}
		if MayBeSent(err) {
			i++
		}
		p.notSent(r, letters[i:], counted)
		if !errors.Is(err, host.ErrRecipientRefused) {
			return nil, err
		}
		p.logRefused(r.Context(), l.kind, err)
		if l.kind == ui.MailOldEmail {
			return wrong(ui.OldEmailUndeliverable), nil
		}
		rejected := wrong(ui.EmailUndeliverable)
		if c.Purpose != ForVerify { // whose page has no field for it
			rejected.Problem.Field = ui.FieldEmail
		}
		return rejected, nil
	}
	return nil, nil
}

func (p *Pages) send(r *http.Request, l letter) error {
	to, locale := l.email, p.Site.Locale(r)
	if !l.asTyped {
		var err error
		var of storage.Account
		if to, locale, of, err = p.recipient(r, l.email); err != nil {
			return err
		}
		if l.kind == ui.MailNoAccount && of.Disabled { // the screens tell nobody, but whoever reads the mailbox is the owner
			l.kind = ui.MailAccountLocked
		}
	}
	return p.MailTo(r.Context(), to, ui.MailView{Kind: l.kind, Locale: locale, Code: l.code, ValidFor: CodeLife})
}

// MayBeSent reports whether a mail may have been sent although the mailer failed, because
// it timed out. Otherwise anybody could flood a mailbox behind a mail server that accepts
// mails but confirms them slowly, or by disconnecting early.
func MayBeSent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// mayMail counts each of these mails, or none, and returns the wait before they may be sent, so
// that nobody's mailbox can be flooded from here.
func (p *Pages) mayMail(r *http.Request, letters []letter) (time.Duration, error) {
	var counted []ratelimit.Key
	for _, l := range letters {
		key, err := mailbox.EmailKey(l.email)
		if err != nil {
			return 0, err
		}
		account, err := p.Accounts.ByEmail(r.Context(), key)
		if err != nil {
			return 0, err
		}
		by := p.MailCaller(r, key, account)
		wait, err := p.Limits.Allow(r.Context(), p.Actions.SendMail, by)
		if err != nil {
			return 0, err
		}
		if wait > 0 {
			for _, by := range counted {
				p.Limits.GiveBack(r.Context(), p.Actions.SendMail, by)
			}
			return wait, nil
		}
		counted = append(counted, by)
	}
	return 0, nil
}

// notSent gives the recipients of unsent mails back what mayMail has counted, less what has
// drained since. It gives nothing back to the requesting network, which could otherwise
// keep the mailer busy with an address that the server refuses; a known device is counted
// by its network now.
func (p *Pages) notSent(r *http.Request, letters []letter, counted time.Time) {
	ctx := r.Context()
	for _, l := range letters {
		key, err := mailbox.EmailKey(l.email)
		if err != nil {
			continue
		}
		account, err := p.Accounts.ByEmail(ctx, key)
		if err != nil {
			continue // then the database fails, and the limits with it
		}
		by := p.MailCaller(r, key, account)
		by.At = counted
		if by.Device != "" {
			wait, err := p.Limits.Allow(ctx, p.Actions.SendMail, ratelimit.Key{At: by.At})
			if err != nil || wait > 0 {
				continue
			}
		}
		p.Limits.GiveBack(ctx, p.Actions.SendMail, by)
	}
}

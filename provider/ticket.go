package provider

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// ticket is a task that waits for a code that was sent by e-mail: to finish a new
// account, to verify an address, or to choose a new password. The browser carries
// it sealed; the store holds the code's digest with the task, once. Where there is
// nothing to do, as when somebody signs up with an address that has an account, the
// browser carries a ticket all the same, and no code will ever fit.
type ticket struct {
	ID      []byte  `json:"i"`
	Purpose purpose `json:"p"`
	Email   string  `json:"e"`
	Code    string  `json:"c"`
	Browser []byte  `json:"b"`
	Made    int64   `json:"t"`

	// Void is 1 when there is nothing to do, else 0. Like every other field it is
	// as long either way, because the length of what is sealed can be seen.
	Void int `json:"v"`
}

// mail is what the mail of a ticket says.
func (t ticket) mail() ui.MailKind {
	switch {
	case t.Purpose == forVerify:
		return ui.MailVerifyEmail
	case t.Purpose == forSignUp && t.Void == 0:
		return ui.MailSignUp
	case t.Purpose == forSignUp:
		return ui.MailAccountExists
	case t.Void == 0:
		return ui.MailResetPassword
	default:
		return ui.MailNoAccount
	}
}

// purpose is what a code is good for.
type purpose string

const (
	forSignUp purpose = "sign_up"
	forReset  purpose = "reset"
	forVerify purpose = "verify"
)

// codeLife is how long a code can be used. Six digits with five attempts at each
// code leave a chance of one in 200,000.
const codeLife = 15 * time.Minute

// ticketParameter carries the sealed ticket in addresses and forms.
const ticketParameter = "ticket"

func (p *Provider) sealTicketPurpose() string { return "ticket " + p.issuer }

// newTicket makes a ticket, with a code when there is a task, stores the task,
// sends the mail, and returns the ticket sealed. Both cases do the same work.
func (p *Provider) newTicket(w http.ResponseWriter, r *http.Request, t ticket, task []byte) (string, error) {
	t.ID = make([]byte, 16)
	_, _ = rand.Read(t.ID) // never fails: the program stops when there is no randomness
	browser := sha256.Sum256([]byte(p.browser(w, r)))
	t.Browser, t.Made = browser[:], p.cfg.Clock().Unix()
	t.Code = newCode()
	code := t.Code
	if task == nil {
		t.Void, code, task = 1, rand.Text(), []byte("-")
	}
	err := p.cfg.Store.SaveTicket(r.Context(), storage.Ticket{
		Digest: p.codeDigest(t, code), Purpose: string(t.Purpose), Subject: hex.EncodeToString(t.ID),
		Payload: p.secrets.Seal(p.sealTicketPurpose(), task), ExpiresAt: p.cfg.Clock().Add(codeLife),
	})
	if err != nil {
		return "", fmt.Errorf("save ticket: %w", err)
	}
	if err := p.sendCode(r, t); err != nil {
		return "", err
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("encode ticket: %w", err)
	}
	return p.secrets.SealString(p.sealTicketPurpose(), plain), nil
}

// newCode returns six random digits.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil { // the program stops when there is no randomness
		panic(err)
	}
	return fmt.Sprintf("%06d", n)
}

// codeDigest names a code of a ticket. It is keyed, because six digits are quickly
// tried by who reads the database.
func (p *Provider) codeDigest(t ticket, code string) storage.Digest {
	return p.secrets.MAC("code "+p.issuer, []byte(t.Purpose), t.ID, []byte(code))
}

// openTicket returns the ticket that a page or form carries.
func (p *Provider) openTicket(r *http.Request, want purpose) (ticket, error) {
	plain, err := p.secrets.OpenString(p.sealTicketPurpose(), parameter(r, ticketParameter))
	if err != nil {
		return ticket{}, &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: err}
	}
	var t ticket
	if err := json.Unmarshal(plain, &t); err != nil {
		return ticket{}, fmt.Errorf("decode ticket: %w", err)
	}
	browser := sha256.Sum256([]byte(p.cookies.Get(r, session.Browser)))
	switch {
	case subtle.ConstantTimeCompare(browser[:], t.Browser) != 1:
		return ticket{}, &pageError{status: http.StatusBadRequest, code: ui.ErrorBrowser, cause: errors.New("ticket of another browser")}
	case t.Purpose != want:
		return ticket{}, &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: errors.New("ticket for another purpose")}
	}
	return t, nil
}

// redeem returns the task of a ticket when the code is right, or what is wrong. A
// code can be used once.
func (p *Provider) redeem(w http.ResponseWriter, r *http.Request, t ticket, code string) (task []byte, problem ui.Problem, status int, err error) {
	ctx := r.Context()
	code = digitsOf(code)
	if code == "" {
		return nil, ui.Problem{Code: ui.CodeMissing}, http.StatusUnprocessableEntity, nil
	}
	wait, err := p.attempt(ctx, throttle.EnterCode, p.caller(r, hex.EncodeToString(t.ID)))
	if err != nil {
		return nil, ui.Problem{}, 0, err
	}
	if wait > 0 {
		return nil, throttled(wait), tooMany(w, wait), nil
	}
	stored, err := p.cfg.Store.RedeemTicket(ctx, string(t.Purpose), p.codeDigest(t, code), p.cfg.Clock())
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ui.Problem{Code: ui.CodeWrong}, http.StatusUnprocessableEntity, nil
	}
	if err != nil {
		return nil, ui.Problem{}, 0, fmt.Errorf("redeem ticket: %w", err)
	}
	task, err = p.secrets.Open(p.sealTicketPurpose(), stored.Payload)
	return task, ui.Problem{}, 0, err
}

// usedUp returns the request for what a code has been used up for. That is carried
// out even when the browser leaves now: the code would be gone for nothing.
func usedUp(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), requestTimeout)
	return r.WithContext(ctx), cancel
}

// digitsOf drops the spaces that people and mail programs put into codes.
func digitsOf(code string) string {
	digits := make([]rune, 0, len(code))
	for _, c := range code {
		switch {
		case '0' <= c && c <= '9':
			digits = append(digits, c)
		case c == ' ' || c == '-' || c == '\u00a0':
		default:
			return truncate(code, 16) // not a code, and counted as a wrong one
		}
	}
	return truncate(string(digits), 16)
}

// sendCode sends the mail of a ticket.
func (p *Provider) sendCode(r *http.Request, t ticket) error {
	to, err := p.recipient(r.Context(), t.Email)
	if err != nil {
		return err
	}
	return p.sendMail(r, to, ui.MailView{Kind: t.mail(), Code: t.Code, ValidFor: codeLife})
}

// recipient returns the address that mail about a typed one goes to: as its account
// has it, where there is one. Spellings that are one to us can be mailboxes of
// different people, and a code for alİce@example.com must not leave alice's
// account to a stranger.
func (p *Provider) recipient(ctx context.Context, typed string) (string, error) {
	key, err := emailKey(typed)
	if err != nil {
		return "", err
	}
	account, err := p.cfg.Store.AccountByEmail(ctx, key)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return typed, nil
	case err != nil:
		return "", fmt.Errorf("read account: %w", err)
	default:
		return account.Email, nil
	}
}

// addressee is the task of a ticket that is about an account: which one, and the
// address that its code was sent to.
type addressee struct {
	AccountID string `json:"i"`
	Email     string `json:"e"`
}

func taskFor(account storage.Account) ([]byte, error) {
	task, err := json.Marshal(addressee{account.ID, account.Email})
	if err != nil {
		return nil, fmt.Errorf("encode task: %w", err)
	}
	return task, nil
}

// addressed returns the account that a task is about, unless it is gone, locked or
// has got another address since: who reads the old mailbox has no say in it any
// more.
func (p *Provider) addressed(ctx context.Context, task []byte) (storage.Account, error) {
	var a addressee
	if err := json.Unmarshal(task, &a); err != nil {
		return storage.Account{}, fmt.Errorf("decode task: %w", err)
	}
	account, err := p.cfg.Store.Account(ctx, a.AccountID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && (account.Disabled || account.Email != a.Email) {
		return storage.Account{}, &pageError{status: http.StatusBadRequest, code: ui.ErrorExpired}
	}
	if err != nil {
		return storage.Account{}, fmt.Errorf("read account: %w", err)
	}
	return account, nil
}

// sendMail writes a mail and hands it to the mailer.
func (p *Provider) sendMail(r *http.Request, to string, v ui.MailView) error {
	v.Locale, v.Brand, v.Time = p.locale(r, nil), p.cfg.Brand.Name, p.cfg.Clock()
	v.SignInURL, v.SignUpURL, v.ResetURL = p.cfg.BaseURL+"/signin", p.cfg.BaseURL+"/signup", p.cfg.BaseURL+"/reset"
	composed := ui.Compose(v)
	_, err := callHost(r.Context(), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, p.cfg.Mailer.Send(ctx, Mail{To: to, Subject: composed.Subject, Text: composed.Body})
	})
	if err != nil {
		return fmt.Errorf("%w: send mail: %w", errHost, err)
	}
	return nil
}

// mayMail reports whether another mail may go to an address now, or how long to
// wait: nobody's mailbox can be flooded from here.
func (p *Provider) mayMail(r *http.Request, key string) (time.Duration, error) {
	return p.attempt(r.Context(), throttle.SendMail, p.caller(r, key))
}

// noticeMail sends a mail that tells of something that has happened. It cannot undo
// it, so a failure is only logged.
func (p *Provider) noticeMail(r *http.Request, to string, v ui.MailView) {
	if p.cfg.Mailer == nil || to == "" {
		return
	}
	// Nobody keeps it from its reader by leaving.
	r = r.WithContext(context.WithoutCancel(r.Context()))
	if err := p.sendMail(r, to, v); err != nil {
		p.logFailure(r, http.StatusServiceUnavailable, err)
	}
}

// drawCode asks for the code of a ticket.
func (p *Provider) drawCode(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, t ticket, back string, status int, notice ui.Notice, problems ...ui.Problem) {
	kind := ui.CodeSignUp
	if t.Purpose == forVerify {
		kind = ui.CodeVerifyEmail
	}
	p.renderFor(w, r, request, status, ui.Code(ui.CodeView{
		Page: p.pageView(r, request), Form: p.flowForm(w, r, problems), Notice: notice,
		Purpose: kind, Email: t.Email, ValidFor: codeLife, BackURL: back,
	}))
}

// resendCode sends the mail of a ticket again and asks for its code.
func (p *Provider) resendCode(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, t ticket, back string) error {
	key, err := emailKey(t.Email)
	if err != nil {
		return err
	}
	wait, err := p.mayMail(r, key)
	if err != nil {
		return err
	}
	if wait > 0 {
		p.drawCode(w, r, request, t, back, tooMany(w, wait), "", throttled(wait))
		return nil
	}
	if err := p.sendCode(r, t); err != nil {
		return err
	}
	p.drawCode(w, r, request, t, back, http.StatusOK, ui.NoticeCodeSent)
	return nil
}

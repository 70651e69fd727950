package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// CodeRequest asks for a mailed one-time code: to finish a new account, to verify an
// address, to change it, or to choose a new password. The browser carries it sealed; the
// store has the code's digest with the payload, once. If there is nothing to do, as for a
// sign-up with an address that has an account, the browser carries one all the same, and no
// code is ever right.
type CodeRequest struct {
	ID      []byte  `json:"i"`
	Purpose Purpose `json:"p"`
	Email   string  `json:"e"`
	Code    string  `json:"c"`
	Browser []byte  `json:"b"`

	// Old is the verified address of an account whose address is to change: then Code has
	// sixteen digits, and the last eight go there.
	Old string `json:"o,omitempty"`

	Made int64 `json:"t"`

	// Void is 1 if there is nothing to do, else 0. Like every other field it has a fixed
	// length, because the length of sealed data is visible.
	Void int `json:"v"`
}

// Purpose is the use of a code.
type Purpose string

// The purposes of codes.
const (
	ForSignUp  Purpose = "sign_up"
	ForReset   Purpose = "reset"
	ForRecover Purpose = "recover"
	ForVerify  Purpose = "verify"
	ForEmail   Purpose = "email"

	// ForConnect proves the address that an upstream provider says of somebody.
	ForConnect Purpose = "connect"
)

// CodeLife is how long a code is valid. ratelimit.SendMail has the number of guesses at
// eight digits.
const CodeLife = 15 * time.Minute

func (p *Pages) sealCodePurpose() string { return "ticket " + p.Site.Issuer }

// NewCode makes a code if there is a payload, stores it, sends the mail, and returns the
// sealed request for the code; or says why not: after too many mails, or if none can be delivered
// to the address. Without a payload it does the same work.
func (p *Pages) NewCode(w http.ResponseWriter, r *http.Request, c CodeRequest, payload []byte) (sealed string, rejected *Rejection, err error) {
	c.ID = make([]byte, 16)
	random.Fill(c.ID)
	browser := sha256.Sum256([]byte(p.Site.Browser(w, r)))
	now := p.Clock()
	c.Browser, c.Made = browser[:], now.Unix()
	c.Code = newDigits()
	if c.Old != "" {
		c.Code += newDigits()
	}
	if payload == nil {
		c.Void, payload = 1, []byte("-")
	}
	wait, err := p.mayMail(r, c.letters())
	if err != nil {
		return "", nil, err
	}
	if wait > 0 {
		return "", tooMany(w, wait), nil
	}
	err = p.Store.SaveOneTimeCode(r.Context(), storage.OneTimeCode{
		Digest: p.codeDigest(c, c.kept()), Purpose: string(c.Purpose), Subject: hex.EncodeToString(c.ID),
		Payload: p.Site.Secrets.Seal(p.sealCodePurpose(), payload), ExpiresAt: now.Add(CodeLife),
	})
	if err != nil {
		p.notSent(r, c.letters(), now)
		return "", nil, fmt.Errorf("save code: %w", err)
	}
	if rejected, err := p.sendLetters(r, c, now); rejected != nil || err != nil {
		return "", rejected, err
	}
	plain, err := json.Marshal(c)
	if err != nil {
		return "", nil, fmt.Errorf("encode code: %w", err)
	}
	return p.Site.Secrets.SealString(p.sealCodePurpose(), plain), nil, nil
}

// kept is the value whose digest the store has: the code, or, if there is nothing to do, a
// value too long to enter. Either exists once, so that the fate of an old request does not
// reveal which it is.
func (c CodeRequest) kept() string {
	if c.Void == 1 {
		return "there is nothing to do: " + c.Code
	}
	return c.Code
}

// newDigits returns eight random digits.
func newDigits() string {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil { // the program stops without randomness
		panic(err)
	}
	return fmt.Sprintf("%08d", n)
}

// codeDigest names a code in the store. It is keyed, because a reader of the database could
// soon try all eight digits.
func (p *Pages) codeDigest(c CodeRequest, code string) storage.Digest {
	return p.Site.Secrets.MAC("code "+p.Site.Issuer, []byte(c.Purpose), c.ID, []byte(code))
}

// OpenCode returns the code request of a page or form.
func (p *Pages) OpenCode(r *http.Request, want Purpose) (CodeRequest, error) {
	plain, err := p.Site.Secrets.OpenString(p.sealCodePurpose(), web.Parameter(r, web.CodeParameter))
	if err != nil {
		return CodeRequest{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	var c CodeRequest
	if err := json.Unmarshal(plain, &c); err != nil {
		return CodeRequest{}, fmt.Errorf("decode code: %w", err)
	}
	browser := sha256.Sum256([]byte(p.Site.Cookies.Get(r, session.Browser)))
	switch {
	case subtle.ConstantTimeCompare(browser[:], c.Browser) != 1:
		return CodeRequest{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorBrowser, Cause: errors.New("code of another browser")}
	case c.Purpose != want:
		return CodeRequest{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: errors.New("code for another purpose")}
	}
	return c, nil
}

// Rejection is the reason why a code was not accepted, or not sent, for the page.
type Rejection struct {
	Problem ui.Problem
	Status  int

	// Wait is how long to wait before another attempt; zero if that would not help.
	Wait time.Duration
}

// tooMany rejects an attempt after too many, and has the response say how long to wait.
func tooMany(w http.ResponseWriter, wait time.Duration) *Rejection {
	return &Rejection{Throttled(wait), web.TooMany(w, wait), wait}
}

// wrong rejects what was entered.
func wrong(code ui.ProblemCode) *Rejection {
	return &Rejection{Problem: ui.Problem{Code: code}, Status: http.StatusUnprocessableEntity}
}

// Right is a mailed code that was right. It is good once: until the write that it is for.
type Right struct {
	Payload []byte

	use storage.OneTimeCode
	at  time.Time
}

// Spend adds the code to a proof.
func (c Right) Spend(on storage.Proof) storage.Proof {
	on.OneTimeCode, on.At = c.use.Digest, c.at
	return on
}

// UseCode has use do what a code is for, or says why the code is rejected. The write that does it
// spends the code ([Right.Spend], or [Pages.SpendCode] where nothing else is written), so that
// the same form leads to the end after a failure of the store, which is no wrong guess either.
// Neither does a browser that disconnects stop the work.
func (p *Pages) UseCode(w http.ResponseWriter, r *http.Request, c CodeRequest, entered string, use func(r *http.Request, code Right) error) (*Rejection, error) {
	entered = Digits(entered)
	if entered == "" {
		return wrong(ui.CodeMissing), nil
	}
	by, err := p.codeCaller(r, c)
	if err != nil {
		return nil, err
	}
	wait, err := p.Limits.Allow(r.Context(), p.Actions.EnterCode, by)
	if err != nil {
		return nil, err
	}
	if wait > 0 && p.Clock().Add(wait).After(time.Unix(c.Made, 0).Add(CodeLife)) { // its tries are used up: only a new one helps
		return &Rejection{Problem: ui.Problem{Code: ui.CodeWrong}, Status: http.StatusTooManyRequests}, nil
	}
	if wait > 0 {
		return tooMany(w, wait), nil
	}
	r, done := Outlasting(r)
	defer done()
	code, err := p.right(r.Context(), c, entered)
	if errors.Is(err, storage.ErrNotFound) {
		return wrong(ui.CodeWrong), nil
	}
	if err == nil {
		err = use(r, code)
	}
	var refused *web.PageError
	switch {
	case err == nil:
		p.Limits.Reset(r.Context(), p.Actions.EnterCode, by)
	case !errors.As(err, &refused):
		p.Limits.GiveBack(r.Context(), p.Actions.EnterCode, by)
	}
	return nil, err
}

// right returns the code that was entered. storage.ErrNotFound if it is wrong.
func (p *Pages) right(ctx context.Context, c CodeRequest, entered string) (code Right, err error) {
	code.at = p.Clock()
	if code.use, err = p.Store.OneTimeCode(ctx, string(c.Purpose), p.codeDigest(c, entered), code.at); err != nil {
		return Right{}, fmt.Errorf("verify code: %w", err)
	}
	code.Payload, err = p.Site.Secrets.Open(p.sealCodePurpose(), code.use.Payload)
	return code, err
}

// SpendCode spends a code that leads to another page, as the last step before that.
func (p *Pages) SpendCode(ctx context.Context, c Right) error {
	_, err := p.Store.UseOneTimeCode(ctx, c.use.Purpose, c.use.Digest, c.at)
	if err != nil {
		return orExpired(fmt.Errorf("spend code: %w", err))
	}
	return nil
}

// orExpired returns the page for a code that another request has used, or any other error.
func orExpired(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	return err
}

// Outlasting returns the request to continue with when the work completes even if the browser
// disconnects.
func Outlasting(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), request.Timeout)
	return r.WithContext(ctx), cancel
}

// Digits drops spaces that people and mail programs put into codes.
func Digits(code string) string {
	digits := make([]rune, 0, len(code))
	for _, c := range code {
		switch {
		case '0' <= c && c <= '9':
			digits = append(digits, c)
		case c == ' ' || c == '-' || c == '\u00a0':
		default:
			return web.Truncate(code, 16) // not a code, and counted as a wrong one
		}
	}
	return web.Truncate(string(digits), 16)
}

// CodePage is the page that asks for a code.
type CodePage struct {
	Request *engine.AuthorizeRequest // nil for a page without a flow
	Code    CodeRequest
	Path    string // of the page itself
	Back    string

	// Able is the name of a field that says whether the browser can create a passkey; empty
	// for none.
	Able string
}

// RenderCode shows the page that asks for a code.
func (p *Pages) RenderCode(w http.ResponseWriter, r *http.Request, page CodePage, status int, notice ui.Notice, problems ...ui.Problem) {
	kind := ui.CodeSignUp
	if page.Code.Purpose == ForVerify || page.Code.Purpose == ForConnect {
		kind = ui.CodeVerifyEmail
	}
	p.Site.RenderFor(w, r, page.Request, status, p.Site.Screens.Code(ui.CodeView{
		Page: p.Site.PageView(r, page.Request), Form: p.Site.Form(w, r, problems), Notice: notice,
		Purpose: kind, Email: page.Code.Email, ValidFor: CodeLife, Able: page.Able, BackURL: page.Back,
	}))
}

// resendAfter is the wait before another code can be requested.
const resendAfter = 30 * time.Second

// ResendCode replaces a code, which becomes invalid, by a new one, and asks for it.
func (p *Pages) ResendCode(w http.ResponseWriter, r *http.Request, page CodePage) error {
	if wait := time.Unix(page.Code.Made, 0).Add(resendAfter).Sub(p.Clock()); wait > 0 {
		problem := ui.Problem{Code: ui.CodeTooSoon, Count: int(math.Ceil(wait.Seconds()))}
		p.RenderCode(w, r, page, web.TooMany(w, wait), "", problem)
		return nil
	}
	r, done := Outlasting(r)
	defer done()
	former, err := p.right(r.Context(), page.Code, page.Code.kept())
	if err != nil {
		return orExpired(err)
	}
	payload := former.Payload
	if page.Code.Void == 1 {
		payload = nil
	}
	sealed, rejected, err := p.NewCode(w, r, CodeRequest{Purpose: page.Code.Purpose, Email: page.Code.Email}, payload)
	if rejected != nil {
		rejected.Problem.Field = "" // that of another page
		p.RenderCode(w, r, page, rejected.Status, "", rejected.Problem)
	}
	if rejected != nil || err != nil {
		return err // the former code stays valid, and another can be requested
	}
	if err := p.SpendCode(r.Context(), former); err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link(page.Path, web.FlowParameter, web.Parameter(r, web.FlowParameter),
		web.CodeParameter, sealed, web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeCodeSent)))
	return nil
}

package security

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// showCodes asks whether to make new recovery codes.
func (p *factorPages) showCodes(w http.ResponseWriter, r *http.Request, o *owner) error {
	return p.renderCodes(w, r, o, "")
}

func (p *factorPages) renderCodes(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
	if !o.has.TOTP && !o.has.Passkey { // there is nothing to recover
		p.Site.Redirect(w, p.link(homePath))
		return nil
	}
	form, status := p.form(w, r, problem)
	p.Site.Render(w, r, status, security.Codes(security.CodesView{
		Page: p.Site.PageView(r, nil), Form: form, Left: len(o.set.Recovery.Digests), BackURL: p.link(homePath),
	}))
	return nil
}

// makeCodes replaces the recovery codes, and shows the new ones.
func (p *factorPages) makeCodes(w http.ResponseWriter, r *http.Request, o *owner) error {
	if !o.has.TOTP && !o.has.Passkey {
		return p.again(w, r)
	}
	codes := factor.NewRecoveryCodes()
	record, err := p.record(codes)
	if err != nil {
		return err
	}
	return p.change(w, r, o, change{
		do: func(ctx context.Context, on storage.Proof) error {
			return p.Store.SetRecoveryCodes(ctx, o.UserID, record, on)
		},
		show: p.renderCodes, event: event.RecoveryCodesMade, mail: ui.MailRecoveryCodesMade, codes: codes,
	})
}

// record returns the record of recovery codes; the zero one of none.
func (p *factorPages) record(codes []string) (storage.RecoveryCodes, error) {
	if len(codes) == 0 {
		return storage.RecoveryCodes{}, nil
	}
	set, err := factor.RecoverySet(codes)
	set.CreatedAt = p.Clock()
	return set, err
}

// shown are recovery codes on the one page that shows them. They travel sealed, so that the
// page can offer them as a file without script, and nothing keeps them.
type shown struct {
	Codes   []string `json:"c"`
	Browser []byte   `json:"b"`
	Made    int64    `json:"t"`
	Lang    string   `json:"l"`
}

// shownLife is how long the file can be downloaded.
const shownLife = 15 * time.Minute

func (p *frame) codesPurpose() string { return "recovery codes " + p.Site.Issuer }

func (p *frame) showNewCodes(w http.ResponseWriter, r *http.Request, o *owner, codes []string, n security.Notice, next string) error {
	return p.renderNewCodes(w, r, o.page.Request(), codes, n, next)
}

// ShowCodes shows the recovery codes of a new account, once, and then leads on. The request
// may be nil.
func (p *factorPages) ShowCodes(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, codes []string, next string) error {
	return p.renderNewCodes(w, r, request, codes, "", next)
}

func (p *frame) renderNewCodes(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, codes []string, n security.Notice, next string) error {
	browser := sha256.Sum256([]byte(p.Site.Browser(w, r)))
	plain, err := json.Marshal(shown{codes, browser[:], p.Clock().Unix(), p.Site.Locale(r).Lang})
	if err != nil {
		return fmt.Errorf("encode recovery codes: %w", err)
	}
	form := ui.Form{Action: p.link(codesFilePath), Hidden: p.Site.Hidden(w, r)}
	p.Site.RenderFor(w, r, request, http.StatusOK, security.NewCodes(security.NewCodesView{
		Page: p.Site.PageView(r, request), Form: form, Notice: n, Codes: codes,
		Sealed: p.Site.Secrets.SealString(p.codesPurpose(), plain), ContinueURL: next,
	}))
	return nil
}

// codesFile responds with the codes of the page as a file.
func (p *factorPages) codesFile(w http.ResponseWriter, r *http.Request, o *owner) error {
	s, ok := p.openShown(r)
	if !ok {
		return p.again(w, r)
	}
	file := security.CodesFile(p.Site.Remembered(s.Lang), p.Site.Brand.Name, o.set.Account.Email, s.Codes, time.Unix(s.Made, 0).UTC())
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="recovery-codes.txt"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write([]byte(file)) // plain text, of which no browser makes a page
	return nil
}

// openShown returns the codes of a form; false if they were shown in another browser, or too
// long ago.
func (p *factorPages) openShown(r *http.Request) (s shown, ok bool) {
	plain, err := p.Site.Secrets.OpenString(p.codesPurpose(), r.PostForm.Get(security.FieldCodes))
	if err != nil || json.Unmarshal(plain, &s) != nil {
		return shown{}, false
	}
	browser := sha256.Sum256([]byte(p.Site.Cookies.Get(r, session.Browser)))
	return s, subtle.ConstantTimeCompare(browser[:], s.Browser) == 1 && clock.Within(p.Clock(), time.Unix(s.Made, 0), shownLife)
}

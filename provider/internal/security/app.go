package security

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// setUp is an app that is being set up. It travels sealed: until its owner has entered a code
// of it, nothing is recorded. That it was made on a page which only a fresh owner gets, in
// the same session, is why its form need not ask again: finding an app takes a while.
type setUp struct {
	Key     []byte `json:"k"`
	Session []byte `json:"s"`
	Made    int64  `json:"t"`
}

// setUpLife is how long setting up an app may take.
const setUpLife = 15 * time.Minute

func (p *factorPages) setUpPurpose() string { return "app secret " + p.Site.Issuer }

// showApp shows a new secret for an app.
func (p *factorPages) showApp(w http.ResponseWriter, r *http.Request, o *owner) error {
	return p.newApp(w, r, o, "")
}

// newApp shows a new secret, and a problem with the last one.
func (p *factorPages) newApp(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
	if !o.has.SignsIn() { // beside which the codes of an app are asked for
		p.Site.Redirect(w, p.up(r, o))
		return nil
	}
	s := setUp{Key: factor.NewTOTPSecret(), Session: o.Session[:], Made: p.Clock().Unix()}
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode app: %w", err)
	}
	return p.renderApp(w, r, o, s.Key, p.Site.Secrets.SealString(p.setUpPurpose(), plain), problem)
}

func (p *factorPages) renderApp(w http.ResponseWriter, r *http.Request, o *owner, secret []byte, sealed string, problem security.Problem) error {
	issuer := p.Site.Brand.Name
	if p.Site.Sandbox {
		issuer += " (Sandbox)"
	}
	uri := factor.TOTPURI(issuer, o.set.Account.Email, secret)
	size, path, err := picture.QR(uri)
	if err != nil {
		return err
	}
	form, status := p.form(w, r, problem)
	p.Site.RenderFor(w, r, o.page.Request(), status, security.SetUpApp(security.AppView{
		Page: p.Site.PageView(r, o.page.Request()), Form: form, Symbol: path, Size: size, URI: uri,
		Secret: factor.TOTPText(secret), Sealed: sealed, Replaces: o.has.TOTP, BackURL: p.back(o),
	}))
	return nil
}

// openSetUp returns the secret of a form; false if it is of another session, or too old.
func (p *factorPages) openSetUp(r *http.Request, o *owner) ([]byte, bool) {
	plain, err := p.Site.Secrets.OpenString(p.setUpPurpose(), r.PostForm.Get(security.FieldSecret))
	if err != nil {
		return nil, false
	}
	var s setUp
	if err := json.Unmarshal(plain, &s); err != nil {
		return nil, false
	}
	ours := bytes.Equal(s.Session, o.Session[:])
	return s.Key, ours && clock.Within(p.Clock(), time.Unix(s.Made, 0), setUpLife)
}

// setApp records the app, once it has shown a right code. The code is spent: it does not
// sign in as well.
func (p *factorPages) setApp(w http.ResponseWriter, r *http.Request, o *owner) error {
	secret, ok := p.openSetUp(r, o)
	if !ok {
		if sent, err := p.confirm(w, r, o); sent || err != nil {
			return err
		}
		return p.newApp(w, r, o, security.TooLate)
	}
	sealed, entered, now := r.PostForm.Get(security.FieldSecret), r.PostForm.Get(ui.FieldCode), p.Clock()
	if entered == "" {
		return p.renderApp(w, r, o, secret, sealed, security.CodeMissing)
	}
	step, ok := factor.TOTPStep(secret, entered, now, 0)
	if !ok {
		return p.renderApp(w, r, o, secret, sealed, security.CodeWrong)
	}
	var codes []string
	if !o.has.RecoveryCodes {
		codes = factor.NewRecoveryCodes()
	}
	record, err := p.record(codes)
	if err != nil {
		return err
	}
	app := storage.TOTP{Secret: secret, Step: step, CreatedAt: now, LastUsedAt: now}
	return p.change(w, r, o, change{
		do: func(ctx context.Context, on storage.Proof) error {
			return p.Store.SetTOTP(ctx, o.UserID, app, record, on)
		},
		show: func(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
			return p.renderApp(w, r, o, secret, sealed, problem)
		},
		event: event.TOTPAdded, mail: ui.MailTOTPAdded, notice: security.AppAdded,
		factor: storage.Factor{Method: storage.TOTPCode, At: now, Since: now}, codes: codes,
	})
}

// showRemoveApp asks whether to remove the app.
func (p *factorPages) showRemoveApp(w http.ResponseWriter, r *http.Request, o *owner) error {
	return p.renderRemoveApp(w, r, o, "")
}

func (p *factorPages) renderRemoveApp(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
	if !o.has.TOTP {
		p.Site.Redirect(w, p.link(homePath))
		return nil
	}
	form, status := p.form(w, r, problem)
	p.Site.Render(w, r, status, security.RemoveApp(security.RemoveAppView{
		Page: p.Site.PageView(r, nil), Form: form, EndsStep: !o.has.Passkey, BackURL: p.link(homePath),
	}))
	return nil
}

// removeApp removes the app.
func (p *factorPages) removeApp(w http.ResponseWriter, r *http.Request, o *owner) error {
	if !o.has.TOTP {
		return p.again(w, r)
	}
	return p.change(w, r, o, change{
		do:   func(ctx context.Context, on storage.Proof) error { return p.Store.RemoveTOTP(ctx, o.UserID, on) },
		show: p.renderRemoveApp, event: event.TOTPRemoved, mail: ui.MailTOTPRemoved, notice: security.AppRemoved,
	})
}

package account

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// recognized is the proof that the owner of an account that is to be deleted has just
// authenticated in a browser. It is sealed, replaces a session, which such an account
// cannot have, and is valid for one decision.
type recognized struct {
	AccountID string `json:"i"`
	Epoch     int64  `json:"n"`
	Browser   []byte `json:"b"`
	Made      int64  `json:"t"`

	// For is the digest of what the page was opened for: a later request that demands a
	// sign-in is not met by an earlier password.
	For []byte `json:"f"`
}

// decisionLife is how long the decision may take.
const decisionLife = 15 * time.Minute

func (p *Pages) sealRecognizedPurpose() string { return "recognized " + p.Site.Issuer }

// askToKeep redirects the owner of an account that is to be deleted to the decision.
func (p *Pages) askToKeep(w http.ResponseWriter, r *http.Request, account storage.Account) error {
	browser, opened := sha256.Sum256([]byte(p.Site.Browser(w, r))), sha256.Sum256([]byte(web.Parameter(r, web.FlowParameter)))
	plain, err := json.Marshal(recognized{account.ID, account.Epoch, browser[:], p.Clock().Unix(), opened[:]})
	if err != nil {
		return fmt.Errorf("encode owner: %w", err)
	}
	p.Site.Redirect(w, p.Site.Link("/signin/deletion", web.FlowParameter, web.Parameter(r, web.FlowParameter),
		web.CodeParameter, p.Site.Secrets.SealString(p.sealRecognizedPurpose(), plain)))
	return nil
}

// openRecognized returns the account to decide about, unless it is gone, locked, or has
// been decided about since.
func (p *Pages) openRecognized(r *http.Request) (storage.Account, error) {
	plain, err := p.Site.Secrets.OpenString(p.sealRecognizedPurpose(), web.Parameter(r, web.CodeParameter))
	if err != nil {
		return storage.Account{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	var owner recognized
	if err := json.Unmarshal(plain, &owner); err != nil {
		return storage.Account{}, fmt.Errorf("decode owner: %w", err)
	}
	browser := sha256.Sum256([]byte(p.Site.Cookies.Get(r, session.Browser)))
	if subtle.ConstantTimeCompare(browser[:], owner.Browser) != 1 {
		return storage.Account{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorBrowser, Cause: errors.New("decision of another browser")}
	}
	if opened := sha256.Sum256([]byte(web.Parameter(r, web.FlowParameter))); subtle.ConstantTimeCompare(opened[:], owner.For) != 1 {
		return storage.Account{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: errors.New("decision for another page")}
	}
	account, err := p.Store.Account(r.Context(), owner.AccountID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.Account{}, fmt.Errorf("read account: %w", err)
	}
	if err != nil || account.Disabled || account.DeleteAt.IsZero() || account.Epoch != owner.Epoch ||
		!clock.Within(p.Clock(), time.Unix(owner.Made, 0), decisionLife) {
		return storage.Account{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	return account, nil
}

// showDeletion shows the date of the deletion, and asks whether to keep the account.
func (p *Pages) showDeletion(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	account, err := p.openRecognized(r)
	if err != nil {
		return err
	}
	p.RenderDeletion(w, r, page, account, false)
	return nil
}

// RenderDeletion shows the date of an account's deletion.
func (p *Pages) RenderDeletion(w http.ResponseWriter, r *http.Request, page *authflow.Page, account storage.Account, decided bool) {
	p.Site.RenderFor(w, r, page.Request(), http.StatusOK, p.Site.Screens.Deletion(ui.DeletionView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, nil),
		Email: account.Email, On: account.DeleteAt, Decided: decided,
	}))
}

// decideDeletion keeps the account and signs its owner in, or confirms the deletion. Each
// uses up the proof, so that nobody can go back and decide in a shared browser.
func (p *Pages) decideDeletion(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	account, err := p.openRecognized(r)
	if err != nil {
		return err
	}
	keeps, deleteAt := r.PostForm.Get(ui.FieldAction) == ui.ActionKeep, account.DeleteAt
	if keeps {
		deleteAt = time.Time{}
	}
	err = p.Store.SetDeletion(r.Context(), account.ID, account.Proof(), deleteAt, p.Clock())
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	if err != nil {
		return fmt.Errorf("decide about deletion: %w", err)
	}
	if !keeps {
		p.RenderDeletion(w, r, page, account, true)
		return nil
	}
	p.Audit.Record(r.Context(), storage.Event{Name: audit.DeletionWithdrawn, Subject: account.ID})
	account.DeleteAt = time.Time{}
	account.Epoch++ // which the decision has begun
	if page.Flow != nil || page.Return != nil {
		return p.enter(w, r, page, account)
	}
	if err := p.startSession(w, r, page, account); err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/account", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeAccountKept)))
	return nil
}

package recovery

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// reader is the proof that somebody in this browser reads the mailbox of an account: the
// mailed code was right. It is sealed and travels with the pages. It proves nothing in
// another epoch, so that it is over with the password that it leads to.
type reader struct {
	AccountID string `json:"i"`
	Epoch     int64  `json:"n"`
	Email     string `json:"e"`
	Browser   []byte `json:"b"`
	Made      int64  `json:"t"`

	// Hash is that of the new password, if one was chosen with the code.
	Hash string `json:"h,omitempty"`

	// Way is that of a factor which was right, and On the proof that rests on it; the write of the
	// new password spends it.
	Way way           `json:"w,omitempty"`
	On  storage.Proof `json:"o,omitzero"`
}

// readerLife is how long the proof is good: as long as a code.
const readerLife = account.CodeLife

func (p *Pages) sealReaderPurpose() string { return "recovery reader " + p.Site.Issuer }

// sealReader returns the proof that the mailbox of an account was read. hash is that of the
// new password, or empty.
func (p *Pages) sealReader(w http.ResponseWriter, r *http.Request, of storage.Account, hash string) (string, error) {
	browser := sha256.Sum256([]byte(p.Site.Browser(w, r)))
	return p.seal(reader{AccountID: of.ID, Epoch: of.Epoch, Email: of.Email, Browser: browser[:], Made: p.Clock().Unix(), Hash: hash})
}

func (p *Pages) seal(read reader) (string, error) {
	plain, err := json.Marshal(read)
	if err != nil {
		return "", fmt.Errorf("encode reader: %w", err)
	}
	return p.Site.Secrets.SealString(p.sealReaderPurpose(), plain), nil
}

// openReader returns the proof of a page, and what the account has now, in one reading. It
// fails if the account is gone or locked, or has another address, or the epoch has ended.
func (p *Pages) openReader(r *http.Request) (reader, standing, error) {
	var read reader
	plain, err := p.Site.Secrets.OpenString(p.sealReaderPurpose(), web.Parameter(r, web.CodeParameter))
	if err == nil {
		err = json.Unmarshal(plain, &read)
	}
	if err != nil {
		return reader{}, standing{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	browser := sha256.Sum256([]byte(p.Site.Cookies.Get(r, session.Browser)))
	if subtle.ConstantTimeCompare(browser[:], read.Browser) != 1 {
		return reader{}, standing{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorBrowser, Cause: errors.New("recovery of another browser")}
	}
	set, err := p.stand(r.Context(), read.AccountID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return reader{}, standing{}, err
	}
	if err != nil || set.Account.Disabled || set.Account.Epoch != read.Epoch || set.Account.Email != read.Email ||
		!clock.Within(p.Clock(), time.Unix(read.Made, 0), readerLife) {
		return reader{}, standing{}, expired(err)
	}
	return read, set, nil
}

// expired is the answer to a page that was open for too long, or whose account has changed
// meanwhile.
func expired(cause error) error {
	return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: cause}
}

// lapsed turns what a write says of a proof that no longer holds into the page for it.
func lapsed(err error) error {
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrProof) {
		return expired(err)
	}
	return err
}

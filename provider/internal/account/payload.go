package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// addressee is the payload of a code about an account: which one, in which epoch, and the
// address of the mail.
type addressee struct {
	AccountID string `json:"i"`
	Epoch     int64  `json:"n"`
	Email     string `json:"e"`
}

// PayloadFor returns the payload of a code for an account in its current state.
func PayloadFor(account storage.Account) ([]byte, error) {
	payload, err := json.Marshal(addressee{account.ID, account.Epoch, account.Email})
	if err != nil {
		return nil, fmt.Errorf("encode payload: %w", err)
	}
	return payload, nil
}

// Addressed returns the account of a payload, unless it is gone or locked, or its address
// or password has changed since: a reader of the old mailbox, or of an old mail, has no
// more rights to it.
func (p *Pages) Addressed(ctx context.Context, payload []byte) (storage.Account, error) {
	var a addressee
	if err := json.Unmarshal(payload, &a); err != nil {
		return storage.Account{}, fmt.Errorf("decode payload: %w", err)
	}
	account, err := p.Store.Account(ctx, a.AccountID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && (account.Disabled || account.Email != a.Email || account.Epoch != a.Epoch) {
		return storage.Account{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired}
	}
	if err != nil {
		return storage.Account{}, fmt.Errorf("read account: %w", err)
	}
	return account, nil
}

package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// Accounts are the embedded accounts, as pages and host change them.
type Accounts struct {
	Store     storage.Accounts
	Hasher    *password.Hasher
	MinLength int // of a new password, in characters
	Audit     *audit.Log
	Clock     func() time.Time
	Logger    *slog.Logger
}

// ByEmail returns the account that has an e-mail address, by its key; a zero one when none
// has.
func (a *Accounts) ByEmail(ctx context.Context, key string) (storage.Account, error) {
	account, err := a.Store.AccountByEmail(ctx, key)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Account{}, nil
	}
	if err != nil {
		return storage.Account{}, fmt.Errorf("read account: %w", err)
	}
	return account, nil
}

// SetPassword hashes a password and records it in place of the one that the account had
// when it was read, ending every session; begin is recorded in their place. by says in the
// audit log who does so. storage.ErrChanged when the account has another password by now,
// or was locked.
func (a *Accounts) SetPassword(ctx context.Context, account storage.Account, chosen, by string, begin ...storage.Session) error {
	hash, err := a.Hasher.Hash(ctx, password.Known, chosen)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	if err := a.Store.SetPassword(ctx, account.ID, account.Epoch, hash, a.Clock(), begin...); err != nil {
		return fmt.Errorf("save password: %w", err)
	}
	a.Audit.Record(ctx, storage.Event{Name: audit.PasswordChanged, Subject: account.ID, Detail: by})
	return nil
}

// Rehash replaces the hash that a password was checked against by one that is made as new
// ones are, which ends nothing: it is the same password, and the only moment at which it is
// known. When it cannot be done now, the next sign-in will see to it.
func (a *Accounts) Rehash(ctx context.Context, account storage.Account, known string, by password.Share) {
	hash, err := a.Hasher.Hash(ctx, by, known)
	if err == nil {
		err = a.Store.Rehash(ctx, account.ID, account.PasswordHash, hash)
	}
	if err != nil {
		a.Logger.WarnContext(ctx, "outdated password hash could not be replaced", slog.Any("error", err))
	}
}

// NewID returns a random UUID (RFC 9562 section 5.4): nothing about a user, or about when
// they came, can be read from it.
func NewID() string {
	var b [16]byte
	random.Fill(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/storage"
)

// Accounts are the embedded accounts, as pages and the host change them.
type Accounts struct {
	Store     storage.Accounts
	Hasher    *password.Hasher
	MinLength int // of a new password, in characters
	Audit     *audit.Log
	Clock     func() time.Time
	Logger    *slog.Logger
}

// ByEmail returns the account with an e-mail address, by its key; a zero one if there is
// none.
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

// SetPassword hashes a password and records it in place of the one that was read with the
// account, ending every session; begin replaces them. by is the actor for the audit log.
// storage.ErrChanged if the password has changed since, or the account was locked.
func (a *Accounts) SetPassword(ctx context.Context, account storage.Account, chosen, by string, begin ...storage.Session) error {
	hash, err := a.Hasher.Hash(ctx, password.Known, chosen)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	err = a.Audit.Step(ctx, func(ctx context.Context) error {
		return a.Store.SetPassword(ctx, account.ID, account.Proof(), hash, a.Clock(), begin...)
	}, storage.Event{Name: event.PasswordChanged, Subject: account.ID, Detail: by})
	if err != nil {
		return fmt.Errorf("save password: %w", err)
	}
	return nil
}

// Rehash replaces the hash that a password was checked against by one with the current
// parameters. Nothing ends: it is the same password, known only at this moment. If this
// fails, the next sign-in tries again.
func (a *Accounts) Rehash(ctx context.Context, account storage.Account, known string, by password.Share) {
	hash, err := a.Hasher.Hash(ctx, by, known)
	if err == nil {
		err = a.Store.Rehash(ctx, account.ID, account.PasswordHash, hash)
	}
	if err != nil {
		a.Logger.WarnContext(ctx, "outdated password hash could not be replaced", slog.Any("error", err))
	}
}

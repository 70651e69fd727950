package provider

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Account is an embedded account, as the host records it.
type Account struct {
	// ID is the permanent subject: 1 to 64 letters, digits, hyphens, underscores, full stops and colons.
	// Defaults to that of the account with this Email, or else a random one.
	ID string `json:"uuid,omitempty"`

	// Email is the address that the user signs in with.
	Email string `json:"email"`

	// EmailVerified reports whether the user is known to own the address.
	// Defaults to false.
	EmailVerified bool `json:"email_verified"`

	// Password is the user's password; an account without one has no password sign-in. A
	// new one has Config.PasswordMinLength to 256 characters.
	// Defaults to the recorded one.
	Password string `json:"password,omitempty"`
}

// ErrConflict means that another account has the e-mail address.
var ErrConflict = errors.New("provider: another account has this e-mail address")

// Save creates or updates an account and returns its ID. It finds the account by ID, or by
// e-mail address if ID is empty. A new password ends the account's sessions and grants; a
// new address ends the links with which a former address recovers the account. ErrConflict
// if another account has the address. Concurrent calls for one account, in any number of
// processes, are safe: one creates it, the others find it. An invalid field is a
// FieldError.
func (p Accounts) Save(ctx context.Context, a Account) (id string, err error) {
	err = storage.ErrChanged
	for errors.Is(err, storage.ErrChanged) {
		id, err = p.save(ctx, a)
	}
	if errors.Is(err, ErrConflict) {
		return "", ErrConflict
	}
	if err != nil {
		return "", fmt.Errorf("provider: save account: %w", err)
	}
	return id, nil
}

// save is one attempt of Save, on the current account. storage.ErrChanged if the account
// has changed since it was read.
func (p Accounts) save(ctx context.Context, a Account) (id string, err error) {
	key, err := mailbox.EmailKey(a.Email)
	if err != nil {
		return "", &FieldError{"Email", err}
	}
	if a.ID != "" && !claims.IsName(a.ID) {
		return "", wrongField("ID", "must be 1 to 64 letters, digits, hyphens, underscores, full stops and colons")
	}
	old, err := p.findAccount(ctx, a.ID, key)
	if errors.Is(err, storage.ErrNotFound) {
		return p.createAccount(ctx, a, key)
	}
	if err != nil {
		return "", fmt.Errorf("read account: %w", err)
	}
	if old.Email != a.Email || old.EmailVerified != a.EmailVerified {
		err = p.setEmail(ctx, old, a, key)
	}
	if err == nil {
		err = p.renewPassword(ctx, old, a.Password)
	}
	if errors.Is(err, storage.ErrNotFound) { // deleted since it was read
		err = storage.ErrChanged
	}
	if err != nil {
		return "", err
	}
	return old.ID, nil
}

func (p Accounts) setEmail(ctx context.Context, old storage.Account, a Account, key string) error {
	var events []storage.Event
	if old.Email != a.Email {
		events = append(events, storage.Event{Name: event.EmailChanged, Subject: old.ID, Detail: "by the host"})
	}
	if a.EmailVerified && (old.Email != a.Email || !old.EmailVerified) {
		events = append(events, storage.Event{Name: event.EmailVerified, Subject: old.ID, Detail: "by the host"})
	}
	err := p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.SetEmail(ctx, old.ID, old.EmailKey, a.Email, key, a.EmailVerified)
	}, events...)
	if errors.Is(err, storage.ErrConflict) {
		return ErrConflict
	}
	if err != nil {
		return fmt.Errorf("save e-mail address: %w", err)
	}
	return nil
}

func (p Accounts) findAccount(ctx context.Context, id, key string) (storage.Account, error) {
	if id != "" {
		return p.store.Account(ctx, id)
	}
	return p.store.AccountByEmail(ctx, key)
}

// createAccount creates an account that was not found by ID, or by address without an ID.
// storage.ErrChanged if one with the ID or the address has appeared since.
func (p Accounts) createAccount(ctx context.Context, a Account, key string) (string, error) {
	if a.ID != "" {
		// Without this, another account with the address could not be told from the one
		// that a concurrent call has just created.
		owner, err := p.store.AccountByEmail(ctx, key)
		switch {
		case err == nil && owner.ID == a.ID:
			return "", storage.ErrChanged
		case err == nil:
			return "", ErrConflict
		case !errors.Is(err, storage.ErrNotFound):
			return "", fmt.Errorf("read account: %w", err)
		}
	}
	record := storage.Account{
		ID: a.ID, Email: a.Email, EmailKey: key, EmailVerified: a.EmailVerified, CreatedAt: p.cfg.Clock(),
		Epoch: firstEpoch(),
	}
	if record.ID == "" {
		record.ID = random.UUID()
	}
	if a.Password != "" {
		if err := p.checkHostPassword(a.Password); err != nil {
			return "", err
		}
		hash, err := p.accounts.Hasher.Hash(ctx, password.Known, a.Password)
		if err != nil {
			return "", fmt.Errorf("hash password: %w", err)
		}
		record.PasswordHash, record.PasswordChangedAt = hash, record.CreatedAt
	}
	err := p.audit.Step(ctx, func(ctx context.Context) error { return p.store.CreateAccount(ctx, record) },
		storage.Event{Name: event.AccountCreated, Subject: record.ID})
	if errors.Is(err, storage.ErrConflict) {
		return "", storage.ErrChanged
	}
	if err != nil {
		return "", fmt.Errorf("create account: %w", err)
	}
	return record.ID, nil
}

// renewPassword sets a password that differs from the account's.
func (p Accounts) renewPassword(ctx context.Context, account storage.Account, chosen string) error {
	if chosen == "" {
		return nil
	}
	if account.PasswordHash != "" {
		same, outdated, err := p.accounts.Hasher.Verify(ctx, password.Known, account.PasswordHash, chosen)
		if same && outdated {
			p.accounts.Rehash(ctx, account, chosen, password.Known)
		}
		if err != nil || same {
			return err
		}
	}
	if err := p.checkHostPassword(chosen); err != nil {
		return err
	}
	return p.accounts.SetPassword(ctx, account, chosen, "by the host")
}

// checkHostPassword refuses a password that the sign-in form would not take or that is too
// short. The host decides about common ones.
func (p Accounts) checkHostPassword(chosen string) error {
	err := password.Policy{MinLength: p.cfg.PasswordMinLength}.Check(chosen)
	switch {
	case !web.IsText(url.Values{"": {chosen}}):
		return wrongField("Password", "is not text")
	case errors.Is(err, password.TooShort):
		return wrongField("Password", "must have at least %d characters", p.cfg.PasswordMinLength)
	case errors.Is(err, password.TooLong):
		return wrongField("Password", "must have at most %d characters and %d bytes", password.MaxCharacters, password.MaxBytes)
	default:
		return nil
	}
}

// SetDisabled locks an account, which ends its sessions and grants, or unlocks it.
// ErrNoUser if there is none.
func (p Accounts) SetDisabled(ctx context.Context, id string, disabled bool) error {
	e := storage.Event{Name: event.AccountEnabled, Subject: id}
	if disabled {
		e.Name = event.AccountDisabled
	}
	err := p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.SetDisabled(ctx, id, disabled, p.cfg.Clock())
	}, e)
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoUser
	}
	if err != nil {
		return fmt.Errorf("provider: lock or open account: %w", err)
	}
	return nil
}

// Delete removes an account with all personal data of its owner, and ends its sessions and
// tokens. It returns nil if there is none. It also removes the data of a host's user, who
// has no account here. One write decides it, which nothing takes back. Dashboard and
// verification forget the user next; what fails of that is logged, and Run, of any process,
// completes it: until then no account gets the ID.
//
// The audit log keeps its events, as far back as Config.KeepEvents: from the same step on a
// random name is read in place of the user's ID in it, and no networks. The event of the
// deletion has that name, too. A concurrent request can still record an event, and a
// pending mailed code, already useless, stays encrypted for a quarter of an hour at most.
func (p Accounts) Delete(ctx context.Context, id string) error {
	pseudonym := "deleted-" + random.UUID()
	in, err := p.deleting(ctx, id, pseudonym)
	if err == nil {
		_, err = audit.StepIf(in, p.audit, func(ctx context.Context) (bool, error) {
			return p.store.DeleteAccount(ctx, id, pseudonym, p.trail.Erase)
		}, storage.Event{Name: event.AccountDeleted, Subject: pseudonym})
	}
	if err != nil {
		return fmt.Errorf("provider: delete account: %w", err)
	}
	p.upkeep.FinishDeletion(ctx, id)
	return nil
}

// firstEpoch returns the first epoch of an account. It is random, so that a password or a
// mailed code proved to a deleted account proves nothing to a new account with the same ID.
func firstEpoch() int64 {
	var b [8]byte
	random.Fill(b[:])
	return int64(binary.BigEndian.Uint64(b[:]) >> 2)
}

// RecordedAccount is an embedded account, as recorded.
type RecordedAccount struct {
	// ID is the subject.
	ID string `json:"id"`

	// Email is the address as its owner wrote it.
	Email         string `json:"email"`
	EmailVerified bool   `json:"email_verified"`

	// Unreadable reports that the address cannot be decrypted, and is left out: its secret was
	// dropped, or the row is damaged. Only Accounts.List has such accounts.
	Unreadable bool `json:"unreadable,omitempty"`

	// HasPassword reports whether the account can sign in by password; PasswordChangedAt is
	// zero if it never had one.
	HasPassword       bool      `json:"has_password"`
	PasswordChangedAt time.Time `json:"password_changed_at,omitzero"`

	// Disabled accounts cannot sign in.
	Disabled bool `json:"disabled"`

	// DeleteAt is when the account will be deleted; zero for never.
	DeleteAt time.Time `json:"delete_at,omitzero"`

	CreatedAt time.Time `json:"created_at"`
}

func asRecorded(a storage.Account) RecordedAccount {
	return RecordedAccount{
		ID: a.ID, Email: a.Email, EmailVerified: a.EmailVerified, Unreadable: a.Unreadable,
		HasPassword: a.PasswordHash != "", PasswordChangedAt: a.PasswordChangedAt,
		Disabled: a.Disabled, DeleteAt: a.DeleteAt, CreatedAt: a.CreatedAt,
	}
}

// Get returns an embedded account by ID. ErrNoUser if there is none.
func (p Accounts) Get(ctx context.Context, id string) (RecordedAccount, error) {
	a, err := p.store.Account(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return RecordedAccount{}, ErrNoUser
	}
	if err != nil {
		return RecordedAccount{}, fmt.Errorf("provider: read account: %w", err)
	}
	return asRecorded(a), nil
}

// GetByEmail returns the embedded account with an e-mail address, in any spelling of its
// letters. ErrNoUser if there is none, or the address is invalid.
func (p Accounts) GetByEmail(ctx context.Context, email string) (RecordedAccount, error) {
	key, err := mailbox.EmailKey(email)
	if err != nil {
		return RecordedAccount{}, ErrNoUser
	}
	a, err := p.store.AccountByEmail(ctx, key)
	if errors.Is(err, storage.ErrNotFound) {
		return RecordedAccount{}, ErrNoUser
	}
	if err != nil {
		return RecordedAccount{}, fmt.Errorf("provider: read account: %w", err)
	}
	return asRecorded(a), nil
}

// AnnounceEmail mails to the address of an account that the service will give the account
// another at a moment (ChangeEmail), so that its owner can object until then: a new password or
// the end of all sessions changes the account, and what was to be done to it as it was is void.
// ErrNoUser if there is no account.
func (p accountsRoom) AnnounceEmail(ctx context.Context, id string, at time.Time) error {
	a, err := p.store.Account(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoUser
	}
	if err == nil {
		err = p.pages.MailOwner(ctx, a, ui.MailView{Kind: ui.MailEmailWillChange, On: at, SecurityURL: p.cfg.BaseURL + "/account/security"})
	}
	if err != nil {
		return fmt.Errorf("provider: announce change of e-mail address: %w", err)
	}
	return nil
}

// List returns up to limit embedded accounts with IDs after the given one, in a stable
// order: pass "" for the first page, then the last ID of each page.
func (p Accounts) List(ctx context.Context, after string, limit int) ([]RecordedAccount, error) {
	stored, err := p.store.Accounts(ctx, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: list accounts: %w", err)
	}
	accounts := make([]RecordedAccount, len(stored))
	for i, a := range stored {
		accounts[i] = asRecorded(a)
	}
	return accounts, nil
}

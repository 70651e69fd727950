package provider

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/storage"
)

// Account is a user of the embedded accounts, as the host records one.
type Account struct {
	// ID is the subject, for ever. SaveAccount makes one when it is empty.
	ID string

	// Email is what the user signs in with.
	Email         string
	EmailVerified bool

	// Password is what the user signs in with; empty keeps the one that is
	// recorded, and an account without one cannot sign in by password.
	Password string
}

// ErrConflict says that another account has the e-mail address.
var ErrConflict = errors.New("provider: another account has this e-mail address")

// SaveAccount records an account, or brings it up to date, and returns its ID. An
// account is found by its ID, or by its e-mail address when ID is empty. A password
// that changes ends the account's sessions and grants. ErrConflict when another
// account has the address.
func (p *Provider) SaveAccount(ctx context.Context, a Account) (id string, err error) {
	key, err := emailKey(a.Email)
	if err != nil {
		return "", fmt.Errorf("account: Email: %w", err)
	}
	if a.ID != "" && !isName(a.ID) {
		return "", errors.New("account: ID: must be 1 to 64 letters, digits, or -_.:")
	}
	old, err := p.findAccount(ctx, a.ID, key)
	if errors.Is(err, storage.ErrNotFound) {
		return p.createAccount(ctx, a, key)
	}
	if err != nil {
		return "", fmt.Errorf("read account: %w", err)
	}
	if old.Email != a.Email || old.EmailVerified != a.EmailVerified {
		if err := p.setEmail(ctx, old, a, key); err != nil {
			return "", err
		}
	}
	return old.ID, p.renewPassword(ctx, old, a.Password)
}

func (p *Provider) setEmail(ctx context.Context, old storage.Account, a Account, key string) error {
	err := p.cfg.Store.SetEmail(ctx, old.ID, a.Email, key, a.EmailVerified)
	if errors.Is(err, storage.ErrConflict) {
		return ErrConflict
	}
	if err != nil {
		return fmt.Errorf("save e-mail address: %w", err)
	}
	if old.Email != a.Email {
		p.record(ctx, Event{Name: EventEmailChanged, UserID: old.ID, Detail: "by the host"})
	}
	if a.EmailVerified && (old.Email != a.Email || !old.EmailVerified) {
		p.record(ctx, Event{Name: EventEmailVerified, UserID: old.ID, Detail: "by the host"})
	}
	return nil
}

func (p *Provider) findAccount(ctx context.Context, id, key string) (storage.Account, error) {
	if id != "" {
		return p.cfg.Store.Account(ctx, id)
	}
	return p.cfg.Store.AccountByEmail(ctx, key)
}

func (p *Provider) createAccount(ctx context.Context, a Account, key string) (string, error) {
	record := storage.Account{
		ID: a.ID, Email: a.Email, EmailKey: key, EmailVerified: a.EmailVerified, CreatedAt: p.cfg.Clock(),
	}
	if record.ID == "" {
		record.ID = newUserID()
	}
	if a.Password != "" {
		hash, err := p.passwords.Hash(ctx, a.Password)
		if err != nil {
			return "", fmt.Errorf("hash password: %w", err)
		}
		record.PasswordHash, record.PasswordChangedAt = hash, record.CreatedAt
	}
	err := p.cfg.Store.CreateAccount(ctx, record)
	if errors.Is(err, storage.ErrConflict) {
		return "", ErrConflict
	}
	if err != nil {
		return "", fmt.Errorf("create account: %w", err)
	}
	p.record(ctx, Event{Name: EventAccountCreated, UserID: record.ID})
	return record.ID, nil
}

// renewPassword sets a password if it is another than the account has.
func (p *Provider) renewPassword(ctx context.Context, account storage.Account, password string) error {
	if password == "" {
		return nil
	}
	if account.PasswordHash != "" {
		same, _, err := p.passwords.Verify(ctx, account.PasswordHash, password)
		if err != nil || same {
			return err
		}
	}
	return p.setPassword(ctx, account.ID, password, storage.Digest{}, "by the host")
}

// setPassword hashes and records a password, ending every session but one. by tells
// the audit trail who does so.
func (p *Provider) setPassword(ctx context.Context, id, password string, keep storage.Digest, by string) error {
	hash, err := p.passwords.Hash(ctx, password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	if err := p.cfg.Store.SetPassword(ctx, id, hash, keep, p.cfg.Clock()); err != nil {
		return fmt.Errorf("save password: %w", err)
	}
	p.record(ctx, Event{Name: EventPasswordChanged, UserID: id, Detail: by})
	return nil
}

// SetAccountDisabled locks an account, which ends its sessions and grants, or opens
// it again. ErrNoUser when there is none.
func (p *Provider) SetAccountDisabled(ctx context.Context, id string, disabled bool) error {
	err := p.cfg.Store.SetDisabled(ctx, id, disabled, p.cfg.Clock())
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoUser
	}
	if err != nil {
		return fmt.Errorf("lock or open account: %w", err)
	}
	event := Event{Name: EventAccountEnabled, UserID: id}
	if disabled {
		event.Name = EventAccountDisabled
	}
	p.record(ctx, event)
	return nil
}

// DeleteAccount removes an account with everything that is recorded about its
// owner, and ends what was issued for it. It returns nil when there is none.
func (p *Provider) DeleteAccount(ctx context.Context, id string) error {
	if err := p.cfg.Store.DeleteAccount(ctx, id); err != nil {
		return fmt.Errorf("delete account: %w", err)
	}
	p.record(ctx, Event{Name: EventAccountDeleted, UserID: id})
	return nil
}

// SetAttributes records values about a user by handle, in the types that Person
// describes; other handles keep theirs, and a nil value removes one. The user needs
// no embedded account. What was recorded is released from the next answer on.
func (p *Provider) SetAttributes(ctx context.Context, userID string, values map[string]any) error {
	encoded := make(map[string]json.RawMessage, len(values))
	for handle, value := range values {
		a, ok := p.catalogue.attributes[handle]
		if !ok || handle == "uuid" {
			return fmt.Errorf("attribute %q is not one that can be recorded", handle)
		}
		if value == nil {
			encoded[handle] = nil
			continue
		}
		raw, err := a.encode(value)
		if err != nil {
			return fmt.Errorf("attribute %q: %w", handle, err)
		}
		encoded[handle] = raw
	}
	return p.cfg.Store.SetAttributes(ctx, userID, encoded)
}

// SetStatus records the status of one group for a user, in place of the one before.
func (p *Provider) SetStatus(ctx context.Context, userID string, s Status) error {
	group, ok := p.catalogue.groups[s.Group]
	if !ok {
		return fmt.Errorf("group %q is not in the catalogue", s.Group)
	}
	for _, subgroup := range s.Subgroups {
		if !slices.Contains(group.Subgroups, subgroup) {
			return fmt.Errorf("group %q has no subgroup %q", s.Group, subgroup)
		}
	}
	if s.Verified && s.VerifiedAt.IsZero() {
		s.VerifiedAt = p.cfg.Clock()
	}
	return p.cfg.Store.SetStatus(ctx, userID, storage.Status(s))
}

// RemoveStatus forgets the status of one group for a user.
func (p *Provider) RemoveStatus(ctx context.Context, userID, group string) error {
	return p.cfg.Store.RemoveStatus(ctx, userID, group)
}

// newUserID returns a random UUID (RFC 9562 section 5.4): nothing about a user, or
// about when they came, can be read from it.
func newUserID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program stops when there is no randomness
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

var errEmail = errors.New("is not an e-mail address")

// emailKey returns what makes an e-mail address unique: all its spellings in letter
// case and Unicode form are one. A character that stands for several, such as a
// full-width @, would make another address of it and is refused.
func emailKey(address string) (string, error) {
	key := foldEmail(address)
	if !isEmail(address) || !isEmail(key) || foldEmail(key) != key {
		return "", errEmail
	}
	return key, nil
}

func foldEmail(address string) string { return strings.ToLower(norm.NFKC.String(address)) }

// isEmail reports whether this is an address and nothing else: no name beside it,
// no space, and nothing that cannot be seen.
func isEmail(s string) bool {
	invisible := func(r rune) bool { return !unicode.IsPrint(r) || r == '\uFFFD' }
	if len(s) > 254 || strings.ContainsAny(s, " <>\"") || strings.ContainsFunc(s, invisible) {
		return false
	}
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s
}

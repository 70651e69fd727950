package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// sealedStore encrypts personal data: attribute values, e-mail addresses, and reasons of
// refused verifications; and what people sign in with beside a password. Its callers see them in clear; the store behind it sees an address
// as sealed text, and its key as a digest by which it is found.
type sealedStore struct {
	storage.Store
	vault *Vault

	// findText is Options.FindText.
	findText func(handle string, value json.RawMessage) string
}

// Each value is sealed for its record, so that somebody who can write to the database, but
// not read it, cannot give one person the address or an attribute of another.

func emailRecord(id string) Record {
	return Record{Kind: "account", ID: id, Field: "email"}
}

func attributeRecord(subject, handle string) Record {
	return Record{Kind: "attribute", ID: subject, Field: handle}
}

func reasonRecord(subject, group string) Record {
	return Record{Kind: "status", ID: subject, Field: group}
}

// SealReason returns the reason of a status as the store behind OpenStore keeps it.
func (v *Vault) SealReason(subject, group, reason string) string {
	if reason == "" {
		return ""
	}
	return v.Seal(reasonRecord(subject, group), []byte(reason))
}

// sealEmail seals an address together with its key, which the digest does not reveal.
func (s sealedStore) sealEmail(id, email, key string) (sealed, digest string) {
	if key != "" {
		digest = s.vault.Digest(key)
	}
	if email == "" && key == "" {
		return "", ""
	}
	return s.vault.Seal(emailRecord(id), []byte(key+"\x00"+email)), digest
}

func (s sealedStore) openEmail(id, sealed string) (email, key string, err error) {
	if sealed == "" {
		return "", "", nil
	}
	plain, err := s.vault.Open(emailRecord(id), []byte(sealed))
	if err != nil {
		return "", "", fmt.Errorf("e-mail address of %q: %w", id, err)
	}
	key, email, _ = strings.Cut(string(plain), "\x00")
	return email, key, nil
}

func (s sealedStore) open(a storage.Account, err error) (storage.Account, error) {
	if err != nil {
		return storage.Account{}, err
	}
	if a.Email, a.EmailKey, err = s.openEmail(a.ID, a.Email); err != nil {
		return storage.Account{}, err
	}
	return a, nil
}

// sealAttribute returns the stored form of a value: a JSON text like any other.
func (s sealedStore) sealAttribute(subject, handle string, value json.RawMessage) json.RawMessage {
	return json.RawMessage(`"` + s.vault.Seal(attributeRecord(subject, handle), value) + `"`)
}

func (s sealedStore) openAttribute(subject, handle string, stored json.RawMessage) (json.RawMessage, error) {
	value, err := s.vault.Open(attributeRecord(subject, handle), bytes.Trim(stored, `"`))
	if err != nil {
		return nil, fmt.Errorf("attribute %q of %q: %w", handle, subject, err)
	}
	return value, nil
}

// CreateAccount implements storage.Accounts.
func (s sealedStore) CreateAccount(ctx context.Context, a storage.Account, first ...storage.FirstFactors) error {
	a.Email, a.EmailKey = s.sealEmail(a.ID, a.Email, a.EmailKey)
	return s.Store.CreateAccount(ctx, a, s.sealFirst(a.ID, first)...)
}

// Account implements storage.Accounts.
func (s sealedStore) Account(ctx context.Context, id string) (storage.Account, error) {
	return s.open(s.Store.Account(ctx, id))
}

// AccountByEmail implements storage.Accounts.
func (s sealedStore) AccountByEmail(ctx context.Context, key string) (storage.Account, error) {
	if key == "" {
		return storage.Account{}, storage.ErrNotFound
	}
	a, err := s.open(s.Store.AccountByEmail(ctx, s.vault.Digest(key)))
	if err == nil && a.EmailKey != key {
		return storage.Account{}, fmt.Errorf("e-mail address of %q: is found under the key of another", a.ID)
	}
	return a, err
}

// Accounts implements storage.Accounts.
func (s sealedStore) Accounts(ctx context.Context, after string, limit int, due ...time.Time) ([]storage.Account, error) {
	return s.openAll(s.Store.Accounts(ctx, after, limit, due...))
}

// openAll opens the accounts of a list. One that cannot be opened hides no other.
func (s sealedStore) openAll(accounts []storage.Account, err error) ([]storage.Account, error) {
	for i := range accounts {
		a := &accounts[i]
		var damaged error
		a.Email, a.EmailKey, damaged = s.openEmail(a.ID, a.Email)
		if errors.Is(damaged, storage.ErrUnavailable) {
			return nil, damaged
		}
		a.Unreadable = damaged != nil
	}
	return accounts, err
}

// SetEmail implements storage.Accounts.
func (s sealedStore) SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error {
	if oldKey != "" {
		oldKey = s.vault.Digest(oldKey)
	}
	sealed, digest := s.sealEmail(id, email, key)
	return s.Store.SetEmail(ctx, id, oldKey, sealed, digest, verified)
}

// ChangeEmail implements storage.Accounts.
func (s sealedStore) ChangeEmail(ctx context.Context, c storage.EmailChange) error {
	c.Email, c.EmailKey = s.sealEmail(c.AccountID, c.Email, c.EmailKey)
	return s.Store.ChangeEmail(ctx, c)
}

// EmailReturn implements storage.EmailReturns.
func (s sealedStore) EmailReturn(ctx context.Context, accountID string, epoch int64, now time.Time) (storage.Account, error) {
	return s.open(s.Store.EmailReturn(ctx, accountID, epoch, now))
}

// ReturnEmail implements storage.EmailReturns.
func (s sealedStore) ReturnEmail(ctx context.Context, r storage.EmailReturn) (storage.Account, error) {
	r.Email, r.EmailKey = s.sealEmail(r.AccountID, r.Email, r.EmailKey)
	return s.open(s.Store.ReturnEmail(ctx, r))
}

// Session implements storage.Sessions.
func (s sealedStore) Session(ctx context.Context, digest storage.Digest) (storage.Session, storage.Account, error) {
	session, a, err := s.Store.Session(ctx, digest)
	if a, err = s.open(a, err); err != nil {
		return storage.Session{}, storage.Account{}, err
	}
	return session, a, nil
}

// Person implements storage.People.
func (s sealedStore) Person(ctx context.Context, subject string) (storage.Person, error) {
	person, err := s.Store.Person(ctx, subject)
	if err != nil {
		return storage.Person{}, err
	}
	if person.Email, _, err = s.openEmail(subject, person.Email); err != nil {
		return storage.Person{}, err
	}
	for handle, stored := range person.Attributes {
		if person.Attributes[handle], err = s.openAttribute(subject, handle, stored); err != nil {
			return storage.Person{}, err
		}
	}
	for i := range person.Statuses {
		if err := s.openReason(subject, &person.Statuses[i]); err != nil {
			return storage.Person{}, err
		}
	}
	return person, nil
}

func (s sealedStore) openReason(subject string, status *storage.Status) error {
	if status.Reason == "" {
		return nil
	}
	plain, err := s.vault.Open(reasonRecord(subject, status.Group), []byte(status.Reason))
	if err != nil {
		return fmt.Errorf("reason of %q: %w", subject, err)
	}
	status.Reason = string(plain)
	return nil
}

// SetStatus implements storage.People.
func (s sealedStore) SetStatus(ctx context.Context, subject string, status storage.Status, replaced int64, on ...storage.PersonBasis) error {
	status.Reason = s.vault.SealReason(subject, status.Group, status.Reason)
	return s.Store.SetStatus(ctx, subject, status, replaced, on...)
}

// SetAttributes implements storage.People.
func (s sealedStore) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, _ map[string]storage.Digest, on ...storage.PersonBasis) error {
	return s.Store.SetAttributes(ctx, subject, s.sealValues(subject, values), s.finds(values), on...)
}

// SetOwnAttributes implements storage.People.
func (s sealedStore) SetOwnAttributes(ctx context.Context, accountID string, epoch int64, values map[string]json.RawMessage, _ map[string]storage.Digest, at time.Time) error {
	return s.Store.SetOwnAttributes(ctx, accountID, epoch, s.sealValues(accountID, values), s.finds(values), at)
}

func (s sealedStore) sealValues(subject string, values map[string]json.RawMessage) map[string]json.RawMessage {
	sealed := make(map[string]json.RawMessage, len(values))
	for handle, value := range values {
		if sealed[handle] = value; value != nil {
			sealed[handle] = s.sealAttribute(subject, handle, value)
		}
	}
	return sealed
}

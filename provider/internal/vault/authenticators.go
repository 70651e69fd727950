package vault

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/bonafide-id/bonafide/storage"
)

// The key and the name of a passkey are sealed for its account and its ID: somebody who can
// write to the database can neither give one person the passkey of another, nor put a key of
// his own in place of one. The salt of recovery codes is a secret here, so that a copy of the
// database does not suffice to test guesses.

func passkeyRecord(accountID string, id []byte, field string) Record {
	return Record{Kind: "passkey", ID: accountID, Field: field + " " + base64.RawURLEncoding.EncodeToString(id)}
}

func passkeyName(accountID string, id []byte) Record { return passkeyRecord(accountID, id, "name") }
func passkeyKey(accountID string, id []byte) Record  { return passkeyRecord(accountID, id, "key") }
func totpSecret(accountID string) Record {
	return Record{Kind: "totp", ID: accountID, Field: "secret"}
}
func recoverySalt(accountID string) Record {
	return Record{Kind: "recovery codes", ID: accountID, Field: "salt"}
}

func (s sealedStore) sealPasskey(p storage.Passkey) storage.Passkey {
	p.Name = s.vault.Seal(passkeyName(p.AccountID, p.ID), []byte(p.Name))
	p.PublicKey = []byte(s.vault.Seal(passkeyKey(p.AccountID, p.ID), p.PublicKey))
	return p
}

func (s sealedStore) openPasskey(p storage.Passkey) (storage.Passkey, error) {
	name, err := s.vault.Open(passkeyName(p.AccountID, p.ID), []byte(p.Name))
	if err == nil {
		p.Name = string(name)
		p.PublicKey, err = s.vault.Open(passkeyKey(p.AccountID, p.ID), p.PublicKey)
	}
	if err != nil {
		return storage.Passkey{}, fmt.Errorf("passkey of %q: %w", p.AccountID, err)
	}
	return p, nil
}

// linkRecord has the digest of the link, so that nobody who can write to the database gives
// one person the identity of another.
func linkRecord(l storage.Link, field string) Record {
	return Record{Kind: "link", ID: l.AccountID, Field: field + " " + base64.RawURLEncoding.EncodeToString(l.Digest[:])}
}

func (s sealedStore) sealLink(l storage.Link) storage.Link {
	l.Subject = s.vault.Seal(linkRecord(l, "subject"), []byte(l.Subject))
	l.Name = s.vault.Seal(linkRecord(l, "name"), []byte(l.Name))
	return l
}

func (s sealedStore) openLink(l storage.Link) (storage.Link, error) {
	subject, err := s.vault.Open(linkRecord(l, "subject"), []byte(l.Subject))
	if err == nil {
		l.Subject = string(subject)
		var name []byte
		name, err = s.vault.Open(linkRecord(l, "name"), []byte(l.Name))
		l.Name = string(name)
	}
	if err != nil {
		return storage.Link{}, fmt.Errorf("link of %q: %w", l.AccountID, err)
	}
	return l, nil
}

// LinkedAccount implements storage.Links.
func (s sealedStore) LinkedAccount(ctx context.Context, digest storage.Digest) (storage.Link, storage.Account, error) {
	l, a, err := s.Store.LinkedAccount(ctx, digest)
	if a, err = s.open(a, err); err == nil {
		l, err = s.openLink(l)
	}
	if err != nil {
		return storage.Link{}, storage.Account{}, err
	}
	return l, a, nil
}

// AddLink implements storage.Links.
func (s sealedStore) AddLink(ctx context.Context, l storage.Link, limit int, on storage.Proof) error {
	return s.Store.AddLink(ctx, s.sealLink(l), limit, on)
}

func (s sealedStore) sealCodes(accountID string, codes storage.RecoveryCodes) storage.RecoveryCodes {
	codes.Salt = []byte(s.vault.Seal(recoverySalt(accountID), codes.Salt))
	return codes
}

func (s sealedStore) sealFirst(accountID string, first []storage.FirstFactors) []storage.FirstFactors {
	sealed := make([]storage.FirstFactors, len(first))
	for i, f := range first {
		if f.Passkey.AccountID = accountID; len(f.Passkey.ID) > 0 {
			f.Passkey = s.sealPasskey(f.Passkey)
		}
		if f.Link.AccountID = accountID; !f.Link.Digest.IsZero() {
			f.Link = s.sealLink(f.Link)
		}
		if len(f.Recovery.Digests) > 0 {
			f.Recovery = s.sealCodes(accountID, f.Recovery)
		}
		sealed[i] = f
	}
	return sealed
}

// Authenticators implements storage.Authenticators.
func (s sealedStore) Authenticators(ctx context.Context, accountID string) (storage.AuthenticatorSet, error) {
	set, err := s.Store.Authenticators(ctx, accountID)
	if err == nil {
		set, err = s.openSet(set)
	}
	if err != nil {
		return storage.AuthenticatorSet{}, err
	}
	return set, nil
}

func (s sealedStore) openSet(set storage.AuthenticatorSet) (storage.AuthenticatorSet, error) {
	var err error
	if set.Account, err = s.open(set.Account, nil); err != nil {
		return set, err
	}
	for i, p := range set.Passkeys {
		if set.Passkeys[i], err = s.openPasskey(p); err != nil {
			return set, err
		}
	}
	for i, l := range set.Links {
		if set.Links[i], err = s.openLink(l); err != nil {
			return set, err
		}
	}
	id := set.Account.ID
	if len(set.TOTP.Secret) > 0 {
		if set.TOTP.Secret, err = s.vault.Open(totpSecret(id), set.TOTP.Secret); err != nil {
			return set, fmt.Errorf("app of %q: %w", id, err)
		}
	}
	if len(set.Recovery.Salt) > 0 {
		if set.Recovery.Salt, err = s.vault.Open(recoverySalt(id), set.Recovery.Salt); err != nil {
			return set, fmt.Errorf("recovery codes of %q: %w", id, err)
		}
	}
	return set, nil
}

// Passkey implements storage.Authenticators.
func (s sealedStore) Passkey(ctx context.Context, id []byte) (storage.Passkey, storage.Account, error) {
	p, a, err := s.Store.Passkey(ctx, id)
	if a, err = s.open(a, err); err == nil {
		p, err = s.openPasskey(p)
	}
	if err != nil {
		return storage.Passkey{}, storage.Account{}, err
	}
	return p, a, nil
}

// AddPasskey implements storage.Authenticators.
func (s sealedStore) AddPasskey(ctx context.Context, p storage.Passkey, limit int, on storage.Proof) error {
	return s.Store.AddPasskey(ctx, s.sealPasskey(p), limit, on)
}

// RenamePasskey implements storage.Authenticators.
func (s sealedStore) RenamePasskey(ctx context.Context, accountID string, id []byte, name string) error {
	return s.Store.RenamePasskey(ctx, accountID, id, s.vault.Seal(passkeyName(accountID, id), []byte(name)))
}

// SetTOTP implements storage.Authenticators.
func (s sealedStore) SetTOTP(ctx context.Context, accountID string, t storage.TOTP, codes storage.RecoveryCodes, on storage.Proof) error {
	t.Secret = []byte(s.vault.Seal(totpSecret(accountID), t.Secret))
	if len(codes.Digests) > 0 {
		codes = s.sealCodes(accountID, codes)
	}
	return s.Store.SetTOTP(ctx, accountID, t, codes, on)
}

// SetRecoveryCodes implements storage.Authenticators.
func (s sealedStore) SetRecoveryCodes(ctx context.Context, accountID string, codes storage.RecoveryCodes, on storage.Proof) error {
	return s.Store.SetRecoveryCodes(ctx, accountID, s.sealCodes(accountID, codes), on)
}

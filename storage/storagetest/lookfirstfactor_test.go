package storagetest_test

import (
	"context"
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

// The writes of lookingFirst that rest on a proof.

// CreateSession looks at the factors of the proof, and writes without them.
func (s lookingFirst) CreateSession(ctx context.Context, n storage.Session, on storage.Proof, replaced storage.Digest) error {
	set, err := s.Authenticators(ctx, n.AccountID)
	held := err == nil && (on.TOTPStep == 0 || on.TOTPStep > set.TOTP.Step) &&
		(on.RecoveryCode.IsZero() || slices.Contains(set.Recovery.Digests, on.RecoveryCode))
	if on.TOTPStep == 0 && on.RecoveryCode.IsZero() {
		return s.Roles.CreateSession(ctx, n, on, replaced)
	}
	return s.write(held, storage.ErrProof, func() error {
		err := s.Roles.CreateSession(ctx, n, on, replaced) // of several, one spends
		if errors.Is(err, storage.ErrProof) {
			bare := on
			bare.TOTPStep, bare.RecoveryCode = 0, storage.Digest{}
			return s.Roles.CreateSession(ctx, n, bare, replaced)
		}
		return err
	})
}

// inVersion writes to an account whose factors were of a version.
func (s lookingFirst) inVersion(ctx context.Context, id string, on storage.Proof, write func(on storage.Proof) error) error {
	now, err := s.Account(ctx, id)
	return s.write(is(err, now.FactorsVersion, on.FactorsVersion), storage.ErrChanged, func() error {
		now, err := s.Account(ctx, id)
		if err != nil {
			return err
		}
		on.Epoch, on.FactorsVersion = now.Epoch, now.FactorsVersion
		return write(on)
	})
}

func (s lookingFirst) AddPasskey(ctx context.Context, p storage.Passkey, limit int, on storage.Proof) error {
	return s.inVersion(ctx, p.AccountID, on, func(on storage.Proof) error { return s.Roles.AddPasskey(ctx, p, limit, on) })
}

func (s lookingFirst) SetTOTP(ctx context.Context, id string, t storage.TOTP, codes storage.RecoveryCodes, on storage.Proof) error {
	return s.inVersion(ctx, id, on, func(on storage.Proof) error { return s.Roles.SetTOTP(ctx, id, t, codes, on) })
}

// RemovePasskey looks whether another passkey is left, and gives the account a password for
// the write, so that the store has nothing to look for.
func (s lookingFirst) RemovePasskey(ctx context.Context, id string, key []byte, on storage.Proof) error {
	set, err := s.Authenticators(ctx, id)
	if err != nil || set.Account.FactorsVersion != on.FactorsVersion {
		return storage.ErrChanged
	}
	return s.write(len(set.Passkeys) > 1, storage.ErrLast, func() error {
		for {
			now, err := s.Account(ctx, id)
			if err != nil {
				return err
			}
			err = s.Roles.SetPassword(ctx, id, now.Proof(), "hash", now.CreatedAt)
			if err == nil {
				now.Epoch++
				err = s.Roles.RemovePasskey(ctx, id, key, now.Proof())
			}
			if !errors.Is(err, storage.ErrChanged) {
				return err
			}
		}
	})
}

// CancelRecovery looks for a recovery, and reports what it has seen.
func (s lookingFirst) CancelRecovery(ctx context.Context, id string) (bool, error) {
	set, err := s.Authenticators(ctx, id)
	if err != nil || set.Running.AccountID == "" {
		return false, err
	}
	return true, s.write(true, storage.ErrNotFound, func() error {
		_, err := s.Roles.CancelRecovery(ctx, id)
		return err
	})
}

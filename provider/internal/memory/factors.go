package memory

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A cached session has its account beside it, with the version of its factors.

// AddPasskey implements storage.Authenticators.
func (s *Store) AddPasskey(ctx context.Context, p storage.Passkey, limit int, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.AddPasskey(ctx, p, limit, on)
}

// RemovePasskey implements storage.Authenticators.
func (s *Store) RemovePasskey(ctx context.Context, accountID string, id []byte, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.RemovePasskey(ctx, accountID, id, on)
}

// SetTOTP implements storage.Authenticators.
func (s *Store) SetTOTP(ctx context.Context, accountID string, t storage.TOTP, codes storage.RecoveryCodes, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.SetTOTP(ctx, accountID, t, codes, on)
}

// RemoveTOTP implements storage.Authenticators.
func (s *Store) RemoveTOTP(ctx context.Context, accountID string, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.RemoveTOTP(ctx, accountID, on)
}

// SetRecoveryCodes implements storage.Authenticators.
func (s *Store) SetRecoveryCodes(ctx context.Context, accountID string, codes storage.RecoveryCodes, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.SetRecoveryCodes(ctx, accountID, codes, on)
}

// SetSecondStep implements storage.Authenticators.
func (s *Store) SetSecondStep(ctx context.Context, accountID string, required bool, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.SetSecondStep(ctx, accountID, required, on)
}

// RemovePassword implements storage.Authenticators.
func (s *Store) RemovePassword(ctx context.Context, accountID string, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.RemovePassword(ctx, accountID, on)
}

// AddLink implements storage.Links.
func (s *Store) AddLink(ctx context.Context, l storage.Link, limit int, on storage.Proof) error {
	defer s.forget(changed{every: sessions})
	return s.Store.AddLink(ctx, l, limit, on)
}

// RemoveLink implements storage.Links.
func (s *Store) RemoveLink(ctx context.Context, accountID string, digest storage.Digest, on storage.Proof, at time.Time) error {
	defer s.forget(changed{person: accountID, every: sessions})
	return s.Store.RemoveLink(ctx, accountID, digest, on, at)
}

// ResetAuthenticators implements storage.Authenticators.
func (s *Store) ResetAuthenticators(ctx context.Context, accountID string, at time.Time) error {
	defer s.forget(changed{person: accountID, every: ofAccount})
	return s.Store.ResetAuthenticators(ctx, accountID, at)
}

// FinishRecovery implements storage.Recoveries.
func (s *Store) FinishRecovery(ctx context.Context, f storage.RecoveryFinish) error {
	defer s.forget(changed{person: f.AccountID, every: ofAccount})
	return s.Store.FinishRecovery(ctx, f)
}

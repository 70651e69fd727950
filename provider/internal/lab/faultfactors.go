package lab

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// What an account has beside its password.

func (s *FaultyStore) Passkey(ctx context.Context, id []byte) (p storage.Passkey, a storage.Account, err error) {
	err = s.do(ctx, "Passkey", func() (err error) { p, a, err = s.Store.Passkey(ctx, id); return err })
	if err != nil {
		return storage.Passkey{}, storage.Account{}, err
	}
	return p, a, nil
}

func (s *FaultyStore) Authenticators(ctx context.Context, accountID string) (storage.AuthenticatorSet, error) {
	return value(ctx, s, "Authenticators", func() (storage.AuthenticatorSet, error) { return s.Store.Authenticators(ctx, accountID) })
}

func (s *FaultyStore) AddPasskey(ctx context.Context, p storage.Passkey, limit int, on storage.Proof) error {
	return s.do(ctx, "AddPasskey", func() error { return s.Store.AddPasskey(ctx, p, limit, on) })
}

func (s *FaultyStore) RenamePasskey(ctx context.Context, accountID string, id []byte, name string) error {
	return s.do(ctx, "RenamePasskey", func() error { return s.Store.RenamePasskey(ctx, accountID, id, name) })
}

func (s *FaultyStore) RemovePasskey(ctx context.Context, accountID string, id []byte, on storage.Proof) error {
	return s.do(ctx, "RemovePasskey", func() error { return s.Store.RemovePasskey(ctx, accountID, id, on) })
}

func (s *FaultyStore) SetTOTP(ctx context.Context, accountID string, t storage.TOTP, codes storage.RecoveryCodes, on storage.Proof) error {
	return s.do(ctx, "SetTOTP", func() error { return s.Store.SetTOTP(ctx, accountID, t, codes, on) })
}

func (s *FaultyStore) CountTOTPMiss(ctx context.Context, accountID string) (int, error) {
	return value(ctx, s, "CountTOTPMiss", func() (int, error) { return s.Store.CountTOTPMiss(ctx, accountID) })
}

func (s *FaultyStore) RemoveTOTP(ctx context.Context, accountID string, on storage.Proof) error {
	return s.do(ctx, "RemoveTOTP", func() error { return s.Store.RemoveTOTP(ctx, accountID, on) })
}

func (s *FaultyStore) SetRecoveryCodes(ctx context.Context, accountID string, codes storage.RecoveryCodes, on storage.Proof) error {
	return s.do(ctx, "SetRecoveryCodes", func() error { return s.Store.SetRecoveryCodes(ctx, accountID, codes, on) })
}

func (s *FaultyStore) SetSecondStep(ctx context.Context, accountID string, required bool, on storage.Proof) error {
	return s.do(ctx, "SetSecondStep", func() error { return s.Store.SetSecondStep(ctx, accountID, required, on) })
}

func (s *FaultyStore) RemovePassword(ctx context.Context, accountID string, on storage.Proof) error {
	return s.do(ctx, "RemovePassword", func() error { return s.Store.RemovePassword(ctx, accountID, on) })
}

func (s *FaultyStore) TrustDevice(ctx context.Context, d storage.TrustedDevice, on storage.Proof) error {
	return s.do(ctx, "TrustDevice", func() error { return s.Store.TrustDevice(ctx, d, on) })
}

func (s *FaultyStore) ForgetDevices(ctx context.Context, accountID string, digest storage.Digest) (int, error) {
	return value(ctx, s, "ForgetDevices", func() (int, error) { return s.Store.ForgetDevices(ctx, accountID, digest) })
}

func (s *FaultyStore) ResetAuthenticators(ctx context.Context, accountID string, at time.Time) error {
	return s.do(ctx, "ResetAuthenticators", func() error { return s.Store.ResetAuthenticators(ctx, accountID, at) })
}

func (s *FaultyStore) BeginRecovery(ctx context.Context, r storage.Recovery, epoch int64) error {
	return s.do(ctx, "BeginRecovery", func() error { return s.Store.BeginRecovery(ctx, r, epoch) })
}

func (s *FaultyStore) CancelRecovery(ctx context.Context, accountID string) (bool, error) {
	return value(ctx, s, "CancelRecovery", func() (bool, error) { return s.Store.CancelRecovery(ctx, accountID) })
}

func (s *FaultyStore) ApproveRecovery(ctx context.Context, accountID string, at time.Time) error {
	return s.do(ctx, "ApproveRecovery", func() error { return s.Store.ApproveRecovery(ctx, accountID, at) })
}

func (s *FaultyStore) FinishRecovery(ctx context.Context, f storage.RecoveryFinish) error {
	return s.do(ctx, "FinishRecovery", func() error { return s.Store.FinishRecovery(ctx, f) })
}

func (s *FaultyStore) LinkedAccount(ctx context.Context, digest storage.Digest) (l storage.Link, a storage.Account, err error) {
	err = s.do(ctx, "LinkedAccount", func() (err error) { l, a, err = s.Store.LinkedAccount(ctx, digest); return err })
	if err != nil {
		return storage.Link{}, storage.Account{}, err
	}
	return l, a, nil
}

func (s *FaultyStore) AddLink(ctx context.Context, l storage.Link, limit int, on storage.Proof) error {
	return s.do(ctx, "AddLink", func() error { return s.Store.AddLink(ctx, l, limit, on) })
}

func (s *FaultyStore) RemoveLink(ctx context.Context, accountID string, digest storage.Digest, on storage.Proof, at time.Time) error {
	return s.do(ctx, "RemoveLink", func() error { return s.Store.RemoveLink(ctx, accountID, digest, on, at) })
}

package sqlstore

import (
	"context"
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

// SetTOTP implements storage.Authenticators.
func (s *Store) SetTOTP(ctx context.Context, accountID string, t storage.TOTP, codes storage.RecoveryCodes, on storage.Proof) error {
	return s.changeFactors(ctx, "set app", accountID, on, func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.totp (account_id, sealed_secret, step, created_at, last_used_at) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (account_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, step = excluded.step,
				created_at = excluded.created_at, last_used_at = excluded.last_used_at, misses = 0`,
			accountID, nonNil(t.Secret), t.Step, micros(t.CreatedAt), micros(t.LastUsedAt))
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE main.accounts SET second_step = 1 WHERE id = ?1`, accountID); err != nil {
			return err
		}
		if err := endSessionsBy(tx, accountID, on.Session, storage.TOTPCode); err != nil || len(codes.Digests) == 0 {
			return err
		}
		return replaceCodes(tx, accountID, codes, on.Session)
	})
}

// CountTOTPMiss implements storage.Authenticators.
func (s *Store) CountTOTPMiss(ctx context.Context, accountID string) (int, error) {
	return write(ctx, s, "count wrong code of app", func(tx *tx) (int, error) {
		misses, err := one(tx, scanInt, `UPDATE main.totp SET misses = misses + 1 WHERE account_id = ?1 RETURNING misses`, accountID)
		if errors.Is(err, storage.ErrNotFound) {
			return 0, nil
		}
		return misses, err
	})
}

// RemoveTOTP implements storage.Authenticators.
func (s *Store) RemoveTOTP(ctx context.Context, accountID string, on storage.Proof) error {
	return s.changeFactors(ctx, "remove app", accountID, on, func(tx *tx) error {
		if err := orNotFound(tx.exec(`DELETE FROM main.totp WHERE account_id = ?1`, accountID)); err != nil {
			return err
		}
		return endSessionsBy(tx, accountID, on.Session, storage.TOTPCode)
	})
}

// SetRecoveryCodes implements storage.Authenticators.
func (s *Store) SetRecoveryCodes(ctx context.Context, accountID string, codes storage.RecoveryCodes, on storage.Proof) error {
	return s.changeFactors(ctx, "set recovery codes", accountID, on, func(tx *tx) error {
		has, err := countSecondFactors(tx, accountID)
		if err == nil && has.none() {
			err = storage.ErrConflict
		}
		if err != nil {
			return err
		}
		return replaceCodes(tx, accountID, codes, on.Session)
	})
}

// replaceCodes records a set of recovery codes in place of the one before.
func replaceCodes(tx *tx, accountID string, codes storage.RecoveryCodes, except storage.Digest) error {
	if err := removeCodes(tx, accountID, except); err != nil {
		return err
	}
	return insertCodes(tx, accountID, codes)
}

// removeCodes removes the recovery codes of an account, and ends the sessions by them, all but one.
func removeCodes(tx *tx, accountID string, except storage.Digest) error {
	if _, err := tx.exec(`DELETE FROM main.recovery_code_sets WHERE account_id = ?1`, accountID); err != nil {
		return err
	}
	return endSessionsBy(tx, accountID, except, storage.RecoveryCode)
}

func insertCodes(tx *tx, accountID string, codes storage.RecoveryCodes) error {
	_, err := tx.exec(`INSERT INTO main.recovery_code_sets (account_id, sealed_salt, created_at) VALUES (?1, ?2, ?3)`,
		accountID, nonNil(codes.Salt), micros(codes.CreatedAt))
	for _, code := range codes.Digests {
		if err != nil {
			break
		}
		_, err = tx.exec(`INSERT INTO main.recovery_codes (account_id, digest) VALUES (?1, ?2)`, accountID, code[:])
	}
	return err
}

// SetSecondStep implements storage.Authenticators.
func (s *Store) SetSecondStep(ctx context.Context, accountID string, required bool, on storage.Proof) error {
	return s.changeFactors(ctx, "set second step", accountID, on, func(tx *tx) error {
		has, err := countSecondFactors(tx, accountID)
		switch {
		case err != nil:
			return err
		case required && has.none(), !required && has.apps > 0:
			return storage.ErrConflict
		}
		_, err = tx.exec(`UPDATE main.accounts SET second_step = ?2 WHERE id = ?1`, accountID, flag(required))
		return err
	})
}

// RemovePassword implements storage.Authenticators.
func (s *Store) RemovePassword(ctx context.Context, accountID string, on storage.Proof) error {
	return s.changeFactors(ctx, "remove password", accountID, on, func(tx *tx) error {
		removed, err := tx.exec(`UPDATE main.accounts SET password_hash = '', password_changed_at = ?2 WHERE id = ?1 AND password_hash <> ''`,
			accountID, micros(on.At))
		if err := orNotFound(removed, err); err != nil {
			return err
		}
		if err := requireWayIn(tx, accountID); err != nil {
			return err
		}
		return endSessionsWith(tx, accountID, on.Session, func(of []storage.Factor) bool {
			return len(of) == 0 || slices.ContainsFunc(of, func(f storage.Factor) bool { return f.Method == storage.Password })
		})
	})
}

// TrustDevice implements storage.Authenticators. The lock orders this step and those that end
// the trust in all devices.
func (s *Store) TrustDevice(ctx context.Context, d storage.TrustedDevice, on storage.Proof) error {
	return s.change(ctx, "trust device", func(tx *tx) error {
		if err := requireProof(tx, d.AccountID, on, "", tx.store.dialect.ForShare); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO main.trusted_devices (digest, account_id, user_agent, address, created_at, expires_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
			d.Digest[:], d.AccountID, d.UserAgent, d.Address, micros(d.CreatedAt), micros(d.ExpiresAt))
		return err
	})
}

// ForgetDevices implements storage.Authenticators.
func (s *Store) ForgetDevices(ctx context.Context, accountID string, digest storage.Digest) (int, error) {
	return write(ctx, s, "forget devices", func(tx *tx) (int, error) {
		if digest.IsZero() {
			return tx.exec(`DELETE FROM main.trusted_devices WHERE account_id = ?1`, accountID)
		}
		return tx.exec(`DELETE FROM main.trusted_devices WHERE account_id = ?1 AND digest = ?2`, accountID, digest[:])
	})
}

package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// BeginRecovery implements storage.Recoveries. A recovery of an earlier epoch is over, and
// its row is taken.
func (s *Store) BeginRecovery(ctx context.Context, r storage.Recovery, epoch int64) error {
	return s.change(ctx, "begin recovery", func(tx *tx) error {
		current, err := one(tx, scanVersions, `SELECT epoch, factors_version FROM main.accounts WHERE id = ?1 AND disabled = 0 `+
			tx.store.dialect.ForUpdate, r.AccountID)
		if err != nil {
			return err
		}
		if current.epoch != epoch {
			return storage.ErrChanged
		}
		begun, err := tx.exec(`INSERT INTO main.recoveries (account_id, epoch, started_at, ready_at, ends_at, approved_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (account_id) DO UPDATE SET epoch = excluded.epoch, started_at = excluded.started_at,
				ready_at = excluded.ready_at, ends_at = excluded.ends_at, approved_at = excluded.approved_at
			WHERE recoveries.epoch <> excluded.epoch OR recoveries.ends_at <= excluded.started_at`,
			r.AccountID, epoch, micros(r.StartedAt), micros(r.ReadyAt), micros(r.EndsAt), micros(r.ApprovedAt))
		if err == nil && begun == 0 {
			err = storage.ErrConflict
		}
		return err
	})
}

// running is the condition of a recovery of the epoch of its account, which the step has
// locked, that has not lapsed at ?2. A disabled account has none: its lock has begun another
// epoch.
const running = ` WHERE account_id = ?1 AND ends_at > ?2 AND epoch = (SELECT epoch FROM main.accounts WHERE id = ?1)`

// CancelRecovery implements storage.Recoveries.
func (s *Store) CancelRecovery(ctx context.Context, accountID string) (bool, error) {
	return write(ctx, s, "cancel recovery", func(tx *tx) (bool, error) {
		if err := lockAccount(tx, accountID); err != nil {
			return false, absent(err)
		}
		n, err := tx.exec(`DELETE FROM main.recoveries WHERE account_id = ?1 AND epoch = (SELECT epoch FROM main.accounts WHERE id = ?1)`, accountID)
		return n > 0, err
	})
}

// ApproveRecovery implements storage.Recoveries.
func (s *Store) ApproveRecovery(ctx context.Context, accountID string, at time.Time) error {
	return s.change(ctx, "approve recovery", func(tx *tx) error {
		if err := lockAccount(tx, accountID); err != nil {
			return err
		}
		return orNotFound(tx.exec(`UPDATE main.recoveries SET approved_at = ?2`+running, accountID, micros(at)))
	})
}

// FinishRecovery implements storage.Recoveries.
func (s *Store) FinishRecovery(ctx context.Context, f storage.RecoveryFinish) error {
	return s.change(ctx, "finish recovery", func(tx *tx) error {
		if err := requireProof(tx, f.AccountID, f.On, "AND disabled = 0 ", tx.store.dialect.ForUpdate); err != nil {
			return err
		}
		if f.On.RecoveryCode.IsZero() {
			clock, err := clockOf(tx)
			if err != nil {
				return err
			}
			if err := orNotFound(tx.exec(`DELETE FROM main.recoveries`+running+` AND (ready_at <= ?3 OR ready_at <= started_at OR approved_at IS NOT NULL)`,
				f.AccountID, micros(f.At), micros(clock.Certain(f.At)))); err != nil {
				return err
			}
		}
		if err := removeFactors(tx, f.AccountID, f.At); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE main.accounts SET password_hash = ?2, password_changed_at = ?3, epoch = epoch + 1 WHERE id = ?1`,
			f.AccountID, f.PasswordHash, micros(f.At)); err != nil {
			return err
		}
		return endIssued(tx, f.AccountID, f.At)
	})
}

// lockAccount locks the row of an account, which every step about it does first.
func lockAccount(tx *tx, accountID string) error {
	_, err := one(tx, scanInt, `SELECT 1 FROM main.accounts WHERE id = ?1 `+tx.store.dialect.ForUpdate, accountID)
	return err
}

// absent turns storage.ErrNotFound into no error.
func absent(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

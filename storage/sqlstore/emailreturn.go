package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// openReturn records the way back from a change that the step has just made.
func openReturn(tx *tx, c storage.EmailChange) error {
	if c.ReturnUntil.IsZero() {
		return nil
	}
	_, err := tx.exec(`INSERT INTO main.email_returns (account_id, epoch, expires_at, changed_at) VALUES (?1, ?2, ?3, ?4)`,
		c.AccountID, c.On.Epoch+1, micros(c.ReturnUntil), micros(c.At))
	return err
}

// EmailReturn implements storage.EmailReturns.
func (s *Store) EmailReturn(ctx context.Context, accountID string, epoch int64, now time.Time) (storage.Account, error) {
	return read(ctx, s, "read return of e-mail", func(tx *tx) (storage.Account, error) {
		return one(tx, scanAccount, `SELECT `+accountColumns+` FROM main.email_returns r JOIN main.accounts a ON a.id = r.account_id
			WHERE r.account_id = ?1 AND r.epoch = ?2 AND r.expires_at > ?3 AND a.disabled = 0`, accountID, epoch, micros(now))
	})
}

// ReturnEmail implements storage.EmailReturns. The account is locked first, as everywhere,
// by a statement of its own, so that the next one sees the writes of the former holder of
// the lock.
func (s *Store) ReturnEmail(ctx context.Context, r storage.EmailReturn) (storage.Account, error) {
	return write(ctx, s, "return e-mail", func(tx *tx) (storage.Account, error) {
		before, err := one(tx, scanAccount, `SELECT `+accountColumns+` FROM main.accounts a
			WHERE a.id = ?1 AND a.disabled = 0 `+tx.store.dialect.ForUpdate, r.AccountID)
		if err != nil {
			return storage.Account{}, err
		}
		changedAt, err := one(tx, scanTime, `DELETE FROM main.email_returns WHERE account_id = ?1 AND epoch = ?2 AND expires_at > ?3 RETURNING changed_at`,
			r.AccountID, r.Epoch, micros(r.At))
		if err != nil {
			return storage.Account{}, err
		}
		if _, err := tx.exec(`DELETE FROM main.email_returns WHERE account_id = ?1 AND epoch > ?2`, r.AccountID, r.Epoch); err != nil {
			return storage.Account{}, err
		}
		_, err = tx.exec(`UPDATE main.accounts SET email = ?2, email_digest = ?3, email_verified = 1,
			password_hash = ?4, password_changed_at = ?5, epoch = epoch + 1 WHERE id = ?1`,
			r.AccountID, r.Email, optional(r.EmailKey), r.PasswordHash, micros(r.At))
		if err != nil {
			return storage.Account{}, err
		}
		if err := removeFactorsSince(tx, r.AccountID, changedAt, r.At); err != nil {
			return storage.Account{}, err
		}
		return before, endIssued(tx, r.AccountID, r.At)
	})
}

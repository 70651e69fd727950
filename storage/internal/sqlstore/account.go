package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const accountColumns = `a.id, a.email, a.email_key, a.email_verified,
	a.password_hash, a.password_changed_at, a.disabled, a.created_at`

// CreateAccount implements storage.Accounts.
func (s *Store) CreateAccount(ctx context.Context, a storage.Account) error {
	return s.change(ctx, "create account", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO accounts (id, email, email_key, email_verified,
				password_hash, password_changed_at, disabled, created_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
			a.ID, a.Email, optional(a.EmailKey), flag(a.EmailVerified),
			a.PasswordHash, micros(a.PasswordChangedAt), flag(a.Disabled), micros(a.CreatedAt))
		return err
	})
}

// Account implements storage.Accounts.
func (s *Store) Account(ctx context.Context, id string) (storage.Account, error) {
	return read(ctx, s, "read account", func(tx *tx) (storage.Account, error) {
		return one(tx, scanAccount, `SELECT `+accountColumns+` FROM accounts a WHERE a.id = ?1`, id)
	})
}

// AccountByEmail implements storage.Accounts.
func (s *Store) AccountByEmail(ctx context.Context, key string) (storage.Account, error) {
	return read(ctx, s, "read account by e-mail", func(tx *tx) (storage.Account, error) {
		return one(tx, scanAccount, `SELECT `+accountColumns+` FROM accounts a WHERE a.email_key = ?1`, key)
	})
}

// SetEmail implements storage.Accounts.
func (s *Store) SetEmail(ctx context.Context, id, email, key string, verified bool) error {
	return s.change(ctx, "set e-mail", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE accounts SET email = ?2, email_key = ?3, email_verified = ?4 WHERE id = ?1`,
			id, email, optional(key), flag(verified))
		return orNotFound(changed, err)
	})
}

// SetPassword implements storage.Accounts.
func (s *Store) SetPassword(ctx context.Context, id, hash string, keep storage.Digest, at time.Time) error {
	return s.change(ctx, "set password", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE accounts SET password_hash = ?2, password_changed_at = ?3 WHERE id = ?1`,
			id, hash, micros(at))
		if err := orNotFound(changed, err); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM sessions WHERE account_id = ?1 AND digest <> ?2`, id, keep[:]); err != nil {
			return err
		}
		return revokeSubject(tx, id, at)
	})
}

// SetDisabled implements storage.Accounts.
func (s *Store) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	return s.change(ctx, "set disabled", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE accounts SET disabled = ?2 WHERE id = ?1`, id, flag(disabled))
		if err := orNotFound(changed, err); err != nil || !disabled {
			return err
		}
		if _, err := tx.exec(`DELETE FROM sessions WHERE account_id = ?1`, id); err != nil {
			return err
		}
		return revokeSubject(tx, id, at)
	})
}

// DeleteAccount implements storage.Accounts.
func (s *Store) DeleteAccount(ctx context.Context, id string) error {
	return s.change(ctx, "delete account", func(tx *tx) error {
		for _, statement := range []string{
			`DELETE FROM accounts WHERE id = ?1`, // and its sessions
			`DELETE FROM grants WHERE subject = ?1`,
			`DELETE FROM consents WHERE subject = ?1`,
			`DELETE FROM attributes WHERE subject = ?1`,
			`DELETE FROM statuses WHERE subject = ?1`,
		} {
			if _, err := tx.exec(statement, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanAccount(row scanner) (a storage.Account, err error) {
	err = row.Scan(accountFields(&a)...)
	return a, err
}

// accountFields is where the accountColumns go.
func accountFields(a *storage.Account) []any {
	return []any{
		&a.ID, &a.Email, (*text)(&a.EmailKey), &a.EmailVerified,
		&a.PasswordHash, (*instant)(&a.PasswordChangedAt), &a.Disabled, (*instant)(&a.CreatedAt),
	}
}

// orNotFound turns a change of no row into storage.ErrNotFound.
func orNotFound(changed int, err error) error {
	if err == nil && changed == 0 {
		return storage.ErrNotFound
	}
	return err
}

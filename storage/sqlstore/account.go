package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const accountColumns = `a.id, a.email, a.email_digest, a.email_verified,
	a.password_hash, a.password_changed_at, a.disabled, a.epoch, a.factors_version, a.second_step, a.user_handle,
	a.language, a.delete_at, a.created_at`

// CreateAccount implements storage.Accounts.
func (s *Store) CreateAccount(ctx context.Context, a storage.Account, first ...storage.FirstFactors) error {
	return s.change(ctx, "create account", func(tx *tx) error {
		for _, f := range first {
			if len(f.Passkey.ID) > 0 {
				a.UserHandle = f.Passkey.UserHandle
			}
		}
		_, err := tx.exec(`INSERT INTO main.accounts (id, email, email_digest, email_verified,
				password_hash, password_changed_at, disabled, epoch, created_at, language, delete_at, person_revision,
				factors_version, second_step, user_handle)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)`,
			a.ID, a.Email, optional(a.EmailKey), flag(a.EmailVerified),
			a.PasswordHash, micros(a.PasswordChangedAt), flag(a.Disabled), a.Epoch, micros(a.CreatedAt), a.Language, micros(a.DeleteAt), newVersion(),
			a.FactorsVersion, flag(a.SecondStep), bytesOrNull(a.UserHandle))
		if err != nil {
			return err
		}
		// After the row is there, which a step that deletes it has made wait.
		departed, err := lockDeparted(tx, a.ID)
		if err == nil && departed.Subject != "" {
			err = storage.ErrUnavailable
		}
		if err != nil {
			return err
		}
		return insertFirstFactors(tx, a.ID, first)
	})
}

func insertFirstFactors(tx *tx, accountID string, first []storage.FirstFactors) error {
	for _, f := range first {
		if len(f.Passkey.ID) > 0 {
			f.Passkey.AccountID = accountID
			if err := insertPasskey(tx, f.Passkey); err != nil {
				return err
			}
		}
		if !f.Link.Digest.IsZero() {
			f.Link.AccountID = accountID
			if err := insertLink(tx, f.Link); err != nil {
				return err
			}
		}
		if len(f.Recovery.Digests) > 0 {
			if err := insertCodes(tx, accountID, f.Recovery); err != nil {
				return err
			}
		}
		if err := beginFirst(tx, accountID, f); err != nil {
			return err
		}
	}
	return nil
}

// beginFirst spends what a new account rests on, and signs its owner in.
func beginFirst(tx *tx, accountID string, f storage.FirstFactors) error {
	if err := spend(tx, accountID, f.On); err != nil || f.Begin.AccountID == "" {
		return err
	}
	if err := insertSession(tx, f.Begin); err != nil {
		return err
	}
	return replaceSession(tx, f.Replaced, f.Begin)
}

// Account implements storage.Accounts.
func (s *Store) Account(ctx context.Context, id string) (storage.Account, error) {
	return read(ctx, s, "read account", func(tx *tx) (storage.Account, error) {
		return one(tx, scanAccount, `SELECT `+accountColumns+` FROM main.accounts a WHERE a.id = ?1`, id)
	})
}

// AccountByEmail implements storage.Accounts.
func (s *Store) AccountByEmail(ctx context.Context, key string) (storage.Account, error) {
	return read(ctx, s, "read account by e-mail", func(tx *tx) (storage.Account, error) {
		return one(tx, scanAccount, `SELECT `+accountColumns+` FROM main.accounts a WHERE a.email_digest = ?1`, key)
	})
}

// Accounts implements storage.Accounts.
func (s *Store) Accounts(ctx context.Context, after string, limit int, due ...time.Time) ([]storage.Account, error) {
	var filter where
	filter.and("a.id > ?", after)
	for _, now := range due {
		filter.and("a.delete_at <= ?", micros(now))
	}
	query := `SELECT ` + accountColumns + ` FROM main.accounts a` + filter.String() + ` ORDER BY a.id LIMIT ` + filter.param(max(limit, 0))
	return read(ctx, s, "list accounts", func(tx *tx) ([]storage.Account, error) { return all(tx, scanAccount, query, filter.args...) })
}

// SetEmail implements storage.Accounts.
func (s *Store) SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error {
	return s.change(ctx, "set e-mail", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET email = ?3, email_digest = ?4, email_verified = ?5,
				epoch = epoch + CASE WHEN ?6 = 1 OR email_verified > ?5 THEN 1 ELSE 0 END
			WHERE id = ?1 AND coalesce(email_digest, '') = ?2`,
			id, oldKey, email, optional(key), flag(verified), flag(key != oldKey))
		if err := orChanged(tx, id, changed, err); err != nil || key == oldKey {
			return err
		}
		_, err = tx.exec(`DELETE FROM main.email_returns WHERE account_id = ?1`, id)
		return err
	})
}

// VerifyEmail implements storage.Accounts.
func (s *Store) VerifyEmail(ctx context.Context, id string, on storage.Proof) error {
	return s.change(ctx, "verify e-mail", func(tx *tx) error {
		if err := requireProof(tx, id, on, "", tx.store.dialect.ForUpdate); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE main.accounts SET email_verified = 1 WHERE id = ?1`, id)
		return err
	})
}

// ChangeEmail implements storage.Accounts.
func (s *Store) ChangeEmail(ctx context.Context, c storage.EmailChange) error {
	return s.change(ctx, "change e-mail", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET email = ?3, email_digest = ?4, email_verified = ?6, epoch = epoch + 1
			WHERE id = ?1 AND epoch = ?2 AND factors_version = ?5`,
			c.AccountID, c.On.Epoch, c.Email, optional(c.EmailKey), c.On.FactorsVersion, flag(!c.Unverified))
		if err := orChanged(tx, c.AccountID, changed, err); err != nil {
			return err
		}
		if err := spend(tx, c.AccountID, c.On); err != nil {
			return err
		}
		if err := openReturn(tx, c); err != nil {
			return err
		}
		if err := endIssued(tx, c.AccountID, c.At); err != nil {
			return err
		}
		if c.Begin.AccountID == "" {
			return nil
		}
		return insertSession(tx, c.Begin)
	})
}

// SetLanguage implements storage.Accounts.
func (s *Store) SetLanguage(ctx context.Context, id, language string) error {
	return s.change(ctx, "set language", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET language = ?2 WHERE id = ?1`, id, language)
		return orNotFound(changed, err)
	})
}

// SetPassword implements storage.Accounts.
func (s *Store) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	return s.change(ctx, "set password", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET password_hash = ?3, password_changed_at = ?4, epoch = epoch + 1
			WHERE id = ?1 AND epoch = ?2 AND factors_version = ?5`, id, on.Epoch, hash, micros(at), on.FactorsVersion)
		if err := orChanged(tx, id, changed, err); err != nil {
			return err
		}
		if err := spend(tx, id, on); err != nil {
			return err
		}
		if on.Session.IsZero() {
			if err := endLinks(tx, id, at); err != nil {
				return err
			}
		}
		if err := endIssued(tx, id, at); err != nil {
			return err
		}
		for _, session := range begin {
			if err := insertSession(tx, session); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rehash implements storage.Accounts.
func (s *Store) Rehash(ctx context.Context, id, oldHash, hash string) error {
	return s.change(ctx, "rehash password", func(tx *tx) error {
		_, err := tx.exec(`UPDATE main.accounts SET password_hash = ?3 WHERE id = ?1 AND password_hash = ?2`, id, oldHash, hash)
		return err
	})
}

// SetDisabled implements storage.Accounts.
func (s *Store) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	return s.change(ctx, "set disabled", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET disabled = ?2, epoch = epoch + ?2 WHERE id = ?1`, id, flag(disabled))
		if err := orNotFound(changed, err); err != nil || !disabled {
			return err
		}
		return endIssued(tx, id, at)
	})
}

// endIssued ends the sessions, the grants and the trusted devices of an account whose row the
// step has changed: a step that adds one waits for that row, or has gone before.
func endIssued(tx *tx, id string, at time.Time) error {
	if err := forgetDevices(tx, id); err != nil {
		return err
	}
	if _, err := tx.exec(`DELETE FROM main.sessions WHERE account_id = ?1`, id); err != nil {
		return err
	}
	if _, err := endClientSessions(tx, id, storage.Digest{}); err != nil {
		return err
	}
	return revokeSubject(tx, id, at)
}

// EndIssued implements storage.Accounts. The account goes first, as everywhere.
func (s *Store) EndIssued(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, "end what was issued", func(tx *tx) error {
		if _, err := tx.exec(`UPDATE main.accounts SET epoch = epoch + 1 WHERE id = ?1`, id); err != nil {
			return err
		}
		return endIssued(tx, id, at)
	})
}

// DeleteAccount implements storage.Accounts.
func (s *Store) DeleteAccount(ctx context.Context, id, pseudonym string, erase storage.Erase, due ...time.Time) (bool, error) {
	return write(ctx, s, "delete account", func(tx *tx) (bool, error) {
		for _, now := range due {
			// The row is locked while it is still due: a step that keeps the account goes before or finds none.
			_, err := one(tx, scanInt, `SELECT 1 FROM main.accounts WHERE id = ?1 AND delete_at <= ?2 `+tx.store.dialect.ForUpdate, id, micros(now))
			if errors.Is(err, storage.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
		return deletePerson(tx, id, pseudonym, erase)
	})
}

// deletePerson removes an account, which goes first as everywhere, and a subject's data.
// The decisions go before the grants, which are made while a decision is locked. What is left
// gets the pseudonym of a deletion that is not complete.
func deletePerson(tx *tx, id, pseudonym string, erase storage.Erase) (bool, error) {
	found := 0
	for _, statement := range []string{
		`DELETE FROM main.accounts WHERE id = ?1`, // and its sessions
		`DELETE FROM main.consents WHERE subject = ?1`,
		`DELETE FROM main.former_recipients WHERE subject = ?1`, // which the end of a decision writes
		`UPDATE main.grants SET revoked_at = created_at WHERE subject = ?1 AND revoked_at IS NULL`,
		`DELETE FROM main.attributes WHERE subject = ?1`,
		`DELETE FROM main.statuses WHERE subject = ?1`,
	} {
		n, err := tx.exec(statement, id)
		if err != nil {
			return false, err
		}
		found += n
	}
	renamed, err := renamePerson(tx, id, pseudonym)
	if err != nil {
		return false, err
	}
	ended, err := endClientSessions(tx, id, storage.Digest{})
	if err != nil {
		return false, err
	}
	removed, err := depart(tx, storage.Departed{Subject: id, Pseudonym: pseudonym}, erase)
	return found+renamed+ended+removed > 0, err
}

// depart removes what may be much of a deleted person, as far as a step goes, and records that
// the deletion is not complete. What one before it has left counts for nothing.
func depart(tx *tx, d storage.Departed, erase storage.Erase) (removed int, err error) {
	known, err := lockDeparted(tx, d.Subject)
	if err != nil || known.Subject != "" {
		return 0, err
	}
	removed, _, err = removeLeft(tx, d, erase)
	if err == nil {
		_, err = tx.exec(`INSERT INTO main.departed (subject, pseudonym) VALUES (?1, ?2) ON CONFLICT (subject) DO NOTHING`, d.Subject, d.Pseudonym)
	}
	return removed, err
}

// renamePerson puts the pseudonym in place of a person in what stays.
func renamePerson(tx *tx, id, pseudonym string) (renamed int, err error) {
	for _, statement := range []string{
		`UPDATE main.matters SET subject = ?2, sealed_note = NULL WHERE subject = ?1`,
		`UPDATE main.breaks SET target = ?2 WHERE target = ?1`,
		`UPDATE main.plan_targets SET id = ?2 WHERE id = ?1 
			AND EXISTS (SELECT 1 FROM main.plans p WHERE p.id = plan_targets.plan_id AND p.kind = '` + storage.KindPerson + `')`,
	} {
		n, err := tx.exec(statement, id, pseudonym)
		if err != nil {
			return 0, err
		}
		renamed += n
	}
	return renamed, nil
}

func scanAccount(row scanner) (a storage.Account, err error) {
	err = row.Scan(accountFields(&a)...)
	return a, err
}

// accountFields is where the accountColumns go.
func accountFields(a *storage.Account) []any {
	return []any{
		&a.ID, &a.Email, (*text)(&a.EmailKey), &a.EmailVerified,
		&a.PasswordHash, (*instant)(&a.PasswordChangedAt), &a.Disabled, &a.Epoch, &a.FactorsVersion, &a.SecondStep, &a.UserHandle,
		&a.Language, (*instant)(&a.DeleteAt), (*instant)(&a.CreatedAt),
	}
}

// orNotFound turns a change of no row into storage.ErrNotFound.
func orNotFound(changed int, err error) error {
	if err == nil && changed == 0 {
		return storage.ErrNotFound
	}
	return err
}

// orChanged turns a conditional change of no account into storage.ErrChanged, or
// storage.ErrNotFound when there is none.
func orChanged(tx *tx, id string, changed int, err error) error {
	if err != nil || changed > 0 {
		return err
	}
	if _, err := one(tx, scanInt, `SELECT 1 FROM main.accounts WHERE id = ?1`, id); err != nil {
		return err
	}
	return storage.ErrChanged
}

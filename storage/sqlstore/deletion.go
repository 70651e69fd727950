package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SetDeletion implements storage.Deletions.
func (s *Store) SetDeletion(ctx context.Context, id string, on storage.Proof, deleteAt, at time.Time) error {
	return s.change(ctx, "set deletion", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET delete_at = ?3, epoch = epoch + 1 WHERE id = ?1 AND epoch = ?2 AND factors_version = ?4`,
			id, on.Epoch, micros(deleteAt), on.FactorsVersion)
		if err := orChanged(tx, id, changed, err); err != nil {
			return err
		}
		if err := spend(tx, id, on); err != nil || deleteAt.IsZero() {
			return err
		}
		return endIssued(tx, id, at)
	})
}

// DueAccounts implements storage.Deletions.
func (s *Store) DueAccounts(ctx context.Context, now time.Time, after string, limit int) ([]storage.Account, error) {
	return read(ctx, s, "list due accounts", func(tx *tx) ([]storage.Account, error) {
		return all(tx, scanAccount, `SELECT `+accountColumns+` FROM main.accounts a
			WHERE a.delete_at <= ?1 AND a.id > ?2 ORDER BY a.id LIMIT ?3`, micros(now), after, max(limit, 0))
	})
}

// DeleteDueAccount implements storage.Deletions. The row is locked while it is still due:
// a step that keeps the account goes before or finds none.
func (s *Store) DeleteDueAccount(ctx context.Context, id, pseudonym string, now time.Time, erase storage.Erase) (bool, error) {
	return write(ctx, s, "delete due account", func(tx *tx) (bool, error) {
		_, err := one(tx, scanInt, `SELECT 1 FROM main.accounts WHERE id = ?1 AND delete_at <= ?2 `+
			tx.store.dialect.ForUpdate, id, micros(now))
		if errors.Is(err, storage.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return deletePerson(tx, id, pseudonym, erase)
	})
}

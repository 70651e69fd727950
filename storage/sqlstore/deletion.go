package sqlstore

import (
	"context"
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

package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// ForgetCase implements storage.Cases.
func (s *Store) ForgetCase(ctx context.Context, id string, version int64, left ...storage.LeftReference) error {
	return s.change(ctx, "forget case", func(tx *tx) error {
		found, err := all(tx, scanString, `SELECT id FROM main.cases WHERE id = ?1 AND version = ?2 `+tx.store.dialect.ForUpdate, id, version)
		if err == nil && len(found) == 0 {
			err = storage.ErrChanged
		}
		if err != nil {
			return err
		}
		for _, r := range left {
			_, err := tx.exec(`INSERT INTO main.left_references (id, group_name, method, sealed_reference, left_at, next_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
				r.ID, r.Group, r.Method, r.Sealed, micros(r.LeftAt), micros(r.NextAt))
			if err != nil {
				return err
			}
		}
		return forgetCase(tx, id)
	})
}

// DueReferences implements storage.Cases.
func (s *Store) DueReferences(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]storage.LeftReference, error) {
	return write(ctx, s, "take due references", func(tx *tx) ([]storage.LeftReference, error) {
		return all(tx, scanLeftReference, `UPDATE main.left_references SET next_at = ?2 WHERE next_at <= ?1 AND id IN (
			SELECT id FROM main.left_references WHERE next_at <= ?1 ORDER BY next_at, id LIMIT ?3)
			RETURNING id, group_name, method, sealed_reference, left_at, next_at`, micros(now), micros(now.Add(lease)), max(limit, 0))
	})
}

// SettleReference implements storage.Cases.
func (s *Store) SettleReference(ctx context.Context, id string, next time.Time) error {
	return s.change(ctx, "settle reference", func(tx *tx) error {
		if next.IsZero() {
			_, err := tx.exec(`DELETE FROM main.left_references WHERE id = ?1`, id)
			return err
		}
		_, err := tx.exec(`UPDATE main.left_references SET next_at = ?2 WHERE id = ?1`, id, micros(next))
		return err
	})
}

func scanLeftReference(row scanner) (r storage.LeftReference, err error) {
	err = row.Scan(&r.ID, &r.Group, &r.Method, &r.Sealed, (*instant)(&r.LeftAt), (*instant)(&r.NextAt))
	return r, err
}

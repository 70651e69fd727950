package sqlstore

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// Keys implements storage.Keys.
func (s *Store) Keys(ctx context.Context) ([]storage.Key, error) {
	return read(ctx, s, "read keys", func(tx *tx) ([]storage.Key, error) {
		return all(tx, scanKey, `SELECT generation, alg, id, sealed, created_at, use_from FROM main.keys ORDER BY generation`)
	})
}

// AddKey implements storage.Keys.
func (s *Store) AddKey(ctx context.Context, k storage.Key) error {
	return s.change(ctx, "add key", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.keys (generation, alg, id, sealed, created_at, use_from) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
			k.Generation, k.Alg, k.ID, k.Sealed, micros(k.CreatedAt), micros(k.UseFrom))
		return err
	})
}

// ResealKey implements storage.Keys.
func (s *Store) ResealKey(ctx context.Context, generation int64, before, sealed []byte) error {
	return s.change(ctx, "reseal key", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.keys SET sealed = ?3 WHERE generation = ?1 AND sealed = ?2`, generation, before, sealed)
		if err == nil && changed == 0 {
			err = storage.ErrNotFound
		}
		return err
	})
}

// RemoveKeys implements storage.Keys.
func (s *Store) RemoveKeys(ctx context.Context, alg string, before int64) error {
	return s.change(ctx, "remove keys", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM main.keys WHERE generation < ?1 AND ?2 IN ('', alg)`, before, alg)
		return err
	})
}

func scanKey(row scanner) (k storage.Key, err error) {
	err = row.Scan(&k.Generation, &k.Alg, &k.ID, &k.Sealed, (*instant)(&k.CreatedAt), (*instant)(&k.UseFrom))
	return k, err
}

package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// RecordSecretUse implements storage.Clients. A registration of the configuration has
// secrets that were never made: the zero time has its number here.
func (s *Store) RecordSecretUse(ctx context.Context, clientID string, created, at time.Time) error {
	return s.change(ctx, "record use of secret", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.secret_uses (client_id, secret_created_at, used_at) VALUES (?1, ?2, ?3)
			ON CONFLICT (client_id, secret_created_at) DO UPDATE SET used_at = excluded.used_at
			WHERE secret_uses.used_at < excluded.used_at`, clientID, storage.UnixMicro(created), micros(at))
		return err
	})
}

// SecretUses implements storage.Clients.
func (s *Store) SecretUses(ctx context.Context, clientID string) ([]storage.SecretUse, error) {
	return read(ctx, s, "read uses of secrets", func(tx *tx) ([]storage.SecretUse, error) {
		return all(tx, scanSecretUse, `SELECT secret_created_at, used_at FROM main.secret_uses
			WHERE client_id = ?1 ORDER BY secret_created_at`, clientID)
	})
}

func scanSecretUse(row scanner) (u storage.SecretUse, err error) {
	err = row.Scan((*instant)(&u.CreatedAt), (*instant)(&u.UsedAt))
	return u, err
}

package sqlstore

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// Installation implements storage.Installations.
func (s *Store) Installation(ctx context.Context) (storage.Installation, error) {
	return read(ctx, s, "read installation", func(tx *tx) (storage.Installation, error) {
		return one(tx, scanInstallation, `SELECT issuer, data_key FROM main.installation WHERE singleton = 1`)
	})
}

// CreateInstallation implements storage.Installations.
func (s *Store) CreateInstallation(ctx context.Context, i storage.Installation) error {
	return s.change(ctx, "create installation", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.installation (singleton, issuer, data_key) VALUES (1, ?1, ?2)`, i.Issuer, i.DataKey)
		return err
	})
}

// SaveInstallation implements storage.Installations.
func (s *Store) SaveInstallation(ctx context.Context, old, i storage.Installation) error {
	return s.change(ctx, "save installation", func(tx *tx) error {
		saved, err := tx.exec(`UPDATE main.installation SET issuer = ?1, data_key = ?2
			WHERE singleton = 1 AND issuer = ?3 AND data_key = ?4`, i.Issuer, i.DataKey, old.Issuer, old.DataKey)
		if err == nil && saved == 0 {
			return storage.ErrChanged
		}
		return err
	})
}

func scanInstallation(row scanner) (i storage.Installation, err error) {
	err = row.Scan(&i.Issuer, &i.DataKey)
	return i, err
}

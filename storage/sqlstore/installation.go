package sqlstore

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// Installation implements storage.Installations.
func (s *Store) Installation(ctx context.Context) (storage.Installation, error) {
	return read(ctx, s, "read installation", func(tx *tx) (storage.Installation, error) {
		return one(tx, scanInstallation, `SELECT issuer, data_keys, rp_id, end_before FROM main.installation WHERE singleton = 1`)
	})
}

// SaveInstallation implements storage.Installations.
func (s *Store) SaveInstallation(ctx context.Context, old, i storage.Installation) error {
	return s.change(ctx, "save installation", func(tx *tx) error {
		if old.Issuer == "" {
			return unlessWritten(tx.exec(`INSERT INTO main.installation (singleton, issuer, data_keys, rp_id, end_before)
				VALUES (1, ?1, ?2, ?3, ?4) ON CONFLICT (singleton) DO NOTHING`, i.Issuer, i.DataKeys, i.RPID, micros(i.EndBefore)))
		}
		return unlessWritten(tx.exec(`UPDATE main.installation SET issuer = ?1, data_keys = ?2, rp_id = ?3, end_before = ?4
			WHERE singleton = 1 AND issuer = ?5 AND data_keys = ?6 AND rp_id = ?7 AND COALESCE(end_before = ?8, end_before IS NULL AND ?8 IS NULL)`,
			i.Issuer, i.DataKeys, i.RPID, micros(i.EndBefore), old.Issuer, old.DataKeys, old.RPID, micros(old.EndBefore)))
	})
}

func scanInstallation(row scanner) (i storage.Installation, err error) {
	err = row.Scan(&i.Issuer, &i.DataKeys, &i.RPID, (*instant)(&i.EndBefore))
	return i, err
}

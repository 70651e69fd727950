package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const deviceCodeColumns = `digest, user_code, client_id, scopes, resources, jkt, address, state, created_at, expires_at`

// SaveDeviceCode implements storage.DeviceCodes.
func (s *Store) SaveDeviceCode(ctx context.Context, c storage.DeviceCode) error {
	return s.change(ctx, "save device code", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.device_codes (`+deviceCodeColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
			c.Digest[:], c.UserCode[:], c.ClientID, listText(c.Scopes), listText(c.Resources), digestOrNull(c.JKT), c.Address,
			int64(storage.DevicePending), micros(c.CreatedAt), micros(c.ExpiresAt))
		return err
	})
}

// DeviceCode implements storage.DeviceCodes.
func (s *Store) DeviceCode(ctx context.Context, by storage.DeviceCodeID) (storage.DeviceCode, error) {
	column, digest := "digest", by.Digest
	if digest.IsZero() {
		column, digest = "user_code", by.UserCode
	}
	return read(ctx, s, "read device code", func(tx *tx) (storage.DeviceCode, error) {
		return one(tx, scanDeviceCode, `SELECT `+deviceCodeColumns+` FROM main.device_codes WHERE `+column+` = ?1`, digest[:])
	})
}

func scanDeviceCode(row scanner) (c storage.DeviceCode, err error) {
	err = row.Scan((*digest)(&c.Digest), (*digest)(&c.UserCode), &c.ClientID, (*list)(&c.Scopes), (*list)(&c.Resources),
		(*optionalDigest)(&c.JKT), &c.Address, &c.State, (*instant)(&c.CreatedAt), (*instant)(&c.ExpiresAt))
	return c, err
}

// AllowDeviceCode implements storage.DeviceCodes. The account is locked before the request, as
// in every step that changes both.
func (s *Store) AllowDeviceCode(ctx context.Context, digest storage.Digest, g storage.Grant, on storage.Basis, issued storage.Token) error {
	return s.change(ctx, "allow device code", func(tx *tx) error {
		if err := refuseDisabled(tx, g.Subject); err != nil {
			return err
		}
		if err := decideDeviceCode(tx, digest, storage.DeviceAllowed, g.CreatedAt); err != nil {
			return err
		}
		return insertGrant(tx, g, on, []storage.Token{issued})
	})
}

// DenyDeviceCode implements storage.DeviceCodes.
func (s *Store) DenyDeviceCode(ctx context.Context, digest storage.Digest, subject string, session storage.Digest, at time.Time) error {
	return s.change(ctx, "deny device code", func(tx *tx) error {
		if err := requireSession(tx, subject, session); err != nil {
			return err
		}
		return decideDeviceCode(tx, digest, storage.DeviceDenied, at)
	})
}

// decideDeviceCode gives a pending request its final state. The row decides between concurrent
// decisions.
func decideDeviceCode(tx *tx, digest storage.Digest, state storage.DeviceState, at time.Time) error {
	decided, err := tx.exec(`UPDATE main.device_codes SET state = ?2 WHERE digest = ?1 AND state = 1 AND expires_at > ?3`,
		digest[:], int64(state), micros(at))
	if err != nil || decided == 1 {
		return err
	}
	c, err := one(tx, scanDeviceCode, `SELECT `+deviceCodeColumns+` FROM main.device_codes WHERE digest = ?1`, digest[:])
	switch {
	case err != nil:
		return err
	case c.State != storage.DevicePending:
		return storage.ErrSpent
	default:
		return storage.ErrNotFound
	}
}

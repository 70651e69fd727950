package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const consentColumns = `subject, client_id, scopes, created_at, decided_at, last_used_at`

// Consent implements storage.Consents.
func (s *Store) Consent(ctx context.Context, subject, clientID string) (storage.Consent, error) {
	return read(ctx, s, "read consent", func(tx *tx) (storage.Consent, error) {
		return one(tx, scanConsent, `SELECT `+consentColumns+` FROM consents
			WHERE subject = ?1 AND client_id = ?2`, subject, clientID)
	})
}

// SaveConsent implements storage.Consents.
func (s *Store) SaveConsent(ctx context.Context, c storage.Consent) error {
	return s.change(ctx, "save consent", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO consents (subject, client_id, scopes, created_at, decided_at, last_used_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (subject, client_id) DO UPDATE SET
				scopes = excluded.scopes, decided_at = excluded.decided_at, last_used_at = excluded.last_used_at`,
			c.Subject, c.ClientID, listText(c.Scopes),
			micros(c.CreatedAt), micros(c.DecidedAt), micros(c.LastUsedAt))
		return err
	})
}

// Consents implements storage.Consents.
func (s *Store) Consents(ctx context.Context, subject string) ([]storage.Consent, error) {
	return read(ctx, s, "list consents", func(tx *tx) ([]storage.Consent, error) {
		return all(tx, scanConsent, `SELECT `+consentColumns+` FROM consents
			WHERE subject = ?1 ORDER BY coalesce(last_used_at, decided_at) DESC, client_id`, subject)
	})
}

// RevokeConsent implements storage.Consents.
func (s *Store) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	return s.change(ctx, "revoke consent", func(tx *tx) error {
		if _, err := tx.exec(`DELETE FROM consents WHERE subject = ?1 AND client_id = ?2`, subject, clientID); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE grants SET revoked_at = ?3
			WHERE subject = ?1 AND client_id = ?2 AND revoked_at IS NULL`, subject, clientID, micros(at))
		return err
	})
}

func scanConsent(row scanner) (c storage.Consent, err error) {
	err = row.Scan(&c.Subject, &c.ClientID, (*list)(&c.Scopes),
		(*instant)(&c.CreatedAt), (*instant)(&c.DecidedAt), (*instant)(&c.LastUsedAt))
	return c, err
}

package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const consentColumns = `subject, client_id, scopes, attributes, group_names, resources, left_out, client_name, redirect_hosts,
	decision, created_at, decided_at, last_used_at`

// Consent implements storage.Consents.
func (s *Store) Consent(ctx context.Context, subject, clientID string) (storage.Consent, error) {
	return read(ctx, s, "read consent", func(tx *tx) (storage.Consent, error) {
		return one(tx, scanConsent, `SELECT `+consentColumns+` FROM main.consents
			WHERE subject = ?1 AND client_id = ?2`, subject, clientID)
	})
}

// SaveConsent implements storage.Consents.
func (s *Store) SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error {
	return s.change(ctx, "save consent", func(tx *tx) error {
		if err := requireSession(tx, c.Subject, on.Session); err != nil {
			return err
		}
		if err := refuseAnswered(tx, on.Flow); err != nil {
			return err
		}
		const assign = `scopes = ?3, attributes = ?4, group_names = ?5, resources = ?6, left_out = ?7, client_name = ?8, redirect_hosts = ?9,
			decision = ?10, decided_at = ?11, last_used_at = ?12`
		args := []any{
			c.Subject, c.ClientID, listText(c.Scopes), listText(c.Attributes), listText(c.Groups), listText(c.Resources),
			listText(c.LeftOut), c.ClientName, listText(c.RedirectHosts), digestOrNull(c.Decision),
			micros(c.DecidedAt), micros(c.LastUsedAt),
		}
		var saved int
		var err error
		if on.Replaced.IsZero() {
			saved, err = tx.exec(`INSERT INTO main.consents (`+consentColumns+`)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?13, ?11, ?12)
				ON CONFLICT (subject, client_id) DO UPDATE SET `+assign+` WHERE consents.decision IS NULL`,
				append(args, micros(c.CreatedAt))...)
		} else {
			saved, err = tx.exec(`UPDATE main.consents SET `+assign+`
				WHERE subject = ?1 AND client_id = ?2 AND decision = ?13`, append(args, on.Replaced[:])...)
		}
		if err == nil && saved == 0 {
			return storage.ErrChanged
		}
		return err
	})
}

// refuseAnswered returns storage.ErrConflict when a flow has been answered.
func refuseAnswered(tx *tx, flow storage.Digest) error {
	if flow.IsZero() {
		return nil
	}
	_, err := one(tx, scanInt, `SELECT 1 FROM main.grants WHERE flow = ?1`, flow[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		return storage.ErrConflict
	}
	return err
}

// requireSession returns storage.ErrEnded unless the session is one of the subject,
// or zero. The lock on the account is taken before the session is looked for: what
// ends sessions changes the account first.
func requireSession(tx *tx, subject string, session storage.Digest) error {
	if err := refuseDisabled(tx, subject); err != nil || session.IsZero() {
		return err
	}
	_, err := one(tx, scanInt, `SELECT 1 FROM main.sessions WHERE digest = ?1 AND account_id = ?2`, session[:], subject)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrEnded
	}
	return err
}

// Consents implements storage.Consents.
func (s *Store) Consents(ctx context.Context, subject string) ([]storage.Consent, error) {
	return read(ctx, s, "list consents", func(tx *tx) ([]storage.Consent, error) {
		return all(tx, scanConsent, `SELECT `+consentColumns+` FROM main.consents
			WHERE subject = ?1 ORDER BY coalesce(last_used_at, decided_at) DESC, client_id`, subject)
	})
}

// RevokeConsent implements storage.Consents.
func (s *Store) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	return s.change(ctx, "revoke consent", func(tx *tx) error {
		if _, err := tx.exec(`DELETE FROM main.consents WHERE subject = ?1 AND client_id = ?2`, subject, clientID); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE main.grants SET revoked_at = ?3
			WHERE subject = ?1 AND client_id = ?2 AND revoked_at IS NULL`, subject, clientID, micros(at))
		return err
	})
}

func scanConsent(row scanner) (c storage.Consent, err error) {
	err = row.Scan(&c.Subject, &c.ClientID, (*list)(&c.Scopes), (*list)(&c.Attributes), (*list)(&c.Groups), (*list)(&c.Resources), (*list)(&c.LeftOut),
		&c.ClientName, (*list)(&c.RedirectHosts), (*optionalDigest)(&c.Decision),
		(*instant)(&c.CreatedAt), (*instant)(&c.DecidedAt), (*instant)(&c.LastUsedAt))
	return c, err
}

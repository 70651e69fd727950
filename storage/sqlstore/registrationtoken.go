package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const registrationTokenColumns = `digest, organization_id, environment, name, hosts, remaining, made_by, created_at, expires_at`

// madeByOwner is true for a registration token, t, whose maker is an owner, which lasts until the
// end of a step that has locked the organization, and is not locked.
const madeByOwner = `EXISTS (SELECT 1 FROM main.members m WHERE m.organization_id = t.organization_id AND m.user_id = t.made_by AND m.role = 'owner')
	AND NOT EXISTS (SELECT 1 FROM main.accounts WHERE id = t.made_by AND disabled <> 0)`

// CreateRegistrationToken implements storage.RegistrationTokens.
func (s *Store) CreateRegistrationToken(ctx context.Context, t storage.RegistrationToken, most int) error {
	return s.change(ctx, "create registration token", func(tx *tx) error {
		if err := lockRunning(tx, t.OrganizationID); err != nil {
			return err
		}
		has, err := one(tx, scanInt, `SELECT count(*) FROM main.registration_tokens
			WHERE organization_id = ?1 AND expires_at > ?2`, t.OrganizationID, micros(t.CreatedAt))
		if err != nil {
			return err
		}
		if has >= most {
			return storage.ErrLimit
		}
		_, err = tx.exec(`INSERT INTO main.registration_tokens (`+registrationTokenColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
			t.Digest[:], t.OrganizationID, t.Environment, t.Name, listText(t.Hosts), t.Remaining, t.MadeBy, micros(t.CreatedAt), micros(t.ExpiresAt))
		if err != nil {
			return err
		}
		_, err = one(tx, scanInt, `SELECT 1 FROM main.registration_tokens t WHERE t.digest = ?1 AND `+madeByOwner, t.Digest[:])
		return err // which takes it back
	})
}

// RegistrationTokens implements storage.RegistrationTokens.
func (s *Store) RegistrationTokens(ctx context.Context, of storage.TokenFilter) ([]storage.RegistrationToken, error) {
	query, args := `SELECT `+registrationTokenColumns+` FROM main.registration_tokens WHERE digest = ?1`, []any{of.Token[:]}
	if of.Token.IsZero() {
		query = `SELECT ` + registrationTokenColumns + ` FROM main.registration_tokens
			WHERE organization_id = ?1 AND expires_at > ?2 ORDER BY created_at DESC, digest`
		args = []any{of.OrganizationID, micros(of.Now)}
	}
	return read(ctx, s, "list registration tokens", func(tx *tx) ([]storage.RegistrationToken, error) {
		return all(tx, scanRegistrationToken, query, args...)
	})
}

// RemoveRegistrationToken implements storage.RegistrationTokens.
func (s *Store) RemoveRegistrationToken(ctx context.Context, organizationID string, token storage.Digest) error {
	return s.change(ctx, "remove registration token", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM main.registration_tokens WHERE digest = ?1 AND organization_id = ?2`, token[:], organizationID)
		return err
	})
}

// RegisterApplication implements storage.RegistrationTokens. The organization is locked before the
// token, as everywhere.
func (s *Store) RegisterApplication(ctx context.Context, a storage.Application, token storage.Digest, now time.Time, most int) error {
	return s.change(ctx, "register application", func(tx *tx) error {
		if err := lockRunning(tx, a.OrganizationID); err != nil {
			return err
		}
		used, err := tx.exec(`UPDATE main.registration_tokens AS t SET remaining = remaining - 1
			WHERE t.digest = ?1 AND t.organization_id = ?2 AND t.environment = ?3 AND t.expires_at > ?4 AND t.remaining > 0 AND `+madeByOwner,
			token[:], a.OrganizationID, a.Environment, micros(now))
		if err == nil && used == 0 {
			err = storage.ErrNotFound
		}
		if err != nil {
			return err
		}
		return createApplication(tx, a, most)
	})
}

func scanRegistrationToken(row scanner) (t storage.RegistrationToken, err error) {
	err = row.Scan((*digest)(&t.Digest), &t.OrganizationID, &t.Environment, &t.Name, (*list)(&t.Hosts), &t.Remaining, &t.MadeBy,
		(*instant)(&t.CreatedAt), (*instant)(&t.ExpiresAt))
	return t, err
}

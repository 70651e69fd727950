package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const invitationColumns = `token, organization_id, role, email, invited_by, created_at, expires_at`

// CreateInvitation implements storage.Organizations.
func (s *Store) CreateInvitation(ctx context.Context, i storage.Invitation, most int) error {
	return s.change(ctx, "create invitation", func(tx *tx) error {
		if err := lockOrganization(tx, i.OrganizationID); err != nil {
			return err
		}
		has, err := one(tx, scanInt, `SELECT count(*) FROM main.invitations
			WHERE organization_id = ?1 AND expires_at > ?2`, i.OrganizationID, micros(i.CreatedAt))
		if err != nil {
			return err
		}
		if has >= most {
			return storage.ErrLimit
		}
		_, err = tx.exec(`INSERT INTO main.invitations (`+invitationColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
			i.Token[:], i.OrganizationID, i.Role, bytesOrNull(i.Email), i.InvitedBy, micros(i.CreatedAt), micros(i.ExpiresAt))
		return err
	})
}

// Invitation implements storage.Organizations.
func (s *Store) Invitation(ctx context.Context, token storage.Digest) (storage.Invitation, error) {
	return read(ctx, s, "read invitation", func(tx *tx) (storage.Invitation, error) {
		return one(tx, scanInvitation, `SELECT `+invitationColumns+` FROM main.invitations WHERE token = ?1`, token[:])
	})
}

// Invitations implements storage.Organizations.
func (s *Store) Invitations(ctx context.Context, organizationID string, now time.Time) ([]storage.Invitation, error) {
	return read(ctx, s, "list invitations", func(tx *tx) ([]storage.Invitation, error) {
		return all(tx, scanInvitation, `SELECT `+invitationColumns+` FROM main.invitations
			WHERE organization_id = ?1 AND expires_at > ?2 ORDER BY created_at DESC, token`, organizationID, micros(now))
	})
}

// AcceptInvitation implements storage.Organizations.
func (s *Store) AcceptInvitation(ctx context.Context, token storage.Digest, userID string, now time.Time) (storage.Member, error) {
	return write(ctx, s, "accept invitation", func(tx *tx) (storage.Member, error) {
		organization, err := one(tx, scanString, `SELECT organization_id FROM main.invitations WHERE token = ?1`, token[:])
		if err == nil {
			err = lockOrganization(tx, organization)
		}
		if err != nil {
			return storage.Member{}, err
		}
		spent, err := one(tx, scanInvitation, `DELETE FROM main.invitations WHERE token = ?1 AND expires_at > ?2
			RETURNING `+invitationColumns, token[:], micros(now))
		if err != nil {
			return storage.Member{}, err
		}
		if _, err := tx.exec(`INSERT INTO main.developers (user_id) VALUES (?1) ON CONFLICT (user_id) DO NOTHING`, userID); err != nil {
			return storage.Member{}, err
		}
		err = insertMember(tx, storage.Member{OrganizationID: organization, UserID: userID, Role: spent.Role, JoinedAt: now})
		if err != nil {
			return storage.Member{}, err
		}
		return member(tx, organization, userID)
	})
}

// RemoveInvitation implements storage.Organizations.
func (s *Store) RemoveInvitation(ctx context.Context, organizationID string, token storage.Digest) error {
	return s.change(ctx, "remove invitation", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM main.invitations WHERE token = ?1 AND organization_id = ?2`, token[:], organizationID)
		return err
	})
}

func scanInvitation(row scanner) (i storage.Invitation, err error) {
	err = row.Scan((*digest)(&i.Token), &i.OrganizationID, &i.Role, &i.Email, &i.InvitedBy,
		(*instant)(&i.CreatedAt), (*instant)(&i.ExpiresAt))
	return i, err
}

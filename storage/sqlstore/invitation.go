package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const invitationColumns = `token, organization_id, role, email, invited_by, created_at, expires_at, appoints`

// holds is true for an invitation, i, whose maker may still invite: an owner, or an operator
// as long as the organization has no owner. It stays so until the end of a step that has
// locked the organization.
const holds = `CASE WHEN i.appoints = 0
	THEN EXISTS (SELECT 1 FROM main.members m WHERE m.organization_id = i.organization_id AND m.user_id = i.invited_by AND m.role = 'owner')
	ELSE NOT EXISTS (SELECT 1 FROM main.members m WHERE m.organization_id = i.organization_id AND m.role = 'owner') END`

// CreateInvitation implements storage.Organizations.
func (s *Store) CreateInvitation(ctx context.Context, i storage.Invitation, most int) error {
	return s.change(ctx, "create invitation", func(tx *tx) error {
		if err := lockFor(tx, i); err != nil {
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
		_, err = tx.exec(`INSERT INTO main.invitations (`+invitationColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
			i.Token[:], i.OrganizationID, i.Role, bytesOrNull(i.Email), i.InvitedBy, micros(i.CreatedAt), micros(i.ExpiresAt), flag(i.Appoints))
		if err != nil {
			return err
		}
		_, err = one(tx, scanInt, `SELECT 1 FROM main.invitations i WHERE i.token = ?1 AND `+holds, i.Token[:])
		return err // which takes it back
	})
}

// lockFor locks the organization of an invitation. A stopped organization gets no member except
// an owner whom an operator appoints.
func lockFor(tx *tx, i storage.Invitation) error {
	if i.Appoints {
		return lockOrganization(tx, i.OrganizationID)
	}
	return lockRunning(tx, i.OrganizationID)
}

// Invitations implements storage.Organizations.
func (s *Store) Invitations(ctx context.Context, of storage.TokenFilter) ([]storage.Invitation, error) {
	query, args := `SELECT `+invitationColumns+` FROM main.invitations WHERE token = ?1`, []any{of.Token[:]}
	if of.Token.IsZero() {
		query = `SELECT ` + invitationColumns + ` FROM main.invitations
			WHERE organization_id = ?1 AND expires_at > ?2 ORDER BY created_at DESC, token`
		args = []any{of.OrganizationID, micros(of.Now)}
	}
	return read(ctx, s, "list invitations", func(tx *tx) ([]storage.Invitation, error) { return all(tx, scanInvitation, query, args...) })
}

// AcceptInvitation implements storage.Organizations.
func (s *Store) AcceptInvitation(ctx context.Context, token storage.Digest, userID string, now time.Time, most int) (storage.Member, error) {
	return write(ctx, s, "accept invitation", func(tx *tx) (storage.Member, error) {
		waiting, err := one(tx, scanInvitation, `SELECT `+invitationColumns+` FROM main.invitations WHERE token = ?1`, token[:])
		organization := waiting.OrganizationID
		if err == nil {
			err = lockFor(tx, waiting)
		}
		if err != nil {
			return storage.Member{}, err
		}
		spent, err := one(tx, scanInvitation, `DELETE FROM main.invitations AS i WHERE i.token = ?1 AND i.expires_at > ?2
			AND NOT EXISTS (SELECT 1 FROM main.barred b WHERE b.token = i.token AND b.user_id = ?3) AND `+holds+` RETURNING `+invitationColumns,
			token[:], micros(now), userID)
		if err != nil {
			return storage.Member{}, err
		}
		if err := roomFor(tx, organization, userID, most); err != nil {
			return storage.Member{}, err
		}
		err = insertMember(tx, storage.Member{OrganizationID: organization, UserID: userID, Role: spent.Role, JoinedAt: now})
		if err == nil && spent.Appoints {
			_, err = tx.exec(`UPDATE main.members SET role = ?3 WHERE organization_id = ?1 AND user_id = ?2`, organization, userID, spent.Role)
		}
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
		(*instant)(&i.CreatedAt), (*instant)(&i.ExpiresAt), &i.Appoints)
	return i, err
}

// withdrawMade removes what lets others into an organization because a user has made it: the
// invitations and the registration tokens.
func withdrawMade(tx *tx, organizationID, userID string) error {
	for _, statement := range []string{
		`DELETE FROM main.invitations WHERE organization_id = ?1 AND invited_by = ?2 AND appoints = 0`,
		`DELETE FROM main.registration_tokens WHERE organization_id = ?1 AND made_by = ?2`,
	} {
		if _, err := tx.exec(statement, organizationID, userID); err != nil {
			return err
		}
	}
	return nil
}

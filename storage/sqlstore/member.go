package sqlstore

import (
	"context"
	"errors"

	"github.com/bonafide-id/bonafide/storage"
)

const memberColumns = `organization_id, user_id, role, joined_at`

func member(tx *tx, organizationID, userID string) (storage.Member, error) {
	return one(tx, scanMember, `SELECT `+memberColumns+` FROM main.members
		WHERE organization_id = ?1 AND user_id = ?2`, organizationID, userID)
}

// Members implements storage.Organizations.
func (s *Store) Members(ctx context.Context, organizationID string, user ...string) ([]storage.Member, error) {
	var filter where
	filter.and("organization_id = ?", organizationID)
	for _, id := range user {
		filter.and("user_id = ?", id)
	}
	query := `SELECT ` + memberColumns + ` FROM main.members` + filter.String() + ` ORDER BY joined_at, user_id`
	return read(ctx, s, "list members", func(tx *tx) ([]storage.Member, error) { return all(tx, scanMember, query, filter.args...) })
}

// insertMember makes a user a member, unless it is one.
func insertMember(tx *tx, m storage.Member) error {
	_, err := tx.exec(`INSERT INTO main.members (`+memberColumns+`) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (organization_id, user_id) DO NOTHING`, m.OrganizationID, m.UserID, m.Role, micros(m.JoinedAt))
	return err
}

// anotherOwner is true for a member whose organization keeps an owner without it. That
// stays true until the end of a step that has locked the organization.
const anotherOwner = `(role <> 'owner' OR EXISTS (SELECT 1 FROM main.members o
	WHERE o.organization_id = ?1 AND o.user_id <> ?2 AND o.role = 'owner'))`

// SetRole implements storage.Organizations.
func (s *Store) SetRole(ctx context.Context, organizationID, userID string, role storage.Role) error {
	return s.change(ctx, "set role", func(tx *tx) error {
		if err := lockOrganization(tx, organizationID); err != nil {
			return err
		}
		update := `UPDATE main.members SET role = ?3 WHERE organization_id = ?1 AND user_id = ?2`
		if role != storage.RoleOwner {
			update += ` AND ` + anotherOwner
		}
		set, err := tx.exec(update, organizationID, userID, role)
		switch {
		case err != nil:
			return err
		case set == 0:
			return orLastOwner(tx, organizationID, userID)
		case role != storage.RoleOwner:
			return withdrawMade(tx, organizationID, userID)
		}
		return nil
	})
}

// RemoveMember implements storage.Organizations.
func (s *Store) RemoveMember(ctx context.Context, organizationID, userID string) error {
	err := s.change(ctx, "remove member", func(tx *tx) error {
		if err := lockOrganization(tx, organizationID); err != nil {
			return err
		}
		removed, err := tx.exec(`DELETE FROM main.members WHERE organization_id = ?1 AND user_id = ?2 AND `+anotherOwner,
			organizationID, userID)
		if err == nil && removed == 0 {
			err = orLastOwner(tx, organizationID, userID)
		}
		if err != nil {
			return err
		}
		return barMember(tx, organizationID, userID)
	})
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

// barMember removes every earlier way back of a removed member.
func barMember(tx *tx, organizationID, userID string) error {
	if err := withdrawMade(tx, organizationID, userID); err != nil {
		return err
	}
	_, err := tx.exec(`INSERT INTO main.barred (token, user_id) SELECT token, CAST(?2 AS TEXT) FROM main.invitations
		WHERE organization_id = ?1 ON CONFLICT (token, user_id) DO NOTHING`, organizationID, userID)
	return err
}

// orLastOwner returns why a member was not changed: it is the last owner, or not a member.
func orLastOwner(tx *tx, organizationID, userID string) error {
	if _, err := member(tx, organizationID, userID); err != nil {
		return err
	}
	return storage.ErrConflict
}

func scanMember(row scanner) (m storage.Member, err error) {
	err = row.Scan(&m.OrganizationID, &m.UserID, &m.Role, (*instant)(&m.JoinedAt))
	return m, err
}

// EndMemberships implements storage.Organizations. The organizations are locked in the order
// of their IDs, so that two users who end at once do not wait for each other.
func (s *Store) EndMemberships(ctx context.Context, userID, pseudonym string) error {
	return s.change(ctx, "end memberships", func(tx *tx) error {
		of, err := all(tx, scanString, `SELECT organization_id FROM main.members WHERE user_id = ?1 ORDER BY organization_id`, userID)
		if err != nil {
			return err
		}
		for _, id := range of {
			if err := lockOrganization(tx, id); err != nil && !errors.Is(err, storage.ErrNotFound) {
				return err
			}
			if err := barMember(tx, id, userID); err != nil {
				return err
			}
		}
		for _, statement := range []string{
			`DELETE FROM main.members WHERE user_id = ?1`,
			`DELETE FROM main.developers WHERE user_id = ?1`,
		} {
			if _, err := tx.exec(statement, userID); err != nil {
				return err
			}
		}
		for _, id := range of {
			if _, err := tx.exec(`UPDATE main.organizations SET abandoned = 1 WHERE id = ?1
				AND NOT EXISTS (SELECT 1 FROM main.members WHERE organization_id = ?1 AND role = 'owner')`, id); err != nil {
				return err
			}
		}
		for _, statement := range []string{
			`UPDATE main.changes SET user_id = ?2 WHERE user_id = ?1`,
			`UPDATE main.applications SET created_by = ?2 WHERE created_by = ?1`,
			`UPDATE main.organizations SET stopped_by = ?2 WHERE stopped_by = ?1 AND stopped_at IS NOT NULL`,
		} {
			if _, err := tx.exec(statement, userID, pseudonym); err != nil {
				return err
			}
		}
		return nil
	})
}

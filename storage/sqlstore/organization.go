package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

const organizationColumns = `o.id, o.name, o.sealed_contact, o.created_at,
	o.stopped_at, o.stop_reason, o.stopped_by, o.version`

// CreateOrganization implements storage.Organizations.
func (s *Store) CreateOrganization(ctx context.Context, o storage.Organization, owner storage.Member, most int) error {
	version := newVersion()
	return s.change(ctx, "create organization", func(tx *tx) error {
		if err := roomFor(tx, o.ID, owner.UserID, most); err != nil {
			return err
		}
		if err := ownsStopped(tx, owner.UserID); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO main.organizations (id, name, sealed_contact, created_at, version)
			VALUES (?1, ?2, ?3, ?4, ?5)`, o.ID, o.Name, bytesOrNull(o.Contact), micros(o.CreatedAt), version); err != nil {
			return err
		}
		owner.OrganizationID, owner.Role = o.ID, storage.RoleOwner
		return insertMember(tx, owner)
	})
}

// roomFor returns ErrLimit for a user who is a member of most other organizations, or more.
// The update changes nothing; it locks the row, so that concurrent steps of one user do not
// count the same memberships.
func roomFor(tx *tx, organizationID, userID string, most int) error {
	if _, err := tx.exec(`INSERT INTO main.developers (user_id) VALUES (?1)
		ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id`, userID); err != nil {
		return err
	}
	has, err := one(tx, scanInt, `SELECT count(*) FROM main.members WHERE user_id = ?1 AND organization_id <> ?2`, userID, organizationID)
	if err == nil && has >= most {
		return storage.ErrLimit
	}
	return err
}

// ownsStopped returns storage.ErrOrganizationStopped for an owner of a stopped organization.
func ownsStopped(tx *tx, userID string) error {
	owns, err := one(tx, scanInt, `SELECT count(*) FROM main.members m JOIN main.organizations o ON o.id = m.organization_id
		WHERE m.user_id = ?1 AND m.role = 'owner' AND o.stopped_at IS NOT NULL`, userID)
	if err == nil && owns > 0 {
		return storage.ErrOrganizationStopped
	}
	return err
}

// Organization implements storage.Organizations.
func (s *Store) Organization(ctx context.Context, id string) (storage.Organization, error) {
	return read(ctx, s, "read organization", func(tx *tx) (storage.Organization, error) {
		return one(tx, scanOrganization, `SELECT `+organizationColumns+` FROM main.organizations o
			WHERE o.id = ?1 AND o.id <> '`+deletedOrganization+`'`, id)
	})
}

// Organizations implements storage.Organizations.
func (s *Store) Organizations(
	ctx context.Context, match storage.OrganizationFilter, after string, limit int,
) ([]storage.Organization, error) {
	filter := where{conditions: []string{"o.id <> '" + deletedOrganization + "'"}}
	filter.and("o.id > ?", after)
	if match.Stopped {
		filter.conditions = append(filter.conditions, "o.stopped_at IS NOT NULL")
	}
	if match.Search != "" {
		whole := "o.id = " + filter.param(match.Search)
		if len(match.Search) <= maxSearch {
			part := filter.param("%" + likeEscaper.Replace(match.Search) + "%")
			whole = "(lower(o.name) LIKE lower(" + part + `) ESCAPE '\' OR ` + whole + ")"
		}
		filter.conditions = append(filter.conditions, whole)
	}
	query := `SELECT ` + organizationColumns + ` FROM main.organizations o` + filter.String() + ` ORDER BY o.id LIMIT ` + filter.param(limit)
	return read(ctx, s, "list organizations", func(tx *tx) ([]storage.Organization, error) {
		return all(tx, scanOrganization, query, filter.args...)
	})
}

// ownerless is the condition of an organization, o, without an owner. An index has those that
// were once abandoned.
const ownerless = `o.abandoned = 1 AND NOT EXISTS (SELECT 1 FROM main.members m WHERE m.organization_id = o.id AND m.role = 'owner')`

// Ownerless implements storage.Organizations.
func (s *Store) Ownerless(ctx context.Context, after string, limit int) ([]storage.Ownerless, error) {
	return read(ctx, s, "list organizations without an owner", func(tx *tx) ([]storage.Ownerless, error) {
		return all(tx, scanOwnerless, `SELECT `+organizationColumns+`,
			(SELECT count(*) FROM main.members m WHERE m.organization_id = o.id),
			(SELECT count(*) FROM main.applications a WHERE a.organization_id = o.id)
			FROM main.organizations o WHERE o.id > ?1 AND `+ownerless+`
			ORDER BY o.id LIMIT ?2`, after, limit)
	})
}

// SaveOrganization implements storage.Organizations.
func (s *Store) SaveOrganization(ctx context.Context, o storage.Organization) error {
	version := newVersion()
	return s.change(ctx, "save organization", func(tx *tx) error {
		saved, err := tx.exec(`UPDATE main.organizations SET name = ?3, sealed_contact = ?4, version = ?5
			WHERE id = ?1 AND version = ?2`, o.ID, o.Version, o.Name, bytesOrNull(o.Contact), version)
		if err == nil && saved == 0 {
			return storage.ErrChanged
		}
		return err
	})
}

// DeleteOrganization implements storage.Organizations.
func (s *Store) DeleteOrganization(ctx context.Context, id string) error {
	return s.change(ctx, "delete organization", func(tx *tx) error {
		if err := lockRunning(tx, id); err != nil {
			return err
		}
		deleted, err := tx.exec(`DELETE FROM main.organizations WHERE id = ?1
			AND NOT EXISTS (SELECT 1 FROM main.applications WHERE organization_id = ?1)`, id) // cascades
		if err == nil && deleted == 0 {
			return storage.ErrConflict
		}
		if err != nil {
			return err
		}
		_, err = tx.exec(`INSERT INTO main.former_organizations (id, last_change)
			SELECT organization_id, max(id) FROM main.changes WHERE organization_id = ?1 GROUP BY organization_id
			ON CONFLICT (id) DO UPDATE SET last_change = excluded.last_change`, id)
		return err
	})
}

// Memberships implements storage.Organizations.
func (s *Store) Memberships(ctx context.Context, userID string) ([]storage.Membership, error) {
	memberships, err := read(ctx, s, "list memberships", func(tx *tx) ([]storage.Membership, error) {
		return all(tx, scanMembership, `SELECT `+organizationColumns+`, m.role
			FROM main.members m JOIN main.organizations o ON o.id = m.organization_id
			WHERE m.user_id = ?1`, userID)
	})
	slices.SortFunc(memberships, func(a, b storage.Membership) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return memberships, err
}

// lockOrganization orders the steps that change or count the members and applications of an
// organization. It is the first lock of each of them, so that no two wait for each other.
func lockOrganization(tx *tx, id string) error {
	err := lockRunning(tx, id)
	if errors.Is(err, storage.ErrOrganizationStopped) {
		return nil
	}
	return err
}

func scanOrganization(row scanner) (o storage.Organization, err error) {
	err = row.Scan(organizationFields(&o)...)
	return o, err
}

func scanMembership(row scanner) (m storage.Membership, err error) {
	err = row.Scan(append(organizationFields(&m.Organization), &m.Role)...)
	return m, err
}

func scanOwnerless(row scanner) (o storage.Ownerless, err error) {
	err = row.Scan(append(organizationFields(&o.Organization), &o.Members, &o.Applications)...)
	return o, err
}

// organizationFields is where the organizationColumns go.
func organizationFields(o *storage.Organization) []any {
	return []any{&o.ID, &o.Name, &o.Contact, (*instant)(&o.CreatedAt),
		(*instant)(&o.Stopped.At), &o.Stopped.Reason, &o.Stopped.By, &o.Version}
}

package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/bonafide-id/bonafide/storage"
)

// AppendChange implements storage.Organizations.
func (s *Store) AppendChange(ctx context.Context, c storage.Change) error {
	return s.change(ctx, "append change", func(tx *tx) error {
		if err := lockOrganization(tx, c.OrganizationID); err != nil {
			return err // a step that deletes it has seen the last one
		}
		return appendChange(tx, c)
	})
}

// appendChange records a change of an organization that is locked; storage.ErrNotFound if it is
// gone.
func appendChange(tx *tx, c storage.Change) error {
	fields, err := jsonOrNull(c.Fields, len(c.Fields))
	if err != nil {
		return err
	}
	recorded, err := tx.exec(`INSERT INTO main.changes (organization_id, at, user_id, environment, client_id, what, fields)
		SELECT o.id, CAST(?2 AS BIGINT), CAST(?3 AS TEXT), CAST(?4 AS TEXT), CAST(?5 AS TEXT), CAST(?6 AS TEXT), CAST(?7 AS TEXT)
		FROM main.organizations o WHERE o.id = ?1`,
		c.OrganizationID, micros(c.At), c.UserID, c.Environment, c.ClientID, c.What, fields)
	if err == nil && recorded == 0 {
		return storage.ErrNotFound
	}
	return err
}

// Changes implements storage.Organizations.
func (s *Store) Changes(ctx context.Context, match storage.ChangeFilter) ([]storage.Change, error) {
	var filter where
	filter.and("organization_id = ?", match.OrganizationID)
	filter.and("id > (SELECT coalesce(max(last_change), 0) FROM main.former_organizations WHERE id = ?)", match.OrganizationID)
	if match.Environment != "" {
		filter.and("environment = ?", match.Environment)
	}
	if match.ClientID != "" {
		filter.and("client_id = ?", match.ClientID)
	}
	if match.BeforeID != 0 {
		filter.and("id < ?", match.BeforeID)
	}
	query := `SELECT id, organization_id, at, user_id, environment, client_id, what, fields FROM main.changes` +
		filter.String() + ` ORDER BY id DESC LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "read changes", func(tx *tx) ([]storage.Change, error) {
		return all(tx, scanChange, query, filter.args...)
	})
}

// trimChanges removes them.
func (s *Store) trimChanges(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return s.removeEach(ctx, "remove changes", limit,
		func(tx *tx, n int) (int, error) {
			return tx.exec(`DELETE FROM main.changes WHERE id IN (
				SELECT id FROM main.changes WHERE at < ?1 ORDER BY at, id LIMIT ?2)`, micros(t.Before), n)
		},
		removeDeleted(`DELETE FROM main.changes WHERE id IN (
			SELECT c.id FROM main.former_organizations f JOIN main.changes c ON c.organization_id = f.id AND c.id <= f.last_change
			ORDER BY f.id, c.id LIMIT ?1)`),
		removeDeleted(`DELETE FROM main.former_organizations WHERE id IN (
			SELECT f.id FROM main.former_organizations f
			WHERE NOT EXISTS (SELECT 1 FROM main.changes c WHERE c.organization_id = f.id AND c.id <= f.last_change)
			ORDER BY f.id LIMIT ?1)`),
	)
}

func scanChange(row scanner) (c storage.Change, err error) {
	var fields []byte
	err = row.Scan(&c.ID, &c.OrganizationID, (*instant)(&c.At), &c.UserID, &c.Environment, &c.ClientID, &c.What, &fields)
	if err == nil && fields != nil {
		err = json.Unmarshal(fields, &c.Fields)
	}
	return c, err
}

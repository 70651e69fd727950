package sqlstore

import (
	"context"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

// MoveApplication implements storage.Applications. The two organizations are locked in one
// order, so that moves there and back do not wait for each other, and before the application,
// as everywhere.
func (s *Store) MoveApplication(ctx context.Context, environment, clientID string, version int64, toOrganization string, most int) error {
	next := newVersion()
	return s.change(ctx, "move application", func(tx *tx) error {
		from, err := one(tx, scanString, `SELECT organization_id FROM main.applications
			WHERE environment = ?1 AND client_id = ?2`, environment, clientID)
		if err != nil {
			return err
		}
		organizations := []string{from, toOrganization}
		slices.Sort(organizations)
		for _, id := range slices.Compact(organizations) {
			if err := lockRunning(tx, id); err != nil {
				return err
			}
		}
		has, err := one(tx, scanInt, `SELECT count(*) FROM main.applications
			WHERE organization_id = ?1 AND environment = ?2`, toOrganization, environment)
		if err != nil {
			return err
		}
		moved, err := tx.exec(`UPDATE main.applications SET organization_id = ?5, version = ?6
			WHERE environment = ?1 AND client_id = ?2 AND version = ?3 AND organization_id = ?4 AND deleting = 0`,
			environment, clientID, version, from, toOrganization, next)
		switch {
		case err != nil:
			return err
		case moved == 0:
			return storage.ErrChanged
		case from == toOrganization:
			return storage.ErrConflict
		case has >= most:
			return storage.ErrLimit
		}
		return nil
	})
}

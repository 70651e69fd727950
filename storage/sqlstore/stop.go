package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// StopOrganization implements storage.Organizations.
func (s *Store) StopOrganization(ctx context.Context, id string, stop storage.Stop) error {
	return s.change(ctx, "stop organization", func(tx *tx) error {
		err := lockRunning(tx, id)
		if errors.Is(err, storage.ErrOrganizationStopped) {
			return storage.ErrChanged
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE main.organizations SET stopped_at = ?2, stop_reason = ?3, stopped_by = ?4, version = ?5 WHERE id = ?1`,
			id, micros(stop.At), stop.Reason, stop.By, newVersion()); err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE main.applications SET halt = CASE halt WHEN '' THEN 'asked' ELSE 'begun' END,
			version = ?2 WHERE organization_id = ?1`, id, newVersion())
		return err
	})
}

// StartOrganization implements storage.Organizations.
func (s *Store) StartOrganization(ctx context.Context, id string, at time.Time, userID string) error {
	return s.change(ctx, "start organization", func(tx *tx) error {
		// With the lock nobody becomes a member before it is started.
		if err := lockOrganization(tx, id); err != nil {
			return err
		}
		_, err := member(tx, id, userID)
		switch {
		case err == nil:
			return storage.ErrConflict
		case !errors.Is(err, storage.ErrNotFound):
			return err
		}
		started, err := tx.exec(`UPDATE main.organizations SET stopped_at = NULL, stop_reason = '', stopped_by = ''
			WHERE id = ?1 AND stopped_at = ?2`, id, micros(at))
		if err == nil && started == 0 {
			return storage.ErrChanged
		}
		if err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE main.applications SET halt = CASE WHEN halt IN ('begun', 'done') THEN 'over' ELSE '' END
			WHERE organization_id = ?1`, id)
		return err
	})
}

// MarkApplication implements storage.Applications.
func (s *Store) MarkApplication(ctx context.Context, environment, clientID string, m storage.ApplicationMark) error {
	return s.change(ctx, "mark application", func(tx *tx) error {
		if m.Deleting {
			return orNotFound(tx.exec(`UPDATE main.applications SET deleting = 1 WHERE environment = ?1 AND client_id = ?2`, environment, clientID))
		}
		return unlessWritten(tx.exec(`UPDATE main.applications SET halt = ?4 WHERE environment = ?1 AND client_id = ?2 AND halt = ?3`,
			environment, clientID, m.From, m.To))
	})
}

// lockRunning is lockOrganization, and storage.ErrOrganizationStopped, with the lock, while the
// organization is stopped.
func lockRunning(tx *tx, id string) error {
	stopped, err := one(tx, scanInt, `SELECT CASE WHEN stopped_at IS NULL THEN 0 ELSE 1 END FROM main.organizations
		WHERE id = ?1 AND id <> '`+deletedOrganization+`' `+tx.store.dialect.ForUpdate, id)
	if err == nil && stopped != 0 {
		return storage.ErrOrganizationStopped
	}
	return err
}

package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SandboxSettings implements storage.Trials.
func (s *Store) SandboxSettings(ctx context.Context, organizationID string) (storage.SandboxSettings, error) {
	settings, err := read(ctx, s, "read sandbox settings", func(tx *tx) (storage.SandboxSettings, error) {
		return one(tx, scanSandboxSettings, `SELECT id, personas, clock_offset, sandbox_version FROM main.organizations WHERE id = ?1`, organizationID)
	})
	if errors.Is(err, storage.ErrNotFound) {
		return storage.SandboxSettings{OrganizationID: organizationID}, nil
	}
	return settings, err
}

// SaveSandboxSettings implements storage.Trials.
func (s *Store) SaveSandboxSettings(ctx context.Context, n storage.SandboxSettings) error {
	version := newVersion()
	return s.change(ctx, "save sandbox settings", func(tx *tx) error {
		if err := lockOrganization(tx, n.OrganizationID); err != nil {
			return err
		}
		return unlessWritten(tx.exec(`UPDATE main.organizations SET personas = ?2, clock_offset = ?3, sandbox_version = ?4
			WHERE id = ?1 AND sandbox_version = ?5`, n.OrganizationID, textOrNull(n.Personas), int64(n.ClockOffset), version, n.Version))
	})
}

// SetFault implements storage.Trials.
func (s *Store) SetFault(ctx context.Context, f storage.Fault) error {
	return s.change(ctx, "set fault", func(tx *tx) error {
		set, err := tx.exec(`UPDATE main.applications SET fault = ?2, fault_until = ?3 WHERE environment = 'sandbox' AND client_id = ?1`,
			f.ClientID, f.Name, micros(f.ExpiresAt))
		if err == nil && set == 0 && f.Name != "" {
			return storage.ErrNotFound
		}
		return err
	})
}

// Fault implements storage.Trials.
func (s *Store) Fault(ctx context.Context, clientID string) (storage.Fault, error) {
	return read(ctx, s, "read fault", func(tx *tx) (storage.Fault, error) {
		return one(tx, scanFault, `SELECT client_id, fault, fault_until FROM main.applications
			WHERE environment = 'sandbox' AND client_id = ?1 AND fault <> ''`, clientID)
	})
}

// AppendMail implements storage.Trials. The lock lets one step at a time count.
func (s *Store) AppendMail(ctx context.Context, m storage.SandboxMail, keep int) error {
	return s.change(ctx, "append mail", func(tx *tx) error {
		if err := lockOrganization(tx, m.OrganizationID); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO main.sandbox_mails (organization_id, at, content) VALUES (?1, ?2, ?3)`,
			m.OrganizationID, micros(m.At), m.Content); err != nil {
			return err
		}
		_, err := tx.exec(`DELETE FROM main.sandbox_mails WHERE organization_id = ?1 AND id <= (
			SELECT id FROM main.sandbox_mails WHERE organization_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
			m.OrganizationID, max(keep, 0))
		return err
	})
}

// Mails implements storage.Trials.
func (s *Store) Mails(ctx context.Context, organizationID string, limit int) ([]storage.SandboxMail, error) {
	return read(ctx, s, "read mails", func(tx *tx) ([]storage.SandboxMail, error) {
		return all(tx, scanSandboxMail, `SELECT id, organization_id, at, content FROM main.sandbox_mails
			WHERE organization_id = ?1 ORDER BY id DESC LIMIT ?2`, organizationID, max(limit, 0))
	})
}

func scanSandboxSettings(row scanner) (s storage.SandboxSettings, err error) {
	var offset int64
	err = row.Scan(&s.OrganizationID, &s.Personas, &offset, &s.Version)
	s.ClockOffset = time.Duration(offset)
	return s, err
}

func scanFault(row scanner) (f storage.Fault, err error) {
	err = row.Scan(&f.ClientID, &f.Name, (*instant)(&f.ExpiresAt))
	return f, err
}

func scanSandboxMail(row scanner) (m storage.SandboxMail, err error) {
	err = row.Scan(&m.ID, &m.OrganizationID, (*instant)(&m.At), &m.Content)
	return m, err
}

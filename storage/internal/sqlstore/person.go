package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

// Person implements storage.People.
func (s *Store) Person(ctx context.Context, subject string) (storage.Person, error) {
	return read(ctx, s, "read person", func(tx *tx) (storage.Person, error) {
		rows, err := all(tx, scanPersonRow, `
			SELECT 0, handle, value, 0, '', NULL, NULL FROM attributes WHERE subject = ?1
			UNION ALL
			SELECT 1, group_name, subgroups, verified, verified_by, verified_at, expires_at
			FROM statuses WHERE subject = ?1
			UNION ALL
			SELECT 2, '', email, email_verified, '', NULL, NULL FROM accounts WHERE id = ?1 AND disabled = 0`,
			subject)
		if err != nil {
			return storage.Person{}, err
		}
		return personOf(rows)
	})
}

// SetAttributes implements storage.People.
func (s *Store) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage) error {
	// In order, so that two calls at once never wait for each other.
	handles := slices.Sorted(maps.Keys(values))
	return s.change(ctx, "set attributes", func(tx *tx) error {
		for _, handle := range handles {
			if err := setAttribute(tx, subject, handle, values[handle]); err != nil {
				return err
			}
		}
		return nil
	})
}

func setAttribute(tx *tx, subject, handle string, value json.RawMessage) error {
	if value == nil || string(bytes.TrimSpace(value)) == "null" {
		_, err := tx.exec(`DELETE FROM attributes WHERE subject = ?1 AND handle = ?2`, subject, handle)
		return err
	}
	if !json.Valid(value) {
		return fmt.Errorf("the value of %q is not JSON", handle)
	}
	_, err := tx.exec(`INSERT INTO attributes (subject, handle, value) VALUES (?1, ?2, ?3)
		ON CONFLICT (subject, handle) DO UPDATE SET value = excluded.value`, subject, handle, string(value))
	return err
}

// SetStatus implements storage.People.
func (s *Store) SetStatus(ctx context.Context, subject string, status storage.Status) error {
	return s.change(ctx, "set status", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO statuses
				(subject, group_name, subgroups, verified, verified_by, verified_at, expires_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
			ON CONFLICT (subject, group_name) DO UPDATE SET
				subgroups = excluded.subgroups, verified = excluded.verified,
				verified_by = excluded.verified_by, verified_at = excluded.verified_at,
				expires_at = excluded.expires_at`,
			subject, status.Group, listText(status.Subgroups), flag(status.Verified),
			status.VerifiedBy, micros(status.VerifiedAt), micros(status.ExpiresAt))
		return err
	})
}

// RemoveStatus implements storage.People.
func (s *Store) RemoveStatus(ctx context.Context, subject, group string) error {
	return s.change(ctx, "remove status", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM statuses WHERE subject = ?1 AND group_name = ?2`, subject, group)
		return err
	})
}

// personRow is one thing that is recorded about a subject.
type personRow struct {
	kind   personRowKind
	key    string // handle or group
	value  text   // the attribute's value, the status's subgroups or the address
	status storage.Status
}

type personRowKind uint8

const (
	attributeRow personRowKind = 0
	statusRow    personRowKind = 1
	accountRow   personRowKind = 2
)

func scanPersonRow(row scanner) (r personRow, err error) {
	err = row.Scan(&r.kind, &r.key, &r.value, &r.status.Verified, &r.status.VerifiedBy,
		(*instant)(&r.status.VerifiedAt), (*instant)(&r.status.ExpiresAt))
	return r, err
}

func personOf(rows []personRow) (storage.Person, error) {
	var p storage.Person
	for _, row := range rows {
		switch row.kind {
		case attributeRow:
			if p.Attributes == nil {
				p.Attributes = make(map[string]json.RawMessage, len(rows))
			}
			p.Attributes[row.key] = json.RawMessage(row.value)
		case statusRow:
			row.status.Group = row.key
			if row.value != "" {
				if err := (*list)(&row.status.Subgroups).parse(string(row.value)); err != nil {
					return storage.Person{}, err
				}
			}
			p.Statuses = append(p.Statuses, row.status)
		case accountRow:
			p.HasAccount, p.Email, p.EmailVerified = true, string(row.value), row.status.Verified
		}
	}
	slices.SortFunc(p.Statuses, func(a, b storage.Status) int {
		return cmp.Compare(a.Group, b.Group)
	})
	return p, nil
}

package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Person implements storage.People. One query reads one state of the database: three in a
// transaction take 1.5 times as long on SQLite, and 2.8 times on PostgreSQL, where each is a
// round trip. PostgreSQL takes the type of a column from the first two parts of the union, so
// that these must have the numbers.
func (s *Store) Person(ctx context.Context, subject string) (storage.Person, error) {
	return read(ctx, s, "read person", func(tx *tx) (storage.Person, error) {
		rows, err := all(tx, scanPersonRow, `
			SELECT group_name, subgroups, verified, pending, verified_by, source, method, sealed_reason, verified_at, expires_at, revision, origin,
				NULL AS email, NULL AS email_verified, NULL AS handle, NULL AS sealed_value
			FROM main.statuses WHERE subject = ?1
			UNION ALL
			SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, person_revision, NULL, email, email_verified, NULL, NULL
			FROM main.accounts WHERE id = ?1 AND disabled = 0 AND delete_at IS NULL
			UNION ALL
			SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, handle, sealed_value
			FROM main.attributes WHERE subject = ?1`, subject)
		if err != nil {
			return storage.Person{}, err
		}
		return personOf(rows), nil
	})
}

// SetAttributes implements storage.People.
func (s *Store) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, find map[string]storage.Digest, on ...storage.PersonBasis) error {
	return s.change(ctx, "set attributes", func(tx *tx) error {
		if err := requirePerson(tx, subject, on, tx.store.dialect.ForUpdate); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE main.accounts SET person_revision = ?2 WHERE id = ?1`, subject, newVersion()); err != nil {
			return err
		}
		return setAttributes(tx, subject, values, find)
	})
}

// SetOwnAttributes implements storage.People. The row of the account orders this step and
// those that delete the account or record a status: otherwise a concurrent value would stay
// for ever, or pass for one that was checked.
func (s *Store) SetOwnAttributes(ctx context.Context, accountID string, epoch int64, values map[string]json.RawMessage, find map[string]storage.Digest, at time.Time) error {
	return s.change(ctx, "set own attributes", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET person_revision = ?3 WHERE id = ?1 AND epoch = ?2`, accountID, epoch, newVersion())
		if err := orChanged(tx, accountID, changed, err); err != nil {
			return err
		}
		checked, err := one(tx, scanInt, `SELECT count(*) FROM main.statuses
			WHERE subject = ?1 AND (pending = 1 OR verified = 1 AND (expires_at IS NULL OR expires_at > ?2))`, accountID, micros(at))
		if err == nil && checked > 0 {
			err = storage.ErrConflict
		}
		if err != nil {
			return err
		}
		return setAttributes(tx, accountID, values, find)
	})
}

// requirePerson checks the basis of a write about a person. The lock on the account is
// taken before anything is written: a step that deletes it, or changes the attributes,
// waits or is seen.
func requirePerson(tx *tx, subject string, on []storage.PersonBasis, lock string) error {
	revision, err := one(tx, scanRevision, `SELECT person_revision FROM main.accounts WHERE id = ?1 `+lock, subject)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	for _, basis := range on {
		switch {
		case basis.HasAccount && err != nil:
			return err
		case basis.Revision != 0 && basis.Revision != revision:
			return storage.ErrChanged
		}
	}
	return nil
}

func scanRevision(row scanner) (revision int64, err error) {
	err = row.Scan(&revision)
	return revision, err
}

// setAttributes writes in order of the handles, so that concurrent calls never wait for each
// other.
func setAttributes(tx *tx, subject string, values map[string]json.RawMessage, find map[string]storage.Digest) error {
	for _, handle := range slices.Sorted(maps.Keys(values)) {
		if err := setAttribute(tx, subject, handle, values[handle], find[handle]); err != nil {
			return err
		}
	}
	return nil
}

func setAttribute(tx *tx, subject, handle string, value json.RawMessage, find storage.Digest) error {
	if value == nil || string(bytes.TrimSpace(value)) == "null" {
		_, err := tx.exec(`DELETE FROM main.attributes WHERE subject = ?1 AND handle = ?2`, subject, handle)
		return err
	}
	if !json.Valid(value) {
		return fmt.Errorf("the value of %q is not JSON", handle)
	}
	_, err := tx.exec(`INSERT INTO main.attributes (subject, handle, sealed_value, find) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (subject, handle) DO UPDATE SET sealed_value = excluded.sealed_value, find = excluded.find`,
		subject, handle, string(value), digestOrNull(find))
	return err
}

// Subjects implements storage.People. Values without a digest are in no index.
func (s *Store) Subjects(ctx context.Context, match storage.SubjectFilter, after string, limit int) ([]string, error) {
	var filter where
	filter.and("subject > ?", after)
	if match.Handle != "" {
		filter.and("handle = ?", match.Handle)
		filter.and("find = ?", digestOrNull(match.Find))
	}
	query := `SELECT DISTINCT subject FROM main.attributes` + filter.String() + ` ORDER BY subject LIMIT ` + filter.param(max(limit, 0))
	return read(ctx, s, "list subjects", func(tx *tx) ([]string, error) { return all(tx, scanString, query, filter.args...) })
}

// ReplaceAttribute implements storage.People.
func (s *Store) ReplaceAttribute(ctx context.Context, subject, handle string, old, value json.RawMessage, find storage.Digest) error {
	if !json.Valid(value) {
		return fmt.Errorf("replace attribute: the value of %q is not JSON", handle)
	}
	return s.change(ctx, "replace attribute", func(tx *tx) error {
		replaced, err := tx.exec(`UPDATE main.attributes SET sealed_value = ?4, find = ?5
			WHERE subject = ?1 AND handle = ?2 AND sealed_value = ?3`, subject, handle, string(old), string(value), digestOrNull(find))
		if err == nil && replaced == 0 {
			return storage.ErrChanged
		}
		return err
	})
}

// SetStatus implements storage.People.
func (s *Store) SetStatus(ctx context.Context, subject string, status storage.Status, replaced int64, on ...storage.PersonBasis) error {
	status.Origin = ""
	revision := newVersion()
	return s.change(ctx, "set status", func(tx *tx) error {
		if err := requirePerson(tx, subject, on, tx.store.dialect.ForShare); err != nil {
			return err
		}
		set, err := recordStatus(tx, subject, status, revision, replaced)
		if err == nil && set == 0 {
			return storage.ErrChanged
		}
		return err
	})
}

// recordStatus records a status as this revision, in place of another, and returns how many
// were.
func recordStatus(tx *tx, subject string, status storage.Status, revision, replaced int64) (set int, err error) {
	const assign = `subgroups = ?3, verified = ?4, verified_by = ?5, verified_at = ?6, expires_at = ?7,
		pending = ?8, source = ?9, method = ?10, revision = ?11, sealed_reason = ?12, origin = ?13, ended_told = 0`
	const insert = `INSERT INTO main.statuses
			(subject, group_name, subgroups, verified, verified_by, verified_at, expires_at, pending, source, method, revision, sealed_reason, origin)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (subject, group_name) DO `
	args := []any{
		subject, status.Group, listText(status.Subgroups), flag(status.Verified),
		status.VerifiedBy, micros(status.VerifiedAt), micros(status.ExpiresAt),
		flag(status.Pending), status.Source, status.Method, revision, status.Reason, status.Origin,
	}
	switch replaced {
	case storage.AnyRevision:
		set, err = tx.exec(insert+`UPDATE SET `+assign, args...)
	case storage.NoStatus:
		return tx.exec(insert+`NOTHING`, args...) // nothing rests on it
	default:
		set, err = tx.exec(`UPDATE main.statuses SET `+assign+`
			WHERE subject = ?1 AND group_name = ?2 AND revision = ?14`, append(args, replaced)...)
	}
	if err == nil && set > 0 {
		err = haveChecked(tx, ofStatus, subject, status.Group)
	}
	return set, err
}

// RemoveStatus implements storage.People.
func (s *Store) RemoveStatus(ctx context.Context, subject, group string) error {
	return s.change(ctx, "remove status", func(tx *tx) error {
		removed, err := tx.exec(`DELETE FROM main.statuses WHERE subject = ?1 AND group_name = ?2`, subject, group)
		if err == nil && removed > 0 {
			err = haveChecked(tx, ofStatus, subject, group)
		}
		return err
	})
}

// EndStatuses implements storage.People. It is called every second, and mostly finds nothing, which
// takes no writer.
func (s *Store) EndStatuses(ctx context.Context, now time.Time, limit int, event func(subject, group string) storage.Event) ([]storage.Event, error) {
	type ended struct{ subject, group string }
	scan := func(row scanner) (e ended, err error) {
		err = row.Scan(&e.subject, &e.group)
		return e, err
	}
	const untold = ` WHERE verified = 1 AND ended_told = 0 AND expires_at <= ?1`
	const first = `SELECT subject, group_name FROM main.statuses` + untold + ` ORDER BY expires_at, subject, group_name LIMIT ?2`
	found, err := read(ctx, s, "look for ended statuses", func(tx *tx) ([]ended, error) { return all(tx, scan, first, micros(now), min(limit, 1)) })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return write(ctx, s, "end statuses", func(tx *tx) ([]storage.Event, error) {
		found, err := all(tx, scan, first+skipLocked(tx), micros(now), max(limit, 0))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 { // others have them
			return nil, nil
		}
		var filter where
		filter.param(micros(now))
		pairs := filter.values(repeated(len(found)), func(i int) []any {
			e := found[min(i, len(found)-1)]
			return []any{e.subject, e.group}
		})
		_, err = tx.exec(`UPDATE main.statuses SET ended_told = 1`+untold+` AND (subject, group_name) IN (VALUES `+pairs+`)`, filter.args...)
		events := make([]storage.Event, len(found))
		for i, e := range found {
			events[i] = event(e.subject, e.group)
		}
		if err == nil {
			err = appendEvents(tx, events)
		}
		return events, err
	})
}

// skipLocked ends a query for rows that nobody else changes now.
func skipLocked(tx *tx) string {
	if lock := tx.store.dialect.ForUpdate; lock != "" {
		return " " + lock + " SKIP LOCKED"
	}
	return ""
}

// personRow is a row of statuses, which has a group, of attributes, which has a handle,
// or of accounts.
type personRow struct {
	group      text
	subgroups  list
	verified   sql.NullBool
	pending    sql.NullBool
	verifiedBy text
	source     text
	method     text
	reason     text
	verifiedAt instant
	expiresAt  instant
	revision   sql.NullInt64
	origin     text

	email         text
	emailVerified sql.NullBool

	handle text
	value  text
}

func scanPersonRow(row scanner) (r personRow, err error) {
	err = row.Scan(&r.group, &r.subgroups, &r.verified, &r.pending, &r.verifiedBy, &r.source, &r.method, &r.reason, &r.verifiedAt, &r.expiresAt, &r.revision, &r.origin,
		&r.email, &r.emailVerified, &r.handle, &r.value)
	return r, err
}

func personOf(rows []personRow) storage.Person {
	var p storage.Person
	for _, row := range rows {
		switch {
		case row.group != "":
			p.Statuses = append(p.Statuses, storage.Status{
				Group: string(row.group), Subgroups: row.subgroups, Verified: row.verified.Bool, Pending: row.pending.Bool,
				VerifiedBy: string(row.verifiedBy), Source: string(row.source), Method: string(row.method), Reason: string(row.reason), VerifiedAt: time.Time(row.verifiedAt),
				ExpiresAt: time.Time(row.expiresAt), Revision: row.revision.Int64, Origin: string(row.origin),
			})
		case row.handle != "":
			if p.Attributes == nil {
				p.Attributes = make(map[string]json.RawMessage, len(rows))
			}
			p.Attributes[string(row.handle)] = json.RawMessage(row.value)
		default:
			p.HasAccount, p.Email, p.EmailVerified, p.Revision = true, string(row.email), row.emailVerified.Bool, row.revision.Int64
		}
	}
	slices.SortFunc(p.Statuses, func(a, b storage.Status) int {
		return cmp.Compare(a.Group, b.Group)
	})
	return p
}

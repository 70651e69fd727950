package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const evidenceColumns = `id, case_id, kind, media_type, size, digest, likeness, sealed_key, added_at, shred_at, shredded_at, held_until`

// AddEvidence implements storage.Evidences. The open cases of the subject are locked, so
// that one step at a time counts.
func (s *Store) AddEvidence(ctx context.Context, e storage.Evidence, subject string, limits storage.EvidenceLimits) error {
	return s.change(ctx, "add evidence", func(tx *tx) error {
		if err := lockOpenCases(tx, subject); err != nil {
			return err
		}
		if err := requireOpen(tx, e.CaseID, subject); err != nil {
			return err
		}
		added, err := tx.exec(`INSERT INTO main.evidence (id, case_id, kind, media_type, size, digest, likeness, sealed_key, added_at, shred_at, held_until)
			SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
			WHERE (SELECT count(*) FROM main.cases c JOIN main.evidence e ON e.case_id = c.id
					WHERE c.subject = ?12 AND c.`+notFinal+` AND e.sealed_key IS NOT NULL) < ?13
				AND (SELECT CAST(coalesce(sum(e.size), 0) AS BIGINT) FROM main.cases c JOIN main.evidence e ON e.case_id = c.id
					WHERE c.subject = ?12 AND c.`+notFinal+` AND e.sealed_key IS NOT NULL) <= ?14`,
			e.ID, e.CaseID, e.Kind, e.MediaType, e.Size, digestOrNull(e.Digest), likenessOrNull(e.Likeness), bytesOrNull(e.Key),
			micros(e.AddedAt), micros(e.ShredAt), micros(e.HeldUntil), subject, limits.Count, limits.Bytes-e.Size)
		if err == nil && added == 0 {
			err = storage.ErrLimit
		}
		return err
	})
}

// lockOpenCases locks what a subject may add evidence to, all steps in the same order.
func lockOpenCases(tx *tx, subject string) error {
	_, err := all(tx, scanString, `SELECT id FROM main.cases WHERE subject = ?1 AND `+notFinal+` ORDER BY id `+tx.store.dialect.ForUpdate, subject)
	return err
}

// requireOpen checks that a case is the subject's and open, until the end of the step.
func requireOpen(tx *tx, caseID, subject string) error {
	_, err := one(tx, scanInt, `SELECT 1 FROM main.cases WHERE id = ?1 AND subject = ?2 AND state = 'open' `+tx.store.dialect.ForUpdate, caseID, subject)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrEnded
	}
	return err
}

// Evidence implements storage.Evidences.
func (s *Store) Evidence(ctx context.Context, of storage.EvidenceID) ([]storage.Evidence, error) {
	query, arg := `SELECT `+evidenceColumns+` FROM main.evidence WHERE case_id = ?1 ORDER BY added_at, id`, of.CaseID
	if of.ID != "" {
		query, arg = `SELECT `+evidenceColumns+` FROM main.evidence WHERE id = ?1`, of.ID
	}
	return read(ctx, s, "list evidence", func(tx *tx) ([]storage.Evidence, error) { return all(tx, scanEvidence, query, arg) })
}

// RemoveEvidence implements storage.Evidences.
func (s *Store) RemoveEvidence(ctx context.Context, id, subject string, at time.Time) error {
	return s.change(ctx, "remove evidence", func(tx *tx) error {
		caseID, err := one(tx, scanString, `SELECT case_id FROM main.evidence WHERE id = ?1`, id)
		if errors.Is(err, storage.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = requireOpen(tx, caseID, subject)
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE main.evidence SET shred_at = ?2 WHERE id = ?1 AND sealed_key IS NOT NULL`, id, micros(at)); err != nil {
			return err
		}
		_, err = shred(tx, `id = ?2 AND shred_at <= ?1 AND `+notHeld, micros(at), id)
		return err
	})
}

// notHeld is true for evidence that is not held at the time of the first parameter.
const notHeld = `(held_until IS NULL OR held_until <= ?1)`

// shred removes the keys of evidence that meets a condition, whose first argument is the
// time, and remembers whose content is to be deleted.
func shred(tx *tx, condition string, args ...any) (int, error) {
	shredded, err := all(tx, scanString, `UPDATE main.evidence SET sealed_key = NULL, shredded_at = ?1, held_until = NULL
		WHERE sealed_key IS NOT NULL AND `+condition+` RETURNING id`, args...)
	if err != nil {
		return 0, err
	}
	return len(shredded), addLeftovers(tx, shredded)
}

func addLeftovers(tx *tx, ids []string) error {
	for _, id := range ids {
		if _, err := tx.exec(`INSERT INTO main.evidence_leftovers (id) VALUES (?1) ON CONFLICT (id) DO NOTHING`, id); err != nil {
			return err
		}
	}
	return nil
}

// HoldEvidence implements storage.Evidences.
func (s *Store) HoldEvidence(ctx context.Context, caseID string, until time.Time) error {
	return s.change(ctx, "hold evidence", func(tx *tx) error {
		_, err := tx.exec(`UPDATE main.evidence SET held_until = ?2 WHERE case_id = ?1 AND sealed_key IS NOT NULL`, caseID, micros(until))
		return err
	})
}

// CountEvidence implements storage.Evidences.
func (s *Store) CountEvidence(ctx context.Context, match storage.EvidenceFilter) (int, error) {
	query, args := `SELECT count(*) FROM (
		SELECT case_id FROM main.evidence WHERE digest = ?2 AND case_id <> ?1
		UNION SELECT case_id FROM main.evidence WHERE likeness = ?3 AND case_id <> ?1) AS alike`,
		[]any{match.NotOf, digestOrNull(match.Digest), likenessOrNull(match.Likeness)}
	if !match.OverdueAt.IsZero() {
		query = `SELECT count(*) FROM main.evidence WHERE sealed_key IS NOT NULL AND shred_at < ?1 AND ` + notHeld
		args = []any{micros(match.OverdueAt)}
	}
	return read(ctx, s, "count evidence", func(tx *tx) (int, error) { return one(tx, scanInt, query, args...) })
}

// ShredEvidence implements storage.Evidences. The conditions stand twice because the
// evidence may have been held after it was selected.
func (s *Store) ShredEvidence(ctx context.Context, now time.Time, limit int) (int, error) {
	return write(ctx, s, "shred evidence", func(tx *tx) (int, error) {
		return shred(tx, `shred_at <= ?1 AND `+notHeld+` AND id IN (
			SELECT id FROM main.evidence WHERE sealed_key IS NOT NULL AND shred_at <= ?1 AND `+notHeld+` ORDER BY shred_at, id LIMIT ?2)`,
			micros(now), max(limit, 0))
	})
}

// LeftoverEvidence implements storage.Evidences.
func (s *Store) LeftoverEvidence(ctx context.Context, after string, limit int) ([]string, error) {
	return read(ctx, s, "list leftover evidence", func(tx *tx) ([]string, error) {
		return all(tx, scanString, `SELECT id FROM main.evidence_leftovers WHERE id > ?1 ORDER BY id LIMIT ?2`, after, max(limit, 0))
	})
}

// DeletedEvidence implements storage.Evidences.
func (s *Store) DeletedEvidence(ctx context.Context, ids []string) error {
	return s.change(ctx, "record deleted evidence", func(tx *tx) error {
		for _, id := range ids {
			if _, err := tx.exec(`DELETE FROM main.evidence_leftovers WHERE id = ?1`, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// HeldEvidence implements storage.Evidences.
func (s *Store) HeldEvidence(ctx context.Context, afterCaseID string, limit int) ([]storage.Hold, error) {
	return read(ctx, s, "list held evidence", func(tx *tx) ([]storage.Hold, error) {
		return all(tx, scanHold, `SELECT case_id, max(held_until) FROM main.evidence
			WHERE held_until IS NOT NULL AND case_id > ?1 GROUP BY case_id ORDER BY case_id LIMIT ?2`, afterCaseID, max(limit, 0))
	})
}

func scanHold(row scanner) (h storage.Hold, err error) {
	err = row.Scan(&h.CaseID, (*instant)(&h.Until))
	return h, err
}

func scanEvidence(row scanner) (e storage.Evidence, err error) {
	var likeness sql.NullInt64
	err = row.Scan(&e.ID, &e.CaseID, &e.Kind, &e.MediaType, &e.Size, (*optionalDigest)(&e.Digest), &likeness, &e.Key,
		(*instant)(&e.AddedAt), (*instant)(&e.ShredAt), (*instant)(&e.ShreddedAt), (*instant)(&e.HeldUntil))
	e.Likeness = uint64(likeness.Int64)
	return e, err
}

// likenessOrNull is a likeness bit by bit, or NULL for none.
func likenessOrNull(likeness uint64) any {
	if likeness == 0 {
		return nil
	}
	return int64(likeness)
}

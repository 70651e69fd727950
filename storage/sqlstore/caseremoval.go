package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// ForgetCases implements storage.Cases.
func (s *Store) ForgetCases(ctx context.Context, subject, pseudonym string, limit int) (int, error) {
	return s.removeEach(ctx, "forget cases", limit,
		func(tx *tx, n int) (int, error) {
			cases, err := all(tx, scanString, `SELECT id FROM main.cases WHERE subject = ?1 ORDER BY id LIMIT ?2 `+tx.store.dialect.ForUpdate, subject, n)
			for _, id := range cases {
				if err == nil {
					err = forgetCase(tx, id)
				}
			}
			return len(cases), err
		},
		func(tx *tx, n int) (int, error) { // those that have outlived their case
			return tx.exec(`DELETE FROM main.fingerprints WHERE (group_name, kind, digest) IN (
				SELECT group_name, kind, digest FROM main.fingerprints WHERE subject = ?1 ORDER BY group_name, kind, digest LIMIT ?2)`, subject, n)
		},
		func(tx *tx, n int) (int, error) {
			return tx.exec(`DELETE FROM main.code_uses WHERE (digest, subject) IN (
				SELECT digest, subject FROM main.code_uses WHERE subject = ?1 ORDER BY digest LIMIT ?2)`, subject, n)
		},
		func(tx *tx, n int) (int, error) {
			return tx.exec(`UPDATE main.case_decisions SET subject = ?2, reviewer = CASE WHEN reviewer = ?1 THEN ?2 ELSE reviewer END
				WHERE id IN (SELECT id FROM main.case_decisions WHERE subject = ?1 ORDER BY id LIMIT ?3)`, subject, pseudonym, n)
		},
		func(tx *tx, n int) (int, error) {
			return tx.exec(`UPDATE main.case_decisions SET reviewer = ?2
				WHERE id IN (SELECT id FROM main.case_decisions WHERE reviewer = ?1 ORDER BY id LIMIT ?3)`, subject, pseudonym, n)
		},
		func(tx *tx, _ int) (int, error) {
			return tx.exec(`UPDATE main.cases SET taken_by = NULL, taken_until = NULL WHERE taken_by = ?1`, subject)
		},
		func(tx *tx, _ int) (int, error) {
			return tx.exec(`DELETE FROM main.reviewers WHERE id = ?1`, subject)
		},
	)
}

// forgetCase removes a case, which is locked, with all that belongs to it. Of its evidence
// the names are left, by which the content is found that nobody can open now.
func forgetCase(tx *tx, id string) error {
	evidence, err := all(tx, scanString, `DELETE FROM main.evidence WHERE case_id = ?1 RETURNING id`, id)
	if err != nil {
		return err
	}
	if err := addLeftovers(tx, evidence); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM main.fingerprints WHERE case_id = ?1`,
		`DELETE FROM main.cases WHERE id = ?1`, // and its decisions, references and messages
	} {
		if _, err := tx.exec(statement, id); err != nil {
			return err
		}
	}
	return nil
}

// removable is true for a case, c, that ended before a time, the first parameter, and that
// nothing rests on at the second: no evidence, no status and no appeal.
const removable = `c.ended_at < ?1
	AND NOT EXISTS (SELECT 1 FROM main.evidence e WHERE e.case_id = c.id
		AND (e.sealed_key IS NOT NULL OR EXISTS (SELECT 1 FROM main.evidence_leftovers l WHERE l.id = e.id)))
	AND NOT EXISTS (SELECT 1 FROM main.statuses s WHERE s.subject = c.subject AND s.group_name = c.group_name AND s.origin = c.id
		AND (s.pending = 1 OR s.verified = 1 AND (s.expires_at IS NULL OR s.expires_at > ?2)))
	AND NOT EXISTS (SELECT 1 FROM main.cases a WHERE a.appeals = c.id AND a.` + notFinal + `)`

// trimCases removes them.
func (s *Store) trimCases(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return s.removeEach(ctx, "remove cases", limit,
		func(tx *tx, n int) (int, error) { return removeCases(tx, t.Before, t.Now, n) },
		func(tx *tx, n int) (int, error) {
			return tx.exec(`DELETE FROM main.fingerprints WHERE free_at <= ?1 AND (group_name, kind, digest) IN (
				SELECT group_name, kind, digest FROM main.fingerprints WHERE free_at <= ?1 ORDER BY free_at, group_name, kind, digest LIMIT ?2)`,
				micros(t.Now), n)
		},
	)
}

// removeCases removes cases. They are locked and then looked at once more: an appeal may have
// begun, or evidence may be held, since they were found.
func removeCases(tx *tx, endedBefore, now time.Time, limit int) (int, error) {
	found, err := all(tx, scanString, `SELECT c.id FROM main.cases c WHERE `+removable+` ORDER BY c.ended_at, c.id LIMIT ?3 `+
		tx.store.dialect.ForUpdate, micros(endedBefore), micros(now), limit)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, id := range found {
		still, err := all(tx, scanString, `SELECT c.id FROM main.cases c WHERE c.id = ?3 AND `+removable, micros(endedBefore), micros(now), id)
		if err != nil {
			return 0, err
		}
		for range still {
			if err := removeCase(tx, id); err != nil {
				return 0, err
			}
			removed++
		}
	}
	return removed, nil
}

// removeCase removes a case. Fingerprints that become free later stay until then.
func removeCase(tx *tx, id string) error {
	for _, statement := range []string{
		`DELETE FROM main.evidence WHERE case_id = ?1`,
		`DELETE FROM main.fingerprints WHERE case_id = ?1 AND free_at IS NULL`,
		`DELETE FROM main.cases WHERE id = ?1`, // and its decisions, references and messages
	} {
		if _, err := tx.exec(statement, id); err != nil {
			return err
		}
	}
	return nil
}

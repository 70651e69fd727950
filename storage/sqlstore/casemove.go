package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// MoveCase implements storage.Cases.
func (s *Store) MoveCase(ctx context.Context, m storage.CaseMove, on storage.PersonBasis) (storage.Case, error) {
	version, revision := newVersion(), newVersion()
	return write(ctx, s, "move case", func(tx *tx) (storage.Case, error) {
		if err := requireActive(tx, m.Case, on); err != nil {
			return storage.Case{}, err
		}
		return moveCase(tx, m, version, revision)
	})
}

// requireActive checks the basis of a move: an account that has not been disabled since, unless
// the case ends as it would have for anybody.
func requireActive(tx *tx, c storage.Case, on storage.PersonBasis) error {
	if err := requirePerson(tx, c.Subject, []storage.PersonBasis{on}, tx.store.dialect.ForShare); err != nil {
		if errors.Is(err, storage.ErrNotFound) {
			return storage.ErrEnded
		}
		return err
	}
	if !on.HasAccount || c.State.IsFinal() && c.State != storage.CaseApproved {
		return nil
	}
	_, err := one(tx, scanInt, `SELECT 1 FROM main.accounts WHERE id = ?1 AND disabled = 0`, c.Subject)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrEnded
	}
	return err
}

// moveCase is a move as part of a larger step. The case is locked first, so that it can be
// said what is in the way of the move, whose conditions are those of its statement.
func moveCase(tx *tx, m storage.CaseMove, version, revision int64) (storage.Case, error) {
	before, err := lockCase(tx, m.Case.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return before, storage.ErrChanged
	case err != nil:
		return before, err
	case before.Version != m.Case.Version, before.Subject != m.Case.Subject, before.Group != m.Case.Group:
		return before, storage.ErrChanged
	case before.State.IsFinal():
		return before, storage.ErrEnded
	}
	moved, err := updateCase(tx, m, version)
	if errors.Is(err, storage.ErrNotFound) {
		return moved, storage.ErrForbidden // all but the reviewer was looked at
	}
	if err == nil && m.Status != nil {
		moved.StatusRevision, err = revision, recordStatusOf(tx, moved, *m.Status, revision)
	}
	if err == nil {
		err = nameCase(tx, moved, m)
	}
	if err == nil && m.Decision != nil {
		err = insertDecision(tx, before, *m.Decision)
	}
	if err == nil {
		err = bindFingerprints(tx, moved, m.Fingerprints, m.At)
	}
	if err == nil && !m.EvidenceUntil.IsZero() {
		_, err = tx.exec(`UPDATE main.evidence SET shred_at = ?2 WHERE case_id = ?1 AND sealed_key IS NOT NULL`, moved.ID, micros(m.EvidenceUntil))
	}
	return moved, err
}

func updateCase(tx *tx, m storage.CaseMove, version int64) (storage.Case, error) {
	c := m.Case
	var filter where
	set := `state = ` + filter.param(string(c.State)) + `, version = ` + filter.param(version) + `, method = ` + filter.param(c.Method) +
		`, round = ` + filter.param(c.Round) + `, escalated = ` + filter.param(flag(c.Escalated)) + `, taken_by = NULL, taken_until = NULL` +
		`, due_at = ` + filter.param(micros(c.DueAt)) + `, next_at = ` + filter.param(micros(c.NextAt)) +
		`, ended_at = ` + filter.param(micros(c.EndedAt)) + `, content = ` + filter.param(bytesOrNull(c.Content))
	filter.and("c.id = ?", c.ID)
	filter.and("c.version = ?", c.Version)
	filter.conditions = append(filter.conditions, notFinal)
	if d := m.Decision; d != nil {
		filter.and("c.taken_by = ?", d.Reviewer)
		filter.and("c.taken_until > ?", micros(m.At))
		filter.andReviewable(d.Reviewer, d.Subject)
	}
	return one(tx, scanCase, `UPDATE main.cases AS c SET `+set+filter.String()+` RETURNING `+caseColumns, filter.args...)
}

// recordStatusOf records the status of a case in place of the one that the case knows.
func recordStatusOf(tx *tx, c storage.Case, status storage.Status, revision int64) error {
	status.Group, status.Origin = c.Group, c.ID
	set, err := recordStatus(tx, c.Subject, status, revision, c.StatusRevision)
	if err != nil {
		return err
	}
	if set == 0 {
		return storage.ErrEnded
	}
	_, err = tx.exec(`UPDATE main.cases SET status_revision = ?2 WHERE id = ?1`, c.ID, revision)
	return err
}

const addReference = `INSERT INTO main.case_references (method, reference, is_message, case_id) VALUES (?1, ?2, ?3, ?4)
	ON CONFLICT (method, is_message, reference) DO NOTHING`

// nameCase records the new names of a case, and that a message has been applied.
func nameCase(tx *tx, c storage.Case, m storage.CaseMove) error {
	for _, r := range m.References {
		added, err := tx.exec(addReference, r.Method, r.Reference, 0, c.ID)
		if err == nil && added == 0 {
			err = storage.ErrConflict
		}
		if err != nil {
			return err
		}
	}
	if m.Message == "" {
		return nil
	}
	added, err := tx.exec(addReference, c.Method, m.Message, 1, c.ID)
	if err == nil && added == 0 {
		err = storage.ErrSpent
	}
	return err
}

// bindFingerprints works in order, so that two approvals at once never wait for each other.
func bindFingerprints(tx *tx, c storage.Case, fingerprints []storage.Fingerprint, at time.Time) error {
	sorted := slices.SortedFunc(slices.Values(fingerprints), func(a, b storage.Fingerprint) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), bytes.Compare(a.Digest[:], b.Digest[:]))
	})
	for _, f := range sorted {
		bound, err := tx.exec(`INSERT INTO main.fingerprints (group_name, kind, digest, subject, case_id, free_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (group_name, kind, digest) DO UPDATE
			SET subject = excluded.subject, case_id = excluded.case_id, free_at = excluded.free_at
			WHERE fingerprints.subject = excluded.subject OR fingerprints.free_at <= ?7`,
			f.Group, f.Kind, f.Digest[:], c.Subject, c.ID, micros(f.Until), micros(at))
		if err == nil && bound == 0 {
			err = storage.ErrTaken
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EndStatus implements storage.Cases. The case goes before the status, as in a move.
func (s *Store) EndStatus(ctx context.Context, e storage.StatusEnd) (bool, error) {
	revision := newVersion()
	return write(ctx, s, "end status", func(tx *tx) (bool, error) {
		c, err := lockCase(tx, e.CaseID)
		if errors.Is(err, storage.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if err := passOn(tx, c, e, revision); err != nil {
			return false, err
		}
		const is = ` WHERE subject = ?1 AND group_name = ?2 AND origin = ?3 AND (verified = 1 OR pending = 1)`
		untold, err := all(tx, scanInt, `SELECT ended_told FROM main.statuses`+is+` AND ended_told = 0 `+tx.store.dialect.ForUpdate, c.Subject, c.Group, c.ID)
		if err != nil {
			return false, err
		}
		_, err = tx.exec(`UPDATE main.statuses SET verified = 0, pending = 0, sealed_reason = ?4, revision = ?5`+is,
			c.Subject, c.Group, c.ID, e.Reason, revision)
		if err == nil {
			err = haveChecked(tx, ofStatus, c.Subject, c.Group)
		}
		if err != nil {
			return false, err
		}
		_, err = tx.exec(`UPDATE main.fingerprints SET free_at = ?2 WHERE case_id = ?1 AND free_at IS NULL`, c.ID, micros(e.FreeAt))
		return len(untold) > 0, err
	})
}

// passOn lets a renewal know the status that has expired as it will be: nobody has said
// anything against the person meanwhile.
func passOn(tx *tx, c storage.Case, e storage.StatusEnd, revision int64) error {
	_, err := tx.exec(`UPDATE main.cases SET status_revision = ?5 WHERE subject = ?1 AND group_name = ?2 AND `+notFinal+`
		AND status_revision = (SELECT s.revision FROM main.statuses s WHERE s.subject = ?1 AND s.group_name = ?2
			AND s.origin = ?3 AND (s.verified = 1 OR s.pending = 1) AND s.expires_at <= ?4)`,
		c.Subject, c.Group, c.ID, micros(e.At), revision)
	return err
}

// Fingerprints implements storage.Cases.
func (s *Store) Fingerprints(
	ctx context.Context, group, kind string, after storage.Digest, limit int, vanishedFrom ...string,
) ([]storage.BoundFingerprint, error) {
	var filter where
	filter.and("f.group_name = ?", group)
	filter.and("f.kind = ?", kind)
	filter.and("f.digest > ?", after[:])
	from := `main.fingerprints f`
	for _, roster := range vanishedFrom {
		from = `main.rosters o JOIN main.roster_generations g ON g.name = o.name AND g.generation = o.generation CROSS JOIN main.fingerprints f`
		filter.and("o.name = ?", roster)
		filter.conditions = append(filter.conditions, "f.free_at IS NULL",
			"NOT EXISTS (SELECT 1 FROM main.roster_rows r WHERE r.generation = g.number AND r.digest = f.digest)")
	}
	query := `SELECT ` + fingerprintColumns + ` FROM ` + from + filter.String() + ` ORDER BY f.digest LIMIT ` + filter.param(max(limit, 0))
	return read(ctx, s, "list fingerprints", func(tx *tx) ([]storage.BoundFingerprint, error) {
		return all(tx, scanFingerprint, query, filter.args...)
	})
}

const fingerprintColumns = `f.group_name, f.kind, f.digest, f.free_at, f.subject, f.case_id`

func scanFingerprint(row scanner) (f storage.BoundFingerprint, err error) {
	err = row.Scan(&f.Group, &f.Kind, (*digest)(&f.Digest), (*instant)(&f.Until), &f.Subject, &f.CaseID)
	return f, err
}

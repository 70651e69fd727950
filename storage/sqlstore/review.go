package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// andReviewable adds the conditions for a reviewer to decide a case, c: it is in review and
// nobody's own, and they have neither recused themselves, nor decided in the same round, nor
// decided the case that it appeals against. A decision that was undone does not count. Nobody
// has the empty subject of a reviewer who is no user of the provider.
func (w *where) andReviewable(reviewer, subject string) {
	id, user := w.param(reviewer), w.param(subject)
	w.conditions = append(w.conditions, `c.queued_at IS NOT NULL`, `c.subject <> `+id, `c.subject <> `+user, `NOT EXISTS (
		SELECT 1 FROM main.case_decisions d WHERE d.case_id IN (c.id, c.appeals) AND d.undone = 0
			AND (d.reviewer = `+id+` OR d.subject = `+user+`)
			AND (d.case_id <> c.id OR d.kind = 'recuse' OR d.round = c.round))`)
}

// andFor adds the conditions for a reviewer to take a case. The group hides from the planner,
// which would look for the group and sort what it finds.
func (w *where) andFor(r storage.Reviewer) {
	w.andReviewable(r.ID, r.Subject)
	if !r.Senior {
		w.conditions = append(w.conditions, `c.escalated = 0`)
	}
	if r.Groups == nil {
		return
	}
	groups := []string{"NULL"}
	for _, group := range r.Groups {
		groups = append(groups, w.param(group))
	}
	w.conditions = append(w.conditions, `coalesce(c.group_name, '') IN (`+strings.Join(groups, ", ")+`)`)
}

// TakeCase implements storage.Reviews. The row of the reviewer comes first: another call of
// the same reviewer waits. One of another reviewer waits for the case, and takes the next.
func (s *Store) TakeCase(ctx context.Context, r storage.Reviewer, id string, now, until time.Time) (storage.Case, error) {
	return write(ctx, s, "take case", func(tx *tx) (storage.Case, error) {
		if err := lockReviewer(tx, r.ID); err != nil {
			return storage.Case{}, err
		}
		var filter where
		filter.and(`(c.taken_until IS NULL OR c.taken_until <= ? OR c.taken_by = `+filter.param(r.ID)+`)`, micros(now))
		filter.andFor(r)
		if id != "" {
			filter.and("c.id = ?", id)
		}
		for {
			found, err := one(tx, scanString, `SELECT c.id FROM main.cases c`+filter.String()+
				` ORDER BY c.queued_at, c.id LIMIT 1 `+tx.store.dialect.ForUpdate, filter.args...)
			if err != nil {
				return storage.Case{}, err
			}
			taken, err := takeCase(tx, filter, r.ID, found, until)
			if !errors.Is(err, storage.ErrNotFound) {
				return taken, err
			}
			// It was decided while this step waited for it.
		}
	})
}

func lockReviewer(tx *tx, id string) error {
	_, err := tx.exec(`INSERT INTO main.reviewers (id) VALUES (?1) ON CONFLICT (id) DO UPDATE SET id = excluded.id`, id)
	return err
}

// takeCase gives a reviewer, whose row is locked, a case that meets the conditions, and no
// other one.
func takeCase(tx *tx, filter where, reviewer, id string, until time.Time) (storage.Case, error) {
	filter = where{conditions: slices.Clone(filter.conditions), args: slices.Clone(filter.args)}
	filter.and("c.id = ?", id)
	if _, err := tx.exec(`UPDATE main.cases SET taken_by = NULL, taken_until = NULL WHERE taken_by = ?1 AND id <> ?2`, reviewer, id); err != nil {
		return storage.Case{}, err
	}
	set := `taken_by = ` + filter.param(reviewer) + `, taken_until = ` + filter.param(micros(until))
	return one(tx, scanCase, `UPDATE main.cases AS c SET `+set+filter.String()+` RETURNING `+caseColumns, filter.args...)
}

// ReturnCase implements storage.Reviews.
func (s *Store) ReturnCase(ctx context.Context, reviewer, id string) error {
	return s.change(ctx, "return case", func(tx *tx) error {
		return orSpent(tx.exec(`UPDATE main.cases SET taken_by = NULL, taken_until = NULL WHERE id = ?1 AND taken_by = ?2`, id, reviewer))
	})
}

// UndoDecision implements storage.Reviews.
func (s *Store) UndoDecision(ctx context.Context, id, reviewer string, m storage.CaseMove, until time.Time) (storage.Case, error) {
	version, revision := newVersion(), newVersion()
	return write(ctx, s, "undo decision", func(tx *tx) (storage.Case, error) {
		if err := lockReviewer(tx, reviewer); err != nil {
			return storage.Case{}, err
		}
		m.Decision = nil
		moved, err := moveCase(tx, m, version, revision)
		if errors.Is(err, storage.ErrEnded) {
			return moved, storage.ErrChanged // it was carried out
		}
		if err != nil {
			return moved, err
		}
		undone, err := tx.exec(`UPDATE main.case_decisions SET undone = 1 WHERE id = ?1 AND case_id = ?2 AND reviewer = ?3 AND undone = 0`,
			id, moved.ID, reviewer)
		if err == nil && undone == 0 {
			err = storage.ErrChanged
		}
		if err != nil {
			return moved, err
		}
		return takeCase(tx, where{}, reviewer, moved.ID, until)
	})
}

const decisionColumns = `id, case_id, kind, reviewer, subject, round, at, undone, content`

// insertDecision records a decision about a case as it was.
func insertDecision(tx *tx, c storage.Case, d storage.Decision) error {
	_, err := tx.exec(`INSERT INTO main.case_decisions (`+decisionColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)`,
		d.ID, c.ID, string(d.Kind), d.Reviewer, optional(d.Subject), c.Round, micros(d.At), bytesOrNull(d.Content))
	return err
}

// Decisions implements storage.Reviews.
func (s *Store) Decisions(ctx context.Context, caseID string) ([]storage.Decision, error) {
	return read(ctx, s, "list decisions", func(tx *tx) ([]storage.Decision, error) {
		return all(tx, scanDecision, `SELECT `+decisionColumns+` FROM main.case_decisions WHERE case_id = ?1 ORDER BY id`, caseID)
	})
}

func scanDecision(row scanner) (d storage.Decision, err error) {
	err = row.Scan(&d.ID, &d.CaseID, &d.Kind, &d.Reviewer, (*text)(&d.Subject), &d.Round, (*instant)(&d.At), &d.Undone, &d.Content)
	return d, err
}

// CaseNumbers implements storage.Reviews.
func (s *Store) CaseNumbers(ctx context.Context, from, to time.Time) ([]storage.CaseNumber, error) {
	return read(ctx, s, "count cases", func(tx *tx) ([]storage.CaseNumber, error) {
		waiting, err := all(tx, scanWaiting, `SELECT group_name, method, state, count(*), min(queued_at)
			FROM main.cases WHERE queued_at IS NOT NULL AND queued_at >= ?1 GROUP BY group_name, method, state`, storage.UnixMicro(time.Time{}))
		if err != nil {
			return nil, err
		}
		var numbers []storage.CaseNumber
		for kind, err := nextKind(tx, caseKind{}); ; kind, err = nextKind(tx, kind) {
			if errors.Is(err, storage.ErrNotFound) {
				return numbers, nil
			}
			if err != nil {
				return nil, err
			}
			for _, state := range caseStates {
				n, err := countKind(tx, kind, state, from, to)
				if err != nil {
					return nil, err
				}
				for _, w := range waiting {
					if w.Group == n.Group && w.Method == n.Method && w.State == n.State {
						n.Waiting, n.Oldest = w.Waiting, w.Oldest
					}
				}
				if n.Count > 0 || n.Waiting > 0 {
					numbers = append(numbers, n)
				}
			}
		}
	})
}

// countKind counts the cases of a kind and state that started in a time.
func countKind(tx *tx, k caseKind, state storage.CaseState, from, to time.Time) (storage.CaseNumber, error) {
	n, err := one(tx, scanCounted, `SELECT count(*), count(CASE WHEN ended_at > due_at OR ended_at IS NULL AND due_at < ?2 THEN 1 END)
		FROM main.cases WHERE group_name = ?3 AND method = ?4 AND state = ?5 AND created_at >= ?1 AND created_at < ?2`,
		storage.UnixMicro(from), storage.UnixMicro(to), k.group, k.method, string(state))
	n.Group, n.Method, n.State = k.group, k.method, state
	return n, err
}

func scanCounted(row scanner) (n storage.CaseNumber, err error) {
	err = row.Scan(&n.Count, &n.Late)
	return n, err
}

// caseStates are in the order in which their numbers are listed.
var caseStates = []storage.CaseState{
	storage.CaseApproved, storage.CaseDeclined, storage.CaseExpired, storage.CaseOpen, storage.CasePending, storage.CaseReview, storage.CaseWithdrawn,
}

// caseKind is what cases are about, and how it is verified.
type caseKind struct{ group, method string }

// nextKind returns the kind of cases after one. There are few kinds, and each is one look at the
// index, where a query for all of them would read every case.
func nextKind(tx *tx, after caseKind) (caseKind, error) {
	next, err := one(tx, scanCaseKind, `SELECT group_name, method FROM main.cases
		WHERE group_name = ?1 AND method > ?2 ORDER BY method LIMIT 1`, after.group, after.method)
	if !errors.Is(err, storage.ErrNotFound) {
		return next, err
	}
	return one(tx, scanCaseKind, `SELECT group_name, method FROM main.cases
		WHERE group_name > ?1 ORDER BY group_name, method LIMIT 1`, after.group)
}

func scanCaseKind(row scanner) (k caseKind, err error) {
	err = row.Scan(&k.group, &k.method)
	return k, err
}

func scanWaiting(row scanner) (n storage.CaseNumber, err error) {
	err = row.Scan(&n.Group, &n.Method, &n.State, &n.Waiting, (*instant)(&n.Oldest))
	return n, err
}

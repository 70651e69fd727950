package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

const planColumns = `id, action, kind, reason, content, digest, state, proposed_by, decided_by, proposed_as, decided_as,
	proposed_at, decided_at, expires_at, not_before, ended_at, targets, done, skipped`

// CreatePlan implements storage.Plans.
func (s *Store) CreatePlan(ctx context.Context, p storage.Plan, targets []storage.PlanTarget) error {
	return s.change(ctx, "create plan", func(tx *tx) error {
		if _, err := tx.exec(`INSERT INTO main.plans (`+planColumns+`)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'proposed', ?7, NULL, ?8, NULL, ?9, NULL, ?10, NULL, NULL, ?11, 0, 0)`,
			p.ID, p.Action, p.Kind, p.Reason, bytesOrNull(p.Content), p.Digest[:], p.ProposedBy, p.ProposedAs,
			micros(p.ProposedAt), micros(p.ExpiresAt), len(targets)); err != nil {
			return err
		}
		number := 0
		for chunk := range slices.Chunk(targets, targetChunk) {
			if err := insertTargets(tx, p.ID, number, chunk); err != nil {
				return err
			}
			number += len(chunk)
		}
		return nil
	})
}

// targetChunk is how many targets a statement inserts. The rest of a plan has statements of one
// each, so that there are only two to prepare.
const targetChunk = 100

func insertTargets(tx *tx, plan string, after int, targets []storage.PlanTarget) error {
	if len(targets) < targetChunk && len(targets) > 1 {
		for i := range targets {
			if err := insertTargets(tx, plan, after+i, targets[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	args, values := []any{plan}, make([]string, len(targets))
	for i, target := range targets {
		args = append(args, after+i+1, target.ID, target.Revision)
		last := len(args)
		values[i] = `(?1, ?` + strconv.Itoa(last-2) + `, ?` + strconv.Itoa(last-1) + `, ?` + strconv.Itoa(last) + `, 'waiting', '')`
	}
	_, err := tx.exec(`INSERT INTO main.plan_targets (plan_id, number, id, revision, state, why) VALUES `+strings.Join(values, ", "), args...)
	return err
}

func plan(tx *tx, id string) (storage.Plan, error) {
	return one(tx, scanPlan, `SELECT `+planColumns+` FROM main.plans WHERE id = ?1`, id)
}

// Plans implements storage.Plans.
func (s *Store) Plans(ctx context.Context, match storage.PlanFilter) ([]storage.Plan, error) {
	var filter where
	if match.ID != nil {
		filter.and("id = ?", *match.ID)
	}
	if match.State != "" {
		filter.and("state = ?", string(match.State))
	}
	if match.ProposedBy != "" {
		filter.and("proposed_by = ?", match.ProposedBy)
	}
	if match.BeforeID != "" {
		filter.and("id < ?", match.BeforeID)
	}
	order := "DESC"
	if match.DueAt != nil {
		order = "ASC"
		filter.and("state = 'running' AND (not_before IS NULL OR not_before <= ?)", micros(*match.DueAt))
		filter.and("id > ?", match.AfterID)
	}
	query := `SELECT ` + planColumns + ` FROM main.plans` + filter.String() + ` ORDER BY id ` + order + ` LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "list plans", func(tx *tx) ([]storage.Plan, error) {
		return all(tx, scanPlan, query, filter.args...)
	})
}

// PlanTargets implements storage.Plans. The state of those that wait stands in the query as in
// their index.
func (s *Store) PlanTargets(ctx context.Context, plan string, state storage.TargetState, after, limit int) ([]storage.PlanTarget, error) {
	var filter where
	filter.and("plan_id = ?", plan)
	filter.and("number > ?", after)
	switch state {
	case "":
	case storage.TargetWaiting:
		filter.conditions = append(filter.conditions, "state = 'waiting'")
	default:
		filter.and("state = ?", string(state))
	}
	query := `SELECT number, id, revision, state, why, begun_at FROM main.plan_targets` + filter.String() +
		` ORDER BY number LIMIT ` + filter.param(max(limit, 0))
	return read(ctx, s, "list targets", func(tx *tx) ([]storage.PlanTarget, error) {
		return all(tx, scanTarget, query, filter.args...)
	})
}

// MovePlan implements storage.Plans.
func (s *Store) MovePlan(ctx context.Context, id string, m storage.PlanMove) error {
	return s.change(ctx, "move plan", func(tx *tx) error {
		switch m.To {
		case storage.PlanRunning:
			return approvePlan(tx, id, m)
		case storage.PlanStopped:
			return endPlan(tx, id, m)
		case storage.PlanDone:
			return orSpent(tx.exec(`UPDATE main.plans SET state = 'done', ended_at = ?2 WHERE id = ?1 AND state = 'running'
				AND NOT EXISTS (SELECT 1 FROM main.plan_targets t WHERE t.plan_id = ?1 AND t.state = 'waiting')`, id, micros(m.At)))
		}
		return fmt.Errorf("sqlstore: no plan is moved to %q", m.To)
	})
}

func approvePlan(tx *tx, id string, a storage.PlanMove) error {
	approved, err := tx.exec(`UPDATE main.plans SET state = 'running', decided_by = ?2, decided_as = ?3, decided_at = ?4, not_before = ?5
		WHERE id = ?1 AND state = 'proposed' AND digest = ?6 AND expires_at > ?4
		AND proposed_by <> ?2 AND (?3 = '' OR proposed_as <> ?3)`,
		id, a.Staff, a.As, micros(a.At), micros(a.NotBefore), a.Digest[:])
	if err != nil || approved > 0 {
		return err
	}
	p, err := plan(tx, id)
	switch {
	case err != nil:
		return err
	case p.ProposedBy == a.Staff, a.As != "" && p.ProposedAs == a.As:
		return storage.ErrForbidden
	case p.State != storage.PlanProposed:
		return storage.ErrSpent
	case p.Digest != a.Digest:
		return storage.ErrChanged
	}
	return storage.ErrEnded
}

// endPlan refuses or stops a plan. Who stops a plan does not take the place of who approved
// it.
func endPlan(tx *tx, id string, m storage.PlanMove) error {
	ended, err := tx.exec(`UPDATE main.plans SET ended_at = ?3,
			state = CASE state WHEN 'proposed' THEN 'refused' ELSE 'stopped' END,
			decided_by = CASE state WHEN 'proposed' THEN ?2 ELSE decided_by END,
			decided_at = CASE state WHEN 'proposed' THEN ?3 ELSE decided_at END
		WHERE id = ?1 AND state IN ('proposed', 'running')`, id, m.Staff, micros(m.At))
	if err != nil || ended > 0 {
		return err
	}
	if _, err := plan(tx, id); err != nil {
		return err
	}
	return storage.ErrSpent
}

// SkipTarget implements storage.Plans. The row of the plan comes first, as everywhere.
func (s *Store) SkipTarget(ctx context.Context, t storage.TargetID, why string) error {
	return s.change(ctx, "skip target", func(tx *tx) error {
		if err := orSpent(tx.exec(`UPDATE main.plans SET skipped = skipped + 1 WHERE id = ?1 AND state = 'running'`, t.Plan)); err != nil {
			return err
		}
		return orSpent(tx.exec(`UPDATE main.plan_targets SET state = 'skipped', why = ?3, begun_at = NULL
			WHERE plan_id = ?1 AND number = ?2 AND state = 'waiting'`, t.Plan, t.Number, why))
	})
}

// trimPlans removes them. A plan goes after its targets, however many these are.
func (s *Store) trimPlans(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return s.removeEach(ctx, "remove plans", limit, func(tx *tx, n int) (int, error) {
		id, err := one(tx, scanString, `SELECT id FROM main.plans
			WHERE ended_at < ?1 OR state = 'proposed' AND expires_at < ?1 ORDER BY id LIMIT 1 `+tx.store.dialect.ForUpdate, micros(t.Before))
		if errors.Is(err, storage.ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return removePlan(tx, id, n)
	})
}

// removePlan removes up to limit rows of a plan, its own as the last.
func removePlan(tx *tx, id string, limit int) (int, error) {
	n, err := tx.exec(`DELETE FROM main.plan_targets WHERE plan_id = ?1 AND number IN (
		SELECT number FROM main.plan_targets WHERE plan_id = ?1 ORDER BY number LIMIT ?2)`, id, limit)
	if err != nil || n == limit {
		return n, err
	}
	_, err = tx.exec(`DELETE FROM main.plans WHERE id = ?1`, id)
	return n + 1, err
}

// orSpent turns a change of no row into storage.ErrSpent.
func orSpent(changed int, err error) error {
	if err == nil && changed == 0 {
		return storage.ErrSpent
	}
	return err
}

func scanPlan(row scanner) (p storage.Plan, err error) {
	err = row.Scan(&p.ID, &p.Action, &p.Kind, &p.Reason, &p.Content, (*digest)(&p.Digest), &p.State,
		&p.ProposedBy, (*text)(&p.ApprovedBy), &p.ProposedAs, (*text)(&p.ApprovedAs),
		(*instant)(&p.ProposedAt), (*instant)(&p.DecidedAt), (*instant)(&p.ExpiresAt), (*instant)(&p.NotBefore), (*instant)(&p.EndedAt),
		&p.Targets, &p.Done, &p.Skipped)
	return p, err
}

func scanTarget(row scanner) (t storage.PlanTarget, err error) {
	err = row.Scan(&t.Number, &t.ID, &t.Revision, &t.State, &t.Why, (*instant)(&t.BegunAt))
	return t, err
}

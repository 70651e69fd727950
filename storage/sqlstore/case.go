package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const caseColumns = `id, subject, group_name, state, version, status_revision, renewal, appeals, method, round, escalated,
	taken_by, taken_until, created_at, due_at, next_at, ended_at, content`

// notFinal is true for a case that has not ended. It stands in the statements as it does in
// the index: of a parameter no database knows that it implies the condition.
const notFinal = `state IN ('open', 'pending', 'review')`

// StartCase implements storage.Cases.
func (s *Store) StartCase(
	ctx context.Context, c storage.Case, after string, on storage.PersonBasis,
) (started storage.Case, created bool, err error) {
	version := newVersion()
	started, err = write(ctx, s, "start case", func(tx *tx) (storage.Case, error) {
		if err := requirePerson(tx, c.Subject, []storage.PersonBasis{on}, tx.store.dialect.ForShare); err != nil {
			return storage.Case{}, err
		}
		if err := insertCase(tx, c, version); err != nil {
			return storage.Case{}, err
		}
		// With the case inserted no other begins: whichever came after the latest is seen now.
		found, err := one(tx, scanCase, `SELECT `+caseColumns+` FROM main.cases
			WHERE subject = ?1 AND group_name = ?2 AND `+notFinal+` AND (id <> ?3 OR NOT EXISTS (
				SELECT 1 FROM main.cases o WHERE o.subject = ?1 AND o.group_name = ?2 AND o.id > ?4 AND o.id <> ?3))`,
			c.Subject, c.Group, c.ID, after)
		if errors.Is(err, storage.ErrNotFound) {
			return found, storage.ErrChanged
		}
		return found, err
	})
	return started, err == nil && started.Version == version, err
}

// insertCase records an open case, unless there is one in its way.
func insertCase(tx *tx, c storage.Case, version int64) error {
	_, err := tx.exec(`INSERT INTO main.cases (id, subject, group_name, state, version, status_revision, renewal, appeals, method,
			round, escalated, created_at, next_at, content)
		VALUES (?1, ?2, ?3, 'open', ?4, coalesce((SELECT s.revision FROM main.statuses s WHERE s.subject = ?2 AND s.group_name = ?3), 0),
			?5, ?6, ?7, 0, 0, ?8, ?9, ?10) ON CONFLICT (subject, group_name) WHERE `+notFinal+` DO NOTHING`,
		c.ID, c.Subject, c.Group, version, flag(c.Renewal), optional(c.Appeals), c.Method, micros(c.CreatedAt), micros(c.NextAt), bytesOrNull(c.Content))
	return err
}

// Case implements storage.Cases.
func (s *Store) Case(ctx context.Context, id string) (storage.Case, error) {
	return read(ctx, s, "read case", func(tx *tx) (storage.Case, error) {
		return one(tx, scanCase, `SELECT `+caseColumns+` FROM main.cases WHERE id = ?1`, id)
	})
}

// Cases implements storage.Cases.
func (s *Store) Cases(ctx context.Context, match storage.CaseFilter) ([]storage.Case, error) {
	var filter where
	order := "c.id DESC"
	if match.Reviewer != nil {
		order = "c.queued_at, c.id"
		filter.andFor(*match.Reviewer)
		filter.conditions = append(filter.conditions,
			`(c.queued_at, c.id) > (`+filter.param(storage.UnixMicro(match.DueAfter))+`, `+filter.param(match.AfterID)+`)`)
	}
	if r := match.Reference; r != nil {
		filter.conditions = append(filter.conditions, `c.id = (SELECT r.case_id FROM main.case_references r
			WHERE r.method = `+filter.param(r.Method)+` AND r.is_message = 0 AND r.reference = `+filter.param(r.Reference)+`)`)
	}
	if match.Subject != "" {
		filter.and("c.subject = ?", match.Subject)
	}
	if match.Group != "" {
		filter.and("c.group_name = ?", match.Group)
	}
	if match.State != "" {
		filter.and("c.state = ?", string(match.State))
	}
	if match.BeforeID != "" {
		filter.and("c.id < ?", match.BeforeID)
	}
	query := `SELECT ` + caseColumns + ` FROM main.cases c` + filter.String() + ` ORDER BY ` + order + ` LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "list cases", func(tx *tx) ([]storage.Case, error) {
		return all(tx, scanCase, query, filter.args...)
	})
}

// DueCases implements storage.Cases.
func (s *Store) DueCases(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]storage.Case, error) {
	return write(ctx, s, "take due cases", func(tx *tx) ([]storage.Case, error) {
		return all(tx, scanCase, `UPDATE main.cases SET next_at = ?2 WHERE next_at <= ?1 AND id IN (
			SELECT id FROM main.cases WHERE next_at <= ?1 ORDER BY next_at, id LIMIT ?3) RETURNING `+caseColumns,
			micros(now), micros(now.Add(lease)), max(limit, 0))
	})
}

// PostponeCase implements storage.Cases. What is decided on another content is decided anew.
func (s *Store) PostponeCase(ctx context.Context, id string, version int64, next time.Time, content []byte) error {
	set := `next_at = ?3`
	args := []any{id, version, micros(next)}
	if content != nil {
		set += `, content = ?4, version = ?5`
		args = append(args, content, newVersion())
	}
	return s.change(ctx, "postpone case", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.cases SET `+set+` WHERE id = ?1 AND version = ?2`, args...)
		if err == nil && changed == 0 {
			return storage.ErrChanged
		}
		return err
	})
}

// lockCase returns a case that nobody else changes until the step has ended.
func lockCase(tx *tx, id string) (storage.Case, error) {
	return one(tx, scanCase, `SELECT `+caseColumns+` FROM main.cases WHERE id = ?1 `+tx.store.dialect.ForUpdate, id)
}

func scanCase(row scanner) (c storage.Case, err error) {
	err = row.Scan(&c.ID, &c.Subject, &c.Group, &c.State, &c.Version, &c.StatusRevision, &c.Renewal, (*text)(&c.Appeals),
		&c.Method, &c.Round, &c.Escalated, (*text)(&c.TakenBy), (*instant)(&c.TakenUntil), (*instant)(&c.CreatedAt),
		(*instant)(&c.DueAt), (*instant)(&c.NextAt), (*instant)(&c.EndedAt), &c.Content)
	return c, err
}

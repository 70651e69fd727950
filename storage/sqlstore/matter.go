package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const matterColumns = `id, staff, role, subject, reason, ticket, sealed_note, opened_at, ends_at, closed_at, proof, proved_until, withheld_until`

// OpenMatter implements storage.Matters.
func (s *Store) OpenMatter(ctx context.Context, m storage.Matter) error {
	return s.change(ctx, "open matter", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.matters (`+matterColumns+`)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)`,
			m.ID, m.Staff, m.Role, m.Subject, m.Reason, m.Ticket, bytesOrNull(m.Note), micros(m.OpenedAt), micros(m.EndsAt),
			micros(m.ClosedAt), int64(m.Proof), micros(m.ProvedUntil), micros(m.WithheldUntil))
		return err
	})
}

// Matters implements storage.Matters.
func (s *Store) Matters(ctx context.Context, match storage.MatterFilter) ([]storage.Matter, error) {
	var filter where
	if match.ID != nil {
		filter.and("id = ?", *match.ID)
	}
	if match.Staff != "" {
		filter.and("staff = ?", match.Staff)
	}
	if match.Subject != "" {
		filter.and("subject = ?", match.Subject)
	}
	if !match.OpenAt.IsZero() {
		filter.and("id IN (SELECT id FROM main.matters WHERE closed_at IS NULL AND ends_at > ?)", micros(match.OpenAt))
	}
	filter.andOpened(match.From, match.Until)
	if match.BeforeID != "" {
		filter.and("id < ?", match.BeforeID)
	}
	query := `SELECT ` + matterColumns + ` FROM main.matters` + filter.String() + ` ORDER BY id DESC LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "list matters", func(tx *tx) ([]storage.Matter, error) {
		return all(tx, scanMatter, query, filter.args...)
	})
}

// andOpened adds the time in which matters were opened. As IDs have the order of these times,
// but for a difference between clocks, the index by time finds where the time begins and ends:
// no page reads all matters of later times.
func (w *where) andOpened(from, until time.Time) {
	if !from.IsZero() {
		w.and("opened_at >= ?", micros(from))
		w.and("id >= (SELECT id FROM main.matters WHERE opened_at >= ? ORDER BY opened_at, id LIMIT 1)", micros(from.Add(-skew)))
	}
	if !until.IsZero() {
		w.and("opened_at < ?", micros(until))
		w.and("id <= (SELECT id FROM main.matters WHERE opened_at < ? ORDER BY opened_at DESC, id DESC LIMIT 1)", micros(until.Add(skew)))
	}
}

// openMatter is the condition of a matter in ?1 of the staff in ?2 that is open at ?3.
const openMatter = ` WHERE id = ?1 AND staff = ?2 AND closed_at IS NULL AND ends_at > ?3`

// UseMatter implements storage.Matters. A step that comes late never shortens the time.
func (s *Store) UseMatter(ctx context.Context, id, staff string, at, until time.Time) error {
	return s.change(ctx, "use matter", func(tx *tx) error {
		return orEnded(tx.exec(`UPDATE main.matters SET ends_at = CASE WHEN ends_at < ?4 THEN ?4 ELSE ends_at END`+openMatter,
			id, staff, micros(at), micros(until)))
	})
}

// CloseMatter implements storage.Matters.
func (s *Store) CloseMatter(ctx context.Context, id, staff string, at time.Time) error {
	return s.change(ctx, "close matter", func(tx *tx) error {
		_, err := tx.exec(`UPDATE main.matters SET closed_at = ?3`+openMatter, id, staff, micros(at))
		return err
	})
}

// ReleaseMatter implements storage.Matters.
func (s *Store) ReleaseMatter(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, "release matter", func(tx *tx) error {
		return orEnded(tx.exec(`UPDATE main.matters SET withheld_until = ?2 WHERE id = ?1 AND withheld_until > ?2`, id, micros(at)))
	})
}

// trimMatters removes them.
func (s *Store) trimMatters(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return s.removeEach(ctx, "remove matters", limit, func(tx *tx, n int) (int, error) {
		const over = `opened_at < ?1 AND ends_at < ?1 AND (withheld_until IS NULL OR withheld_until < ?1)`
		return tx.exec(`DELETE FROM main.matters WHERE `+over+` AND id IN (
			SELECT id FROM main.matters WHERE `+over+` ORDER BY opened_at, id LIMIT ?2)`, micros(t.Before), n)
	})
}

// orEnded turns a change of no row into storage.ErrEnded.
func orEnded(changed int, err error) error {
	if err == nil && changed == 0 {
		return storage.ErrEnded
	}
	return err
}

func scanMatter(row scanner) (m storage.Matter, err error) {
	err = row.Scan(&m.ID, &m.Staff, &m.Role, &m.Subject, &m.Reason, &m.Ticket, &m.Note, (*instant)(&m.OpenedAt), (*instant)(&m.EndsAt),
		(*instant)(&m.ClosedAt), &m.Proof, (*instant)(&m.ProvedUntil), (*instant)(&m.WithheldUntil))
	return m, err
}

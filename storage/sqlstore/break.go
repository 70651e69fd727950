package sqlstore

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

const breakColumns = `id, staff, action, target, sealed_sentence, at, done, told, signed_off_by, signed_off_at`

func breakOf(tx *tx, id string) (storage.Break, error) {
	return one(tx, scanBreak, `SELECT `+breakColumns+` FROM main.breaks WHERE id = ?1`, id)
}

// Breaks implements storage.Breaks. The condition of those that are open stands in the query as
// in their index.
func (s *Store) Breaks(ctx context.Context, match storage.BreakFilter) ([]storage.Break, error) {
	var filter where
	if match.ID != nil {
		filter.and("id = ?", *match.ID)
	}
	if match.Open {
		filter.conditions = append(filter.conditions, "signed_off_by IS NULL")
	}
	if match.BeforeID != "" {
		filter.and("id < ?", match.BeforeID)
	}
	query := `SELECT ` + breakColumns + ` FROM main.breaks` + filter.String() + ` ORDER BY id DESC LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "list breaks", func(tx *tx) ([]storage.Break, error) {
		return all(tx, scanBreak, query, filter.args...)
	})
}

// MarkBreak implements storage.Breaks.
func (s *Store) MarkBreak(ctx context.Context, id string, m storage.BreakMark) error {
	return s.change(ctx, "mark break", func(tx *tx) error {
		if m.Told {
			return orNotFound(tx.exec(`UPDATE main.breaks SET told = 1 WHERE id = ?1`, id))
		}
		signed, err := tx.exec(`UPDATE main.breaks SET signed_off_by = ?2, signed_off_at = ?3
			WHERE id = ?1 AND signed_off_by IS NULL AND staff <> ?2`, id, m.SignedOffBy, micros(m.SignedOffAt))
		if err != nil || signed > 0 {
			return err
		}
		b, err := breakOf(tx, id)
		switch {
		case err != nil:
			return err
		case b.Staff == m.SignedOffBy:
			return storage.ErrForbidden
		}
		return storage.ErrSpent
	})
}

func scanBreak(row scanner) (b storage.Break, err error) {
	err = row.Scan(&b.ID, &b.Staff, &b.Action, &b.Target, &b.Sentence, (*instant)(&b.At), &b.Done, &b.Told,
		(*text)(&b.SignedOffBy), (*instant)(&b.SignedOffAt))
	return b, err
}

package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// trimEvents removes them. The mark goes before the events, so that a kill in
// between leaves some in a block that is removed, and never a block with some missing. The
// lock of the log keeps removal, closing and erasure apart. Few go in a step: the indices by person and
// by application have an entry of each on another page, which the commit writes.
func (s *Store) trimEvents(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return s.removeEach(ctx, "remove events", min(limit, 4*s.dialect.sweepChunk()), func(tx *tx, n int) (int, error) {
		state, err := lockLog(tx, tx.store.dialect.ForUpdate)
		if err != nil {
			return 0, err
		}
		for {
			removed, err := removeSwept(tx, state.swept, n)
			if err != nil || removed > 0 {
				return removed, err
			}
			next, err := nextSwept(tx, state.swept, t.Before, t.Now)
			if err != nil || next == state.swept {
				return 0, err
			}
			last, err := lastRead(tx, state.swept, next)
			if err != nil {
				return 0, err
			}
			if spared, err := isSpared(tx, state.swept, last, t.Now); err != nil || spared {
				return 0, err
			}
			if _, err := tx.exec(`UPDATE main.event_log SET swept = ?1,
				swept_id = CASE WHEN (swept_turn, swept_id) < (?2, ?3) THEN ?3 ELSE swept_id END,
				swept_turn = CASE WHEN (swept_turn, swept_id) < (?2, ?3) THEN ?2 ELSE swept_turn END WHERE one = 1`, next, last.Turn, last.ID); err != nil {
				return 0, err
			}
			state.swept = next
		}
	})
}

// removeSwept removes events of removed blocks, and then what was erased in them: an event that is
// left can still be verified. The last event of all stays: an empty table of SQLite would give its
// ID once more.
func removeSwept(tx *tx, swept int64, limit int) (int, error) {
	removed, err := tx.exec(`DELETE FROM main.events WHERE id IN (
		SELECT id FROM main.events WHERE id <= ?1 AND id < (SELECT max(id) FROM main.events) ORDER BY id LIMIT ?2)`, swept, limit)
	if err != nil || removed == 0 {
		return removed, err
	}
	_, err = tx.exec(`DELETE FROM main.event_erasures WHERE event_id <= ?1 AND event_id < (SELECT min(id) FROM main.events)`, swept)
	return removed, err
}

// nextSwept returns the last event of the first block that is not removed, if its age allows
// it, and that of the last removed one otherwise.
func nextSwept(tx *tx, swept int64, before, now time.Time) (int64, error) {
	const next = ` FROM main.event_blocks WHERE last > ?1`
	const at = `CASE WHEN until_at < sealed_at THEN until_at ELSE sealed_at END`
	age, err := one(tx, scanTime, `SELECT `+at+next+` AND `+at+` <= ?2 ORDER BY last LIMIT 1`, swept, micros(now.Add(skew)))
	if errors.Is(err, storage.ErrNotFound) || err == nil && !age.Before(before) {
		return swept, nil
	}
	if err != nil {
		return 0, err
	}
	return one(tx, scanInt64, `SELECT last`+next+` ORDER BY last LIMIT 1`, swept)
}

// keepUnread is how long an event is spared that a reader has not read.
const keepUnread = 30 * 24 * time.Hour

// lastRead returns the place of the event of a block that is read last.
func lastRead(tx *tx, swept, last int64) (storage.Mark, error) {
	return one(tx, scanPlace, `SELECT turn, id FROM main.events WHERE id > ?1 AND id <= ?2 ORDER BY turn DESC, id DESC LIMIT 1`, swept, last)
}

// isSpared reports whether a mark has not passed the next block, and the block is younger than keepUnread.
func isSpared(tx *tx, swept int64, last storage.Mark, now time.Time) (bool, error) {
	unread, err := all(tx, scanInt, `SELECT 1 FROM main.marks WHERE reader > '' AND (turn, id) < (?1, ?2) LIMIT 1`, last.Turn, last.ID)
	if err != nil || len(unread) == 0 {
		return false, err
	}
	next, err := nextSwept(tx, swept, now.Add(-keepUnread), now)
	return next == swept, err
}

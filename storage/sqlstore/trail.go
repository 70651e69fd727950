package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SealEvents implements storage.Trail. What decides is read again in the step, under the lock
// of the log: only the events up to the safe end are found before.
func (s *Store) SealEvents(
	ctx context.Context, limit int, before time.Time, seal func(storage.Block, []storage.Event) (storage.Block, error),
) (bool, error) {
	limit = max(limit, 0)
	due, err := read(ctx, s, "look for events to seal", func(tx *tx) (bool, error) {
		open, err := one(tx, scanOpen, `SELECT count(*), min(at) FROM (SELECT at FROM main.events
			WHERE id > (SELECT sealed FROM main.event_log WHERE one = 1) ORDER BY id LIMIT ?1) AS open`, limit)
		return err == nil && isBlock(open.lines, limit, open.from, before), err
	})
	if err != nil || !due {
		return false, err
	}
	end, err := s.safeEnd(ctx)
	if err != nil {
		return false, err
	}
	return write(ctx, s, "seal events", func(tx *tx) (bool, error) {
		return sealBlock(tx, end, limit, before, seal)
	})
}

// isBlock reports whether so many events, from a time on, are closed as a block.
func isBlock(lines, limit int, from, before time.Time) bool {
	return lines > 0 && (lines == limit || from.Before(before))
}

func sealBlock(
	tx *tx, end int64, limit int, before time.Time, seal func(storage.Block, []storage.Event) (storage.Block, error),
) (bool, error) {
	if _, err := lockLog(tx, tx.store.dialect.ForUpdate); err != nil {
		return false, err
	}
	last, err := one(tx, scanBlock, `SELECT `+blockColumns+` FROM main.event_blocks ORDER BY number DESC LIMIT 1`)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, err
	}
	events, err := all(tx, scanEvent, `SELECT `+rawEventColumns+` FROM main.events WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3`,
		last.Last, end, limit)
	if err != nil || len(events) == 0 {
		return false, err
	}
	next := storage.NextBlock(last, events)
	if !isBlock(next.Count, limit, next.From, before) {
		return false, nil
	}
	block, err := seal(last, events)
	if err != nil {
		return false, err
	}
	if block.Number != next.Number || block.First != next.First || block.Last != next.Last || block.Count != next.Count {
		return false, fmt.Errorf("the block %d of %d to %d is not of these events", block.Number, block.First, block.Last)
	}
	return true, insertBlock(tx, block)
}

func insertBlock(tx *tx, b storage.Block) error {
	names, err := json.Marshal(b.Names)
	if err != nil {
		return err
	}
	if _, err := tx.exec(`INSERT INTO main.event_blocks
			(number, first, last, lines, from_at, until_at, sealed_at, names, root, edge, checkpoint)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
		b.Number, b.First, b.Last, b.Count, micros(b.From), micros(b.Until), micros(b.SealedAt),
		string(names), b.Root[:], nonNil(b.Edge), string(b.Checkpoint)); err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE main.event_log SET sealed = ?1 WHERE one = 1`, b.Last)
	return err
}

// safeEnd returns an ID up to which no event can still be recorded. Where steps run beside
// each other, the order of IDs is not that of commits: with nobody in the middle of a step
// that writes events, whoever draws a number later gets a higher one.
func (s *Store) safeEnd(ctx context.Context) (int64, error) {
	if len(s.dialect.PauseEvents) == 0 {
		return math.MaxInt64, nil
	}
	return run(ctx, s, s.engine.Write, "find the end of the events", func(tx *tx) (int64, error) {
		for _, statement := range s.dialect.PauseEvents {
			if _, err := tx.exec(statement); err != nil {
				return 0, err
			}
		}
		return one(tx, scanInt64, `SELECT coalesce(max(id), 0) FROM main.events`)
	})
}

func scanInt64(row scanner) (n int64, err error) {
	err = row.Scan(&n)
	return n, err
}

// logState is the row of event_log: the last events that are in a block, and in one whose
// events are removed.
type logState struct{ sealed, swept int64 }

func scanLog(row scanner) (l logState, err error) {
	err = row.Scan(&l.sealed, &l.swept)
	return l, err
}

// lockLog locks the state of the log.
func lockLog(tx *tx, lock string) (logState, error) {
	state, err := one(tx, scanLog, `SELECT sealed, swept FROM main.event_log WHERE one = 1 `+lock)
	if errors.Is(err, storage.ErrNotFound) {
		err = errors.New("the row of event_log is missing") // and no answer to whoever asks
	}
	return state, err
}

// openEvents are the number and the earliest time of events in no block.
type openEvents struct {
	lines int
	from  time.Time
}

func scanOpen(row scanner) (o openEvents, err error) {
	err = row.Scan(&o.lines, (*instant)(&o.from))
	return o, err
}

// Blocks implements storage.Trail.
func (s *Store) Blocks(ctx context.Context, match storage.BlockFilter) ([]storage.Block, error) {
	var filter where
	number, order := "number", "DESC"
	if !match.From.IsZero() || !match.To.IsZero() {
		number = "+number" // by the index of times: of years, few blocks are meant
	}
	if match.After != 0 {
		filter.and(number+" > ?", match.After)
		order = "ASC"
	}
	if match.Before != 0 {
		filter.and(number+" < ?", match.Before)
	}
	filter.andTimes(match.From, match.To)
	query := `SELECT ` + blockColumns + ` FROM main.event_blocks` + filter.String() +
		` ORDER BY ` + number + ` ` + order + ` LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "list blocks", func(tx *tx) ([]storage.Block, error) {
		return all(tx, scanBlock, query, filter.args...)
	})
}

// andTimes selects the blocks that can have events from a time on, and before another. The
// first condition is always there: it is that of the index.
func (w *where) andTimes(from, to time.Time) {
	if from.IsZero() && to.IsZero() {
		return
	}
	earliest := any(int64(math.MinInt64))
	if !from.IsZero() {
		earliest = micros(from)
	}
	w.and("until_at >= ?", earliest)
	if !to.IsZero() {
		w.and("from_at < ?", micros(to))
	}
}

// BlockEvents implements storage.Trail. One query reads one state: an event as it was, or as it
// is with what was erased.
func (s *Store) BlockEvents(ctx context.Context, number int64) ([]storage.Event, []storage.Erasure, error) {
	ends, err := read(ctx, s, "find block", func(tx *tx) (idRange, error) {
		return one(tx, scanRange, `SELECT first, last FROM main.event_blocks WHERE number = ?1`, number)
	})
	if err != nil {
		return nil, nil, err
	}
	lines, err := read(ctx, s, "read block", func(tx *tx) ([]blockLine, error) {
		return all(tx, scanLine, `SELECT `+rawEventColumns+`, CASE WHEN x.event_id IS NULL THEN 0 ELSE 1 END, x.subject_mac, x.address_mac FROM main.events
			LEFT JOIN main.event_erasures x ON x.event_id = id WHERE id BETWEEN ?1 AND ?2 ORDER BY id`, ends.first, ends.last)
	})
	var events []storage.Event
	var erased []storage.Erasure
	for _, line := range lines {
		events = append(events, line.Event)
		if line.erased {
			erased = append(erased, storage.Erasure{EventID: line.ID, Subject: line.subject, Address: line.address})
		}
	}
	return events, erased, err
}

// idRange are the first and the last ID of some events.
type idRange struct{ first, last int64 }

func scanRange(row scanner) (r idRange, err error) {
	err = row.Scan(&r.first, &r.last)
	return r, err
}

// blockLine is an event with what was erased in it, if anything was.
type blockLine struct {
	storage.Event
	erased           bool
	subject, address []byte
}

func scanLine(row scanner) (l blockLine, err error) {
	err = row.Scan(append(eventFields(&l.Event), &l.erased, &l.subject, &l.address)...)
	return l, err
}

// OpenEvents implements storage.Trail. One bound, not two: SQLite would begin at the first of them,
// and read all that is in blocks.
func (s *Store) OpenEvents(ctx context.Context, after int64, limit int) ([]storage.Event, error) {
	return read(ctx, s, "read open events", func(tx *tx) ([]storage.Event, error) {
		return all(tx, scanEvent, `SELECT `+eventColumns+` FROM main.events
			WHERE id > (SELECT CASE WHEN sealed > ?1 THEN sealed ELSE ?1 END FROM main.event_log WHERE one = 1) ORDER BY id LIMIT ?2`, after, max(limit, 0))
	})
}

// blockColumns are those of a block. One is removed when the sweep has come to it.
const blockColumns = `number, first, last, lines, from_at, until_at, sealed_at, names, root, edge, checkpoint,
	CASE WHEN last <= (SELECT swept FROM main.event_log WHERE one = 1) THEN 1 ELSE 0 END`

func scanBlock(row scanner) (b storage.Block, err error) {
	var names, checkpoint string
	if err := row.Scan(&b.Number, &b.First, &b.Last, &b.Count, (*instant)(&b.From), (*instant)(&b.Until), (*instant)(&b.SealedAt),
		&names, (*digest)(&b.Root), &b.Edge, &checkpoint, &b.Removed); err != nil {
		return b, err
	}
	b.Checkpoint = []byte(checkpoint)
	return b, json.Unmarshal([]byte(names), &b.Names)
}

package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// Events implements storage.Events. No filter reads the table from end to end: each goes by an
// index, or by the blocks, which know the times and the names in them.
func (s *Store) Events(ctx context.Context, match storage.EventFilter) ([]storage.Event, error) {
	search := search{store: s, match: match, names: eventNames(match), left: page(match.Limit)}
	owned := match.Subject != "" || match.ClientID != "" || match.Actor != "" || match.Matter != ""
	rare := len(search.names) > 0 && !slices.ContainsFunc(search.names, isCommon)
	var err error
	if search.byName = rare; rare && owned {
		if search.byName, err = s.areFew(ctx, search.names); err != nil {
			return nil, err
		}
	}
	if match.Address != "" && !owned && match.From.IsZero() {
		return nil, errors.New("read events: an address without a time from which on")
	}
	last := int64(maxID)
	if match.BeforeID != 0 {
		last = match.BeforeID - 1
	}
	switch timed := !match.From.IsZero() || !match.Until.IsZero(); {
	case !timed && (owned || rare || len(search.names) == 0):
		err = search.in(ctx, idRange{0, last})
	case owned || rare:
		err = search.byTime(ctx, last)
	default:
		err = search.byBlock(ctx, last)
	}
	if err != nil {
		return nil, err
	}
	return search.found, nil
}

// maxID is above every ID.
const maxID = 1<<63 - 1

// commonNames are the names of nearly all events, which the index of names leaves out. As a
// condition they stand in a query as in the index, or it is not used.
const commonNames = `'sign_in', 'sign_out', 'consent', 'sign_in_failed'`

func isCommon(name string) bool { return strings.Contains(commonNames, "'"+name+"'") }

// fewEvents is how many events of a name are looked through for those of somebody, of whom there
// may be more.
const fewEvents = 1000

// areFew reports whether so few events have one of these names, none of them common.
func (s *Store) areFew(ctx context.Context, names []string) (few bool, err error) {
	few = true
	for i := 0; i < len(names) && few && err == nil; i++ {
		few, err = read(ctx, s, "count the events of a name", func(tx *tx) (bool, error) {
			_, err := one(tx, scanInt64, `SELECT id FROM main.events WHERE name NOT IN (`+commonNames+`) AND name = ?1
				ORDER BY id LIMIT 1 OFFSET `+strconv.Itoa(fewEvents), names[i])
			if errors.Is(err, storage.ErrNotFound) {
				return true, nil
			}
			return false, err
		})
	}
	return few, err
}

// eventNames are the names of which a filter wants one; nil for any.
func eventNames(match storage.EventFilter) []string {
	switch {
	case match.Name == "":
		return slices.Compact(slices.Sorted(slices.Values(match.Names)))
	case len(match.Names) == 0 || slices.Contains(match.Names, match.Name):
		return []string{match.Name}
	default:
		return []string{""} // which no event has
	}
}

// search finds events, the latest first, in one range of IDs after the other.
type search struct {
	store  *Store
	match  storage.EventFilter
	names  []string
	byName bool // by the index of names
	left   int  // how many more are wanted
	found  []storage.Event
}

// byTime searches what is in no block, and between the first and the last block of the time.
func (s *search) byTime(ctx context.Context, last int64) error {
	var filter where
	filter.andTimes(s.match.From, s.match.Until)
	known, err := read(ctx, s.store, "find the events of a time", func(tx *tx) (sealedRange, error) {
		return one(tx, scanSealedRange, `SELECT coalesce(min(first), 1), coalesce(max(last), 0), (SELECT sealed FROM main.event_log WHERE one = 1)
			FROM main.event_blocks`+filter.String(), filter.args...)
	})
	if err != nil {
		return err
	}
	if err := s.in(ctx, idRange{known.sealed + 1, last}); err != nil {
		return err
	}
	return s.in(ctx, idRange{known.first, min(known.last, last)})
}

// sealedRange is a range of events in blocks, and the last event in any.
type sealedRange struct {
	idRange
	sealed int64
}

func scanSealedRange(row scanner) (r sealedRange, err error) {
	err = row.Scan(&r.first, &r.last, &r.sealed)
	return r, err
}

// blocksAtOnce is how many blocks a search looks for at a time.
const blocksAtOnce = 64

// byBlock searches what is in no block, and the blocks that have events of the time and of one
// of the names.
func (s *search) byBlock(ctx context.Context, last int64) error {
	state, err := read(ctx, s.store, "find the end of the blocks", func(tx *tx) (logState, error) { return lockLog(tx, "") })
	if err != nil {
		return err
	}
	if err := s.in(ctx, idRange{state.sealed + 1, last}); err != nil {
		return err
	}
	for before := min(state.sealed, last) + 1; s.left > 0; {
		blocks, err := s.blocks(ctx, before)
		if err != nil {
			return err
		}
		for _, together := range joined(blocks) {
			if err := s.in(ctx, idRange{together.first, min(together.last, last)}); err != nil {
				return err
			}
		}
		if len(blocks) < blocksAtOnce {
			return nil
		}
		before = blocks[len(blocks)-1].first
	}
	return nil
}

// blocks returns blocks with an event before the given one, the latest first. Those of a time
// are found by its index, which the order must not get in the way of.
func (s *search) blocks(ctx context.Context, before int64) ([]idRange, error) {
	var filter where
	order := "number"
	if !s.match.From.IsZero() || !s.match.Until.IsZero() {
		order = "+number"
	}
	filter.andTimes(s.match.From, s.match.Until)
	filter.and("first < ?", before)
	filter.conditions = append(filter.conditions, "last > (SELECT swept FROM main.event_log WHERE one = 1)")
	var named []string
	for _, name := range s.names {
		named = append(named, "names LIKE "+filter.param(`%"`+name+`":%`))
	}
	if named != nil {
		filter.conditions = append(filter.conditions, "("+strings.Join(named, " OR ")+")")
	}
	query := `SELECT first, last FROM main.event_blocks` + filter.String() + ` ORDER BY ` + order + ` DESC LIMIT ` + filter.param(blocksAtOnce)
	return read(ctx, s.store, "find the blocks of events", func(tx *tx) ([]idRange, error) {
		return all(tx, scanRange, query, filter.args...)
	})
}

// joined makes one range of blocks that follow each other, as far as a page can need. The
// numbers between two blocks that no event has got are in neither.
func joined(blocks []idRange) []idRange {
	var ranges []idRange
	for _, block := range blocks {
		if n := len(ranges) - 1; n >= 0 && ranges[n].first == block.last+1 {
			ranges[n].first = block.first
			continue
		}
		ranges = append(ranges, block)
	}
	return ranges
}

// in searches a range.
func (s *search) in(ctx context.Context, within idRange) error {
	if s.left == 0 || within.first > within.last {
		return nil
	}
	query, args := s.query(within)
	events, err := read(ctx, s.store, "read events", func(tx *tx) ([]storage.Event, error) {
		return all(tx, scanEvent, query, args...)
	})
	s.found = append(s.found, events...)
	s.left -= len(events)
	return err
}

// query is that for events in a range. The index of names has each name in the order of IDs, so
// that each is a query of its own.
func (s *search) query(within idRange) (query string, args []any) {
	var filter where
	filter.andEvent(s.match, s.byName)
	if within.first > 0 {
		filter.and("id >= ?", within.first)
	}
	if within.last < maxID {
		filter.and("id <= ?", within.last)
	}
	const events = `SELECT ` + eventColumns + ` FROM main.events`
	if !s.byName {
		filter.andOneOf("name", s.names)
		return events + filter.String() + ` ORDER BY id DESC LIMIT ` + filter.param(s.left), filter.args
	}
	filter.conditions = append(filter.conditions, `name NOT IN (`+commonNames+`)`)
	if len(s.names) == 1 {
		filter.and("name = ?", s.names[0])
		return events + filter.String() + ` ORDER BY id DESC LIMIT ` + filter.param(s.left), filter.args
	}
	limit := filter.param(s.left)
	parts := make([]string, len(s.names))
	for i, name := range s.names {
		parts[i] = `SELECT * FROM (` + events + filter.String() + ` AND name = ` + filter.param(name) + ` ORDER BY id DESC LIMIT ` + limit + `) AS part`
	}
	return strings.Join(parts, ` UNION ALL `) + ` ORDER BY id DESC LIMIT ` + limit, filter.args
}

// andEvent adds the conditions of a filter on columns of events but for names. That an actor is
// not empty is the condition of an index. byName keeps SQLite, which does not know how many there
// are of each, from another index than that of names.
func (w *where) andEvent(match storage.EventFilter, byName bool) {
	is := " = ?"
	if byName {
		is = " || '' = ?"
	}
	for _, column := range [...]struct{ condition, value string }{
		{"subject" + is, match.Subject},
		{"client_id" + is, match.ClientID},
		{"actor <> '' AND actor" + is, match.Actor},
		{"matter <> '' AND matter" + is, match.Matter},
		{"address = ?", match.Address},
	} {
		if column.value != "" {
			w.and(column.condition, column.value)
		}
	}
	if match.Subject != "" {
		w.and("NOT EXISTS (SELECT 1 FROM main.departed d WHERE d.subject = ?)", match.Subject)
	}
	if !match.From.IsZero() {
		w.and("at >= ?", micros(match.From))
	}
	if !match.Until.IsZero() {
		w.and("at < ?", micros(match.Until))
	}
}

// andOneOf adds the condition that a column has one of some values, unless there are none.
func (w *where) andOneOf(column string, values []string) {
	if len(values) > 0 {
		andAnyOf(w, column, values)
	}
}

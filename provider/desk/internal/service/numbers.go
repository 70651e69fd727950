package service

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// period is the number of days that are shown.
const period = 30

// pageOfBlocks is the number of blocks read at a time, and maxOpen the number of events in no
// block that are counted: sealing takes all but those of the last minutes.
const (
	pageOfBlocks = 1000
	maxOpen      = 10_000
)

// series are what is shown, by the events that are counted.
var series = []struct {
	name   screens.SeriesName
	events []string
}{
	{screens.SeriesSignIns, []string{event.SignedIn}},
	{screens.SeriesFailures, []string{event.SignInFailed}},
	{screens.SeriesSignUps, []string{event.SignedUp, event.AccountCreated}},
	{screens.SeriesConsents, []string{event.Consent}},
	{screens.SeriesDeleted, []string{event.AccountDeleted}},
	{screens.SeriesLooks, []string{event.SupportLooked}},
}

// days keeps the counts of closed blocks, which never change: each is read once by a process.
type days struct {
	mu     sync.Mutex
	last   storage.Block
	counts map[time.Time]map[string]int
}

// read returns the counts by day since a moment.
func (d *days) read(ctx context.Context, p *provider.Provider, from time.Time) (map[time.Time]map[string]int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.counts == nil {
		d.counts = map[time.Time]map[string]int{}
	}
	for {
		match := storage.BlockFilter{After: d.last.Number, Limit: pageOfBlocks}
		if d.last.Number == 0 { // nothing of before is shown
			match.From, match.To = from, from.AddDate(1000, 0, 0)
		}
		blocks, err := p.Rooms().Trail.Blocks(ctx, match)
		if err != nil {
			return nil, err
		}
		if d.last.Number == 0 && len(blocks) > 1 && blocks[0].Number > blocks[1].Number { // the latest first
			blocks, err = d.whole(ctx, p, match, blocks)
			if err != nil {
				return nil, err
			}
		}
		for _, b := range blocks {
			add(d.counts, b.From, b.Names)
			if b.Number > d.last.Number {
				d.last = b
			}
		}
		if len(blocks) < pageOfBlocks {
			break
		}
	}
	maps.DeleteFunc(d.counts, func(day time.Time, _ map[string]int) bool { return day.Before(from.AddDate(0, 0, -1)) })
	all := make(map[time.Time]map[string]int, len(d.counts))
	for day, counts := range d.counts {
		all[day] = maps.Clone(counts)
	}
	return all, d.addOpen(ctx, p, all)
}

// whole reads all blocks of a filter that begins with the latest.
func (d *days) whole(ctx context.Context, p *provider.Provider, match storage.BlockFilter, blocks []storage.Block) ([]storage.Block, error) {
	for len(blocks)%pageOfBlocks == 0 {
		match.Before = blocks[len(blocks)-1].Number
		more, err := p.Rooms().Trail.Blocks(ctx, match)
		if err != nil || len(more) == 0 {
			return blocks, err
		}
		blocks = append(blocks, more...)
	}
	return blocks, nil
}

// addOpen adds the events that are in no block.
func (d *days) addOpen(ctx context.Context, p *provider.Provider, all map[time.Time]map[string]int) error {
	events, err := p.Rooms().Trail.OpenEvents(ctx, d.last.Last, maxOpen)
	for _, e := range events {
		add(all, e.At, map[string]int{e.Name: 1})
	}
	return err
}

// add adds counts to a day. A block belongs to the day of its first event: it is closed within
// minutes.
func add(to map[time.Time]map[string]int, at time.Time, counts map[string]int) {
	day := at.UTC().Truncate(24 * time.Hour)
	if to[day] == nil {
		to[day] = map[string]int{}
	}
	for name, n := range counts {
		to[day][name] += n
	}
}

// showNumbers shows what the audit log counts, by day.
func (r *Room) showNumbers(q *frame.Request) error {
	page, err := q.Page(desk.SectionNumbers)
	if err != nil {
		return err
	}
	first := q.Frame.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-period)
	counts, err := r.days.read(q.Context(), r.Provider, first)
	if err != nil {
		return err
	}
	v := screens.NumbersView{Page: page}
	for i := range period {
		v.Days = append(v.Days, first.AddDate(0, 0, i))
	}
	for _, s := range series {
		one := screens.Series{Name: s.name, Counts: make([]int, period)}
		for i, day := range v.Days {
			for _, name := range s.events {
				one.Counts[i] += counts[day][name]
			}
		}
		v.Series = append(v.Series, one)
	}
	q.Render(http.StatusOK, screens.Numbers(v))
	return nil
}

package developer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/storage"
)

// maintenance is the interval at which Run removes old records; maintenanceBatch limits a
// step.
const (
	maintenance      = time.Minute
	maintenanceBatch = 250
)

// watch receives the activity of applications until stop is called, which waits for earlier
// activities.
func (d *Dashboard) watch() (stop func()) {
	var stops []func()
	for _, env := range []string{storage.Production, storage.Sandbox} {
		if p := d.provider(env); p != nil {
			stops = append(stops, p.Rooms().Events.WatchActivity(func(a activity.Activity) { d.recorder.add(env, a) }))
		}
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// run does the background work, as long as the provider's Run: it writes the request logs,
// and removes old records.
func (d *Dashboard) run(ctx context.Context) {
	var stop func()
	select {
	case stop = <-d.watching: // since New
	default:
		stop = d.watch()
	}
	var maintaining sync.WaitGroup
	maintaining.Go(func() { d.maintain(ctx) })
	d.recorder.run(ctx)
	stop()
	d.recorder.settleAll(d.Clock().Add(time.Minute)) // nobody counts on
	d.recorder.flush(ctx)
	maintaining.Wait()
}

// maintain carries out decisions, removes old records, and mails operators about pending
// reviews, until ctx ends.
func (d *Dashboard) maintain(ctx context.Context) {
	tick := time.NewTicker(maintenance)
	defer tick.Stop()
	for ctx.Err() == nil {
		d.recorder.settleAll(d.Clock())
		d.halts.goOn(ctx)
		d.removeOld(ctx)
		d.tellOperators(ctx)
		d.attend(ctx, tick.C)
	}
}

// removeOld removes old entries and counts, and entries beyond the maximum.
func (d *Dashboard) removeOld(ctx context.Context) {
	d.shorten(ctx, func() (int, error) {
		now, err := d.Provider.Rooms().People.CertainTime(ctx)
		if err != nil {
			return 0, err
		}
		return d.Store.Trim(ctx, storage.Trim{Kind: storage.OldLog, Before: before(now, d.KeepLog), DaysBefore: before(now, d.KeepNumbers)}, maintenanceBatch)
	})
	for _, a := range d.recorder.takeGrown() {
		whole := d.shorten(ctx, func() (int, error) {
			return d.Store.Trim(ctx, storage.Trim{
				Kind: storage.SurplusLog, Environment: a.environment, ClientID: a.clientID, Successes: keptSuccesses, Failures: keptFailures,
			}, maintenanceBatch)
		})
		if !whole {
			d.recorder.putBack(a)
		}
	}
}

// shorten removes entries in small steps until nothing is left to remove, with pauses
// between them, so that nobody is held up. It reports whether it got that far.
func (d *Dashboard) shorten(ctx context.Context, step func() (removed int, err error)) (whole bool) {
	for ctx.Err() == nil {
		begin := time.Now()
		removed, err := step()
		if err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "request log could not be trimmed", slog.Any("error", err))
		}
		if err != nil || removed == 0 {
			return err == nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(4 * time.Since(begin)):
		}
	}
	return false
}

// before returns the moment before which a record is old; the zero time if records are kept
// for ever.
func before(now time.Time, keep time.Duration) time.Time {
	if keep < 0 {
		return time.Time{}
	}
	return now.Add(-keep)
}

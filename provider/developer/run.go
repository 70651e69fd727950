package developer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// maintenance is how often Run removes what is old; maintenanceBatch bounds a step of it.
const (
	maintenance      = time.Minute
	maintenanceBatch = 250
)

// watch takes notice of what happens to the requests of applications, until stop is called,
// which waits for what has happened already.
func (d *Dashboard) watch() (stop func()) {
	var stops []func()
	for _, env := range []string{storage.Production, storage.Sandbox} {
		if p := d.provider(env); p != nil {
			stops = append(stops, p.Events().WatchActivity(func(a provider.Activity) { d.recorder.add(env, a) }))
		}
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// run does what goes on in the background, as long as the provider's Run: it records what
// happens to the requests of applications, for their log, and removes what is old.
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

// maintain carries out what was decided, removes what is old, and tells operators what waits, until ctx ends.
func (d *Dashboard) maintain(ctx context.Context) {
	tick := time.NewTicker(maintenance)
	defer tick.Stop()
	for {
		d.recorder.settleAll(d.Clock())
		d.goOn(ctx)
		d.removeOld(ctx)
		d.tellOperators(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// removeOld removes lines and counts that are old, and lines of which there are too many.
func (d *Dashboard) removeOld(ctx context.Context) {
	d.shorten(ctx, func() (int, error) {
		now := d.Clock()
		return d.Store.RemoveLog(ctx, before(now, d.KeepLog), before(now, d.KeepNumbers), maintenanceBatch)
	})
	for _, a := range d.recorder.takeGrown() {
		d.shorten(ctx, func() (int, error) {
			return d.Store.TrimLog(ctx, a.environment, a.clientID, keptSuccesses, keptFailures, maintenanceBatch)
		})
	}
}

// shorten removes lines in small steps until there is nothing left to remove, with rests
// between them, so that nobody is held up.
func (d *Dashboard) shorten(ctx context.Context, step func() (removed int, err error)) {
	for ctx.Err() == nil {
		begin := time.Now()
		removed, err := step()
		if err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "request log could not be trimmed", slog.Any("error", err))
		}
		if err != nil || removed == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(4 * time.Since(begin)):
		}
	}
}

// before returns the moment before which something is old; the zero time when it is kept
// for ever.
func before(now time.Time, keep time.Duration) time.Time {
	if keep < 0 {
		return time.Time{}
	}
	return now.Add(-keep)
}

package developer

import (
	"context"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// maintenance is how often Run removes what is old; maintenanceBatch bounds a step of it.
const (
	maintenance      = time.Minute
	maintenanceBatch = 250
)

// Run does what goes on in the background: it records what happens to the requests of
// applications, for their log, and removes what is old. It returns nil when ctx ends or
// the dashboard is closed, and what had happened before is recorded then. Every process
// of a dashboard should have one Run; without one, logs stay empty.
func (d *Dashboard) Run(ctx context.Context) error {
	d.running.Add(1)
	defer d.running.Done()
	if d.closing.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.closing, cancel)()
	recorder := newRecorder(d)
	defer recorder.flush(ctx)
	for _, env := range []string{storage.Production, storage.Sandbox} {
		if p := d.provider(env); p != nil {
			defer p.Watch(func(a provider.Activity) { recorder.add(env, a) })()
		}
	}
	go d.maintain(ctx)
	recorder.run(ctx)
	return nil
}

// Close ends Run and waits for it. Call it before the providers are closed, which close
// their stores.
func (d *Dashboard) Close() error {
	d.close()
	d.running.Wait()
	return nil
}

// maintain removes what is old until ctx ends.
func (d *Dashboard) maintain(ctx context.Context) {
	tick := time.NewTicker(maintenance)
	defer tick.Stop()
	for {
		d.removeOld(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// removeOld removes lines and counts in small steps, with rests between them, so that
// nobody is held up.
func (d *Dashboard) removeOld(ctx context.Context) {
	for ctx.Err() == nil {
		begin, now := time.Now(), d.Clock()
		removed, err := d.Store.RemoveLog(ctx, before(now, d.KeepLog), before(now, d.KeepNumbers), maintenanceBatch)
		if err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "the log of applications could not be shortened", slog.Any("error", err))
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

package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// maintenance is the interval between rounds of Run.
const maintenance = time.Minute

// A sweep must not hold up requests, however much it finds: sweepBatch limits one
// transaction, after which it pauses sweepRest times as long as that took.
const (
	sweepBatch = 250
	sweepRest  = 4
)

// Run does the background work: it rotates signing keys, encrypts again what former secrets
// encrypt, sends logout tokens (Client.BackchannelLogoutURI), deletes accounts whose users
// have requested it (Lifetimes.DeletionGrace), and removes data of deleted applications
// (Clients.Delete) and expired records. It permanently removes only what has expired by the
// clocks of all processes, and, after a leap in time, a day later. It returns nil when ctx
// ends or the provider is closed. Every process should have one Run. A provider without one
// works, but its keys never change, its tables only grow, and logout tokens wait.
func (p *Provider) Run(ctx context.Context) error {
	p.running.Add(1)
	defer p.running.Done()
	if p.closing.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.closing, cancel)()
	defer p.background.run(ctx)()
	tick := time.NewTicker(maintenance)
	defer tick.Stop()
	for {
		(upkeep{&p.rooms}).maintain(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// upkeep is the background work of Run.
type upkeep struct{ *rooms }

// maintain does one round. Failures are logged and retried in the next round.
func (p upkeep) maintain(ctx context.Context) {
	if p.isOutdated(ctx) {
		return
	}
	added, err := p.keys.RotateIfDue(ctx)
	if err != nil && ctx.Err() == nil {
		p.cfg.Logger.ErrorContext(ctx, "signing keys could not be maintained", slog.Any("error", err))
	}
	if added {
		p.audit.Record(ctx, storage.Event{Name: audit.KeyRotated})
	}
	if err == nil {
		p.reseal(ctx)
	}
	// A long sweep continues after the next look at the keys.
	ctx, cancel := context.WithTimeout(ctx, maintenance)
	defer cancel()
	p.removeEnded(ctx)
	p.inBatches(ctx, "measure pictures", func() (int, error) { return p.clients.Measure(ctx) })
}

// removeDeleted removes the data of deleted applications as they come, including those that
// another process has deleted.
func (p upkeep) removeDeleted(ctx context.Context) {
	tick := time.NewTicker(maintenance)
	defer tick.Stop()
	for {
		if !p.isOutdated(ctx) {
			if err := p.clients.RemoveDeleted(ctx); err != nil && ctx.Err() == nil {
				p.cfg.Logger.ErrorContext(ctx, "data of a deleted application could not be removed; will retry", slog.Any("error", err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.clients.Deleted:
		}
	}
}

// removeEnded permanently removes what has ended by a time that all processes agree on.
func (p upkeep) removeEnded(ctx context.Context) {
	said := p.cfg.Clock()
	clock, err := p.store.HearClock(ctx, said)
	if err != nil && ctx.Err() == nil {
		p.cfg.Logger.ErrorContext(ctx, "ended records could not be removed; will retry", slog.Any("error", err))
	}
	if err != nil || clock.Agreed.IsZero() {
		return
	}
	if clock.Claimed.Equal(said) {
		p.cfg.Logger.WarnContext(ctx, "the time has leapt since the last round: no process ran, or this machine's clock is wrong; records that end by it are removed after a day",
			slog.Time("time", said), slog.Time("last", clock.Agreed))
	}
	now := clock.Agreed
	p.inBatches(ctx, "remove expired records", func() (int, error) { return p.store.Sweep(ctx, now, sweepBatch) })
	p.inBatches(ctx, "remove accounts whose users wanted that", func() (int, error) { return p.deleteDue(ctx, now) })
	for _, c := range p.companions.list() {
		p.inBatches(ctx, "remove what is over beside", func() (int, error) { return c.RemoveEnded(ctx, now, sweepBatch) })
	}
	if keep := p.cfg.KeepEvents; keep > 0 {
		p.inBatches(ctx, "remove old events", func() (int, error) {
			return p.store.RemoveEvents(ctx, now.Add(-keep), now, sweepBatch)
		})
	}
}

// isOutdated reports whether a newer version has migrated the database, and tells the
// operator once; every later request gets 503, which says the same.
func (p upkeep) isOutdated(ctx context.Context) bool {
	err := p.store.Ping(ctx)
	if !errors.Is(err, storage.ErrNewerSchema) {
		return false
	}
	p.outdated.Do(func() {
		p.cfg.Logger.ErrorContext(ctx, "this process no longer serves requests: stop or upgrade it", slog.Any("error", err))
	})
	return true
}

// inBatches runs batch after batch until nothing is left to do, or ctx ends.
func (p upkeep) inBatches(ctx context.Context, what string, batch func() (done int, err error)) {
	for ctx.Err() == nil {
		begin := time.Now()
		done, err := batch()
		if err != nil && ctx.Err() == nil {
			p.cfg.Logger.ErrorContext(ctx, "background task failed; will retry", slog.String("task", what), slog.Any("error", err))
		}
		if err != nil || done == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(sweepRest * time.Since(begin)):
		}
	}
}

// Close ends Run and all watching, waits for it, and closes the store. Later requests get
// 503.
func (p *Provider) Close() error {
	p.close()
	p.running.Wait()
	p.activity.Close()
	p.uses.Close()
	p.outbound.Close()
	if err := p.store.Close(); err != nil {
		return fmt.Errorf("provider: close store: %w", err)
	}
	return nil
}

package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/storage"
)

// The audit log is verified once in verifyEvery, by whichever process is the first, and its
// checkpoint is taken elsewhere once in anchorEvery by each. A line that is in no block after
// lateAfter makes the log late.
const (
	verifyEvery = 7 * 24 * time.Hour
	anchorEvery = time.Hour
	lateAfter   = time.Hour
)

// Anchor takes a signed checkpoint elsewhere.
type Anchor func(ctx context.Context, signed []byte) error

// anchors are where the checkpoints of one process go.
type anchors struct {
	mu   sync.Mutex
	all  []ownPlace
	last time.Time // when all had taken one
	next time.Time
}

// ownPlace is an anchor that is called again only when its last call has returned: one that hangs
// takes no place of the host's other functions.
type ownPlace struct {
	take  Anchor
	calls host.Calls
}

// AnchorWith has Run call f with the checkpoint of the audit log, once an hour.
func (u *Upkeep) AnchorWith(f Anchor) {
	u.anchors.mu.Lock()
	defer u.anchors.mu.Unlock()
	u.anchors.all = append(slices.Clone(u.anchors.all), ownPlace{f, make(host.Calls, 1)}) // the former list may be in use
	u.anchors.next = time.Time{}
}

// Anchored returns when all anchors had taken a checkpoint; false if there is none.
func (u *Upkeep) Anchored() (at time.Time, is bool) {
	u.anchors.mu.Lock()
	defer u.anchors.mu.Unlock()
	return u.anchors.last, len(u.anchors.all) > 0
}

// seal closes what is old enough of the audit log, or fills a block. Writers who do not pause in
// time are left alone until the next round.
func (u *Upkeep) seal(ctx context.Context) {
	u.inBatches(ctx, "seal the audit log", func() (int, error) {
		now := u.Clock()
		sealed, err := u.Store.SealEvents(ctx, trail.Most, now.Add(-trail.Oldest), u.Trail.Seal(now))
		switch {
		case errors.Is(err, storage.ErrUnavailable):
			return 0, u.late(ctx, now, err)
		case sealed:
			return 1, err
		default:
			return 0, err
		}
	})
}

// late returns why nothing could be sealed if that has lasted for too long.
func (u *Upkeep) late(ctx context.Context, now time.Time, why error) error {
	since, err := u.LateSince(ctx, now)
	if err == nil && since.IsZero() {
		return nil
	}
	return errors.Join(why, err)
}

// LateSince returns since when a line waits to be sealed, if that is for too long.
func (u *Upkeep) LateSince(ctx context.Context, now time.Time) (time.Time, error) {
	open, err := u.Store.OpenEvents(ctx, 0, 1)
	if err != nil || len(open) == 0 || now.Sub(open[0].At) < lateAfter {
		return time.Time{}, err
	}
	return open[0].At, nil
}

// removeEvents removes the events from before a moment. The first step that removes any records
// that, for all of the round.
func (u *Upkeep) removeEvents(ctx context.Context, before, now time.Time) {
	recorded := false
	u.inBatches(ctx, "remove old events", func() (int, error) {
		remove := func(ctx context.Context) (int, error) {
			return u.Store.Trim(ctx, storage.Trim{Kind: storage.OldEvents, Before: before, Now: now}, Batch)
		}
		if recorded {
			return remove(ctx)
		}
		removed, err := audit.StepIf(ctx, u.Audit, remove, storage.Event{Name: event.EventsRemoved, Detail: trail.RemovedDetail(before)})
		recorded = removed > 0
		return removed, err
	})
}

// guardTrail calls GuardTrail every minute.
func (u *Upkeep) guardTrail(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if u.isOutdated(ctx) {
			return
		}
		if err := u.GuardTrail(ctx); err != nil && ctx.Err() == nil {
			u.Logger.ErrorContext(ctx, "the audit log could not be guarded; will retry", slog.Any("error", err))
		}
	}
}

// GuardTrail verifies the audit log and takes its checkpoint elsewhere, if it is time.
func (u *Upkeep) GuardTrail(ctx context.Context) error {
	return errors.Join(u.verifyIfDue(ctx), u.anchor(ctx))
}

// LastVerified returns the event of the last verification, zero if there was none, and when the
// next one is due: a week after it, or after the first block. Without a block nothing is.
func (u *Upkeep) LastVerified(ctx context.Context) (last storage.Event, due time.Time, err error) {
	events, err := u.Store.Events(ctx, storage.EventFilter{Names: []string{event.TrailVerified, event.TrailBroken}, Limit: 1})
	if err == nil && len(events) > 0 {
		return events[0], events[0].At.Add(verifyEvery), nil
	}
	var first []storage.Block
	if err == nil {
		first, err = u.Store.Blocks(ctx, storage.BlockFilter{After: -1, Limit: 1})
	}
	if err != nil || len(first) == 0 {
		return last, due, err
	}
	return last, first[0].SealedAt.Add(verifyEvery), nil
}

// verifyIfDue verifies the audit log if it is time.
func (u *Upkeep) verifyIfDue(ctx context.Context) error {
	_, due, err := u.LastVerified(ctx)
	if err != nil {
		return fmt.Errorf("find last verification: %w", err)
	}
	if due.IsZero() || u.Clock().Before(due) {
		return nil
	}
	_, err = u.VerifyTrail(ctx, restAsLong())
	return err
}

// restAsLong returns a function that rests for as long as the work before it took, so that others
// have most of the machine.
func restAsLong() func(context.Context) error {
	begin := time.Now()
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(begin)):
		}
		begin = time.Now()
		return nil
	}
}

// VerifyTrail verifies the audit log against these checkpoints and the last one that this process
// has seen, and records the outcome, with an alarm in the operator's log if something is wrong.
func (u *Upkeep) VerifyTrail(ctx context.Context, rest func(context.Context) error, against ...trail.Checkpoint) (trail.Verdict, error) {
	if seen := u.seen.Load(); seen != nil {
		against = append(against[:len(against):len(against)], *seen)
	}
	verdict, err := u.Trail.Verify(ctx, u.Store, u.Clock(), rest, against...)
	if err != nil {
		return verdict, err
	}
	if wrong := verdict.Finding; wrong != nil {
		u.Logger.ErrorContext(ctx, "the audit log is not what was sealed", slog.String("finding", wrong.String()))
		u.Audit.Record(ctx, storage.Event{Name: event.TrailBroken, Detail: wrong.String()})
		return verdict, nil
	}
	if verdict.Blocks > 0 {
		u.seen.Store(&verdict.Head)
		u.Audit.Record(ctx, storage.Event{Name: event.TrailVerified, Detail: fmt.Sprintf("%d blocks, %d lines", verdict.Blocks, verdict.Lines)})
	}
	return verdict, nil
}

// anchor takes the last checkpoint elsewhere, if it is time.
func (u *Upkeep) anchor(ctx context.Context) error {
	u.anchors.mu.Lock()
	all, due := u.anchors.all, !u.Clock().Before(u.anchors.next)
	u.anchors.mu.Unlock()
	if len(all) == 0 || !due {
		return nil
	}
	last, err := u.Store.Blocks(ctx, storage.BlockFilter{Limit: 1})
	if err != nil || len(last) == 0 {
		return err
	}
	var failed error
	for _, a := range all {
		_, err := host.CallIn(ctx, a.calls, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, a.take(ctx, last[0].Checkpoint)
		})
		failed = errors.Join(failed, err)
	}
	if failed != nil { // again in a minute
		return fmt.Errorf("take checkpoint elsewhere: %w", failed)
	}
	u.anchors.mu.Lock()
	defer u.anchors.mu.Unlock()
	u.anchors.last, u.anchors.next = u.Clock(), u.Clock().Add(anchorEvery)
	return nil
}

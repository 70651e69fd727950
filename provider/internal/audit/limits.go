package audit

import (
	"context"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/storage"
)

// Limits bound how often somebody may guess, and record who does so too often.
type Limits struct {
	Limiter *ratelimit.Limiter
	Log     *Log
}

// Allow counts an attempt and returns how long to wait when it is one too many, which is
// recorded.
func (l Limits) Allow(ctx context.Context, action ratelimit.Action, by ratelimit.Key) (wait time.Duration, err error) {
	wait, err = l.Limiter.Allow(ctx, action, by)
	if err != nil || wait == 0 {
		return 0, err
	}
	l.Log.RecordOnce(ctx, storage.Event{Name: Throttled, Detail: action.String()})
	return wait, nil
}

// Reset gives back what an attempt has used up that has gone well. When that fails,
// it stays counted as a mistake, which is no reason to refuse somebody who knows the
// password or whose code is used up.
func (l Limits) Reset(ctx context.Context, action ratelimit.Action, by ratelimit.Key) {
	l.undo(ctx, l.Limiter.Reset, action, by)
}

// GiveBack gives back what an attempt has used up that came to nothing, save for what is
// counted by address.
func (l Limits) GiveBack(ctx context.Context, action ratelimit.Action, by ratelimit.Key) {
	l.undo(ctx, l.Limiter.GiveBack, action, by)
}

func (l Limits) undo(ctx context.Context, undo func(context.Context, ratelimit.Action, ratelimit.Key) error, action ratelimit.Action, by ratelimit.Key) {
	ctx, cancel := Outlasting(ctx) // nobody keeps it from happening by hanging up
	defer cancel()
	if err := undo(ctx, action, by); err != nil {
		l.Log.Logger.ErrorContext(ctx, "attempt could not be given back and stays counted", slog.Any("error", err))
	}
}

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
	ctx, cancel := Outlasting(ctx) // nobody keeps it from happening by hanging up
	defer cancel()
	if err := l.Limiter.Reset(ctx, action, by); err != nil {
		l.Log.Logger.ErrorContext(ctx, "an attempt that went well stays counted", slog.Any("error", err))
	}
}

package audit

import (
	"context"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Limits limit guesses, and record networks that exceed a limit. The address of an attempt is that
// of its request, which they read: keys are made without.
type Limits struct {
	Limiter *ratelimit.Limiter
	Log     *Log
}

// Allow counts an attempt and returns zero, or how long to wait if it is one too many, and records
// that.
func (l Limits) Allow(ctx context.Context, action ratelimit.Action, by ratelimit.Key) (wait time.Duration, err error) {
	wait, err = l.Limiter.Allow(ctx, action, from(ctx, by))
	return l.record(ctx, action, wait), err
}

// Try is Allow for an attempt whose end the caller tells (ratelimit.Limiter.Try).
func (l Limits) Try(ctx context.Context, action ratelimit.Action, by ratelimit.Key) (wait time.Duration, end func(), err error) {
	wait, end, err = l.Limiter.Try(ctx, action, from(ctx, by))
	return l.record(ctx, action, wait), end, err
}

// from returns a key with the address of a request.
func from(ctx context.Context, by ratelimit.Key) ratelimit.Key {
	by.Address = request.Addr(ctx)
	return by
}

// record records an attempt that is one too many.
func (l Limits) record(ctx context.Context, action ratelimit.Action, wait time.Duration) time.Duration {
	if wait > 0 {
		l.Log.RecordOnce(ctx, storage.Event{Name: event.Throttled, Detail: action.String()})
	}
	return wait
}

// Reset undoes the count of a successful attempt. If that fails, it counts until the next attempt,
// which is no reason to refuse a user with the right password, or whose code is spent.
func (l Limits) Reset(ctx context.Context, action ratelimit.Action, by ratelimit.Key) {
	l.undo(ctx, l.Limiter.Reset, action, by)
}

// GiveBack undoes the count of an attempt without a result, except the count by address.
func (l Limits) GiveBack(ctx context.Context, action ratelimit.Action, by ratelimit.Key) {
	l.undo(ctx, l.Limiter.GiveBack, action, by)
}

func (l Limits) undo(ctx context.Context, undo func(context.Context, ratelimit.Action, ratelimit.Key) error, action ratelimit.Action, by ratelimit.Key) {
	by = from(ctx, by)
	ctx, cancel := Outlasting(ctx) // a caller cannot prevent it by disconnecting
	defer cancel()
	if err := undo(ctx, action, by); err != nil {
		l.Log.Logger.ErrorContext(ctx, "attempt could not be given back yet", slog.Any("error", err))
	}
}

// Package audit records events of accounts, applications and keys: in the audit log of the store,
// in a counter, and with the host's function. An event never holds a secret, and no caller can
// prevent it by disconnecting.
package audit

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Log is the audit log of one provider.
type Log struct {
	Options
	seen  *cache.Cache[storage.Event, struct{}]
	daily *cache.Cache[storage.Event, struct{}]

	// known reports that the store carries out deeds.
	known atomic.Bool
}

// Options are the destinations of a Log.
type Options struct {
	Store interface {
		AppendEvent(ctx context.Context, e storage.Event) error
	}

	// Count counts an event by its name, or is nil.
	Count func(ctx context.Context, name string)

	// Ring is called with the name of a recorded event before all others, or is nil.
	Ring func(name string)

	// OnEvent is the host's function, or nil.
	OnEvent func(storage.Event)

	Clock  func() time.Time
	Logger *slog.Logger
}

const (
	// repeatEvery is how often RecordOnce records the same event.
	repeatEvery = time.Minute

	// repeatDaily is how often StepOnce does.
	repeatDaily = 24 * time.Hour

	// maxSeen is the maximum number of cached events.
	maxSeen = 4096
)

// New returns a log with these options.
func New(o Options) *Log {
	return &Log{
		Options: o,
		seen:    cache.New[storage.Event, struct{}](repeatEvery, maxSeen, o.Clock),
		daily:   cache.New[storage.Event, struct{}](repeatDaily, maxSeen, o.Clock),
	}
}

// Writing an event takes at most the remaining time of the request, within these limits: the log
// never delays a response for long, and the event of a request without time is recorded, too.
const (
	recordAtLeast = 250 * time.Millisecond
	recordAtMost  = 2 * time.Second
)

// Outlasting returns a context for writing an event, or other data that must not be lost if the
// caller disconnects.
func Outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := recordAtMost
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(max(time.Until(deadline), recordAtLeast), recordAtMost)
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// Record writes an event, with its time, the network of the request of ctx, and who acts. If the
// audit log cannot be written, the operator's log gets the event with an alarm; the action stays.
// It is for events without a change: Step records that of a change with it.
func (l *Log) Record(ctx context.Context, e storage.Event) {
	for _, e := range l.complete(ctx, actingIn(ctx), []storage.Event{e}) {
		l.append(ctx, e)
		l.tell(ctx, e)
	}
}

// Tell is for events that a write of the store has recorded itself.
func (l *Log) Tell(ctx context.Context, events []storage.Event) {
	for _, e := range events {
		l.tell(ctx, e)
	}
}

// tell counts a recorded event, and calls the host's function with it.
func (l *Log) tell(ctx context.Context, e storage.Event) {
	if l.Ring != nil {
		l.Ring(e.Name)
	}
	if l.Count != nil {
		l.Count(ctx, e.Name)
	}
	if l.OnEvent == nil {
		return
	}
	ctx, cancel := Outlasting(ctx) // the log may have used up its time
	defer cancel()
	_, err := host.Call(ctx, func(context.Context) (struct{}, error) {
		l.OnEvent(e)
		return struct{}{}, nil
	})
	if err != nil {
		l.Logger.ErrorContext(ctx, "OnEvent did not return", slog.String("event", e.Name), slog.Any("error", err))
	}
}

func (l *Log) append(ctx context.Context, e storage.Event) {
	ctx, cancel := Outlasting(ctx)
	defer cancel()
	if err := l.Store.AppendEvent(ctx, e); err != nil {
		l.Logger.ErrorContext(ctx, "audit event could not be stored",
			slog.String("event", e.Name), slog.String("user", e.Subject), slog.String("client", e.ClientID),
			slog.String("address", e.Address), slog.String("detail", e.Detail), slog.String("actor", e.Actor),
			slog.String("matter", e.Matter), slog.Any("error", err))
	}
}

// RecordOnce is Record for events that strangers can repeat at will. It records the same event of
// one network once a minute, so that they cannot fill the log.
func (l *Log) RecordOnce(ctx context.Context, e storage.Event) {
	key := e
	key.Address = request.Network(ctx)
	_, _ = l.seen.Get(key, func() (struct{}, error) {
		l.Record(ctx, e)
		return struct{}{}, nil
	})
}

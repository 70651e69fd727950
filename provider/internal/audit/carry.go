package audit

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNoDeeds is the error of an act that rests on something, with a store that does not compare
// it: a matter, a version of an account, a target of a plan, or a request that is answered once.
var ErrNoDeeds = errors.New("provider: the store does not carry out deeds, without which nobody acts on a condition")

// noDeeds is the detail of the event of an act that such a store has not been given.
const noDeeds = "store without deeds"

// rests reports whether a deed has a part that a store must compare or keep in the step.
func rests(d *storage.Deed) bool {
	return d.On != (storage.DeedBasis{}) || d.Target != (storage.TargetID{}) || d.Break != nil || d.Answer != nil
}

// carries finds out, once, whether the store carries out deeds, before the first write that
// rests on one: it orders an event on a matter that nobody has. A store that writes it compares
// nothing. The event then says so, and the act does not happen.
func (l *Log) carries(ctx context.Context, d *storage.Deed) error {
	if !rests(d) || l.known.Load() {
		return nil
	}
	probe := &storage.Deed{On: storage.DeedBasis{Matter: "none", Staff: "none", Subject: "none", At: l.Clock()}}
	e := l.complete(ctx, actingIn(ctx), []storage.Event{{Name: event.DeskRefused, Detail: noDeeds}})[0]
	err := l.Store.AppendEvent(storage.WithDeed(ctx, probe), e)
	var unmet *storage.DeedError
	switch {
	case errors.As(err, &unmet):
		l.known.Store(true)
		return nil
	case err != nil:
		return err
	}
	l.Logger.ErrorContext(ctx, "an act was refused: the store does not carry out deeds", slog.String("actor", ActorOf(ctx)))
	return ErrNoDeeds
}

// carriedOut returns an error if a write has succeeded without its deed, as through a wrapper
// that does not pass contexts on.
func (l *Log) carriedOut(ctx context.Context, d *storage.Deed) error {
	if !rests(d) || d.IsDone() {
		return nil
	}
	l.Logger.ErrorContext(ctx, "an act has happened without what it rests on: a write of the store has not carried out its deed",
		slog.String("actor", ActorOf(ctx)))
	return ErrNoDeeds
}

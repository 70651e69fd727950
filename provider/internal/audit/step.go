package audit

import (
	"context"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Step runs one write to the store, with the context that change gets, and records events in
// the step of it: a write that fails leaves no event, and none that succeeds lacks it. In the
// context of an actor (By) the write rests on what the act rests on; an error of that is one
// of this package's.
//
// A store that does not know of deeds gets the events afterwards, as by Record. It gets no write
// that rests on anything: ErrNoDeeds.
func (l *Log) Step(ctx context.Context, change func(ctx context.Context) error, events ...storage.Event) error {
	_, err := step(ctx, l, false, func(ctx context.Context) (bool, error) { return true, change(ctx) }, events)
	return err
}

// StepOnce is Step for a write that an application repeats all day. Every process records the same
// event once a day.
func (l *Log) StepOnce(ctx context.Context, change func(ctx context.Context) error, e storage.Event) error {
	if _, recorded := l.daily.Recent(e, l.Clock()); recorded {
		return change(ctx)
	}
	return l.onceADay(e, func() error { return l.Step(ctx, change, e) })
}

// WriteDaily is Write for a look that is repeated all day. Every process records the same look by
// the same actor in the same matter once a day.
func (l *Log) WriteDaily(ctx context.Context, e storage.Event) error {
	look := e
	actingIn(ctx).sign(&look)
	if _, recorded := l.daily.Recent(look, l.Clock()); recorded {
		return nil
	}
	return l.onceADay(look, func() error { return l.Write(ctx, e) })
}

// onceADay records an event and, if that succeeds, remembers it for a day.
func (l *Log) onceADay(e storage.Event, record func() error) error {
	made := false
	end := l.daily.Begin(e)
	defer func() { end(struct{}{}, made) }()
	err := record()
	made = err == nil
	return err
}

// StepIf is Step for a write that reports whether, or how much, it has changed. It records
// nothing of one that has changed nothing, unless an actor with a name has ordered it.
func StepIf[T bool | int](ctx context.Context, l *Log, change func(ctx context.Context) (T, error), events ...storage.Event) (T, error) {
	a := actingIn(ctx)
	return step(ctx, l, a == nil || a.Name == "", change, events)
}

func step[T bool | int](ctx context.Context, l *Log, ifChanged bool, change func(ctx context.Context) (T, error), events []storage.Event) (T, error) {
	by, noted := actingIn(ctx), notedIn(ctx)
	if by == nil && noted == nil && len(events) == 0 {
		return change(ctx)
	}
	deed := by.deed()
	deed.Changes, deed.Deliveries = noted.rest(), toldIn(ctx)
	var nothing T
	if err := l.carries(ctx, deed); err != nil {
		return nothing, err
	}
	deed.Events, deed.IfChanged = l.complete(ctx, by, append(events[:len(events):len(events)], made(deed, events)...)), ifChanged
	changed, err := change(storage.WithDeed(ctx, deed))
	if err != nil {
		return changed, refused(err)
	}
	by.settle(deed)
	noted.settle(deed)
	if changed == nothing && (ifChanged || !deed.IsDone()) {
		return changed, nil
	}
	for _, e := range deed.Events {
		if !deed.IsDone() {
			l.append(ctx, e)
		}
		l.tell(ctx, e)
	}
	return changed, l.carriedOut(ctx, deed)
}

// Write records an event that is an act in itself, or returns why it could not.
func (l *Log) Write(ctx context.Context, e storage.Event) error {
	by, noted := actingIn(ctx), notedIn(ctx)
	deed, events := by.deed(), l.complete(ctx, by, []storage.Event{e})
	deed.Changes = noted.rest()
	if err := l.carries(ctx, deed); err != nil {
		return err
	}
	deed.Events = l.complete(ctx, by, made(deed, events))
	if err := l.Store.AppendEvent(storage.WithDeed(ctx, deed), events[0]); err != nil {
		return refused(err)
	}
	by.settle(deed)
	noted.settle(deed)
	for _, e := range append(events, deed.Events...) {
		l.tell(ctx, e)
	}
	return l.carriedOut(ctx, deed)
}

// made returns the event of the break that a deed records, if any: it is about whom the first of
// the other events is about.
func made(d *storage.Deed, events []storage.Event) []storage.Event {
	if d.Break == nil {
		return nil
	}
	e := storage.Event{Name: event.BreakMade, Detail: d.Break.Action}
	if len(events) > 0 {
		e.Subject, e.ClientID = events[0].Subject, events[0].ClientID
	}
	return []storage.Event{e}
}

// complete returns events with their time, the network of the request, and who acts.
func (l *Log) complete(ctx context.Context, by *acting, events []storage.Event) []storage.Event {
	all := make([]storage.Event, len(events))
	for i, e := range events {
		e.At, e.Address = l.Clock(), request.Network(ctx)
		by.sign(&e)
		all[i] = e
	}
	return all
}

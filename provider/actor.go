package provider

import (
	"context"
	"reflect"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// By returns a context in which the verbs of the provider act for somebody: every verb that
// changes something records who acted, in the step of its write, and writes nothing unless
// what the act rests on holds in the same step. Otherwise it returns ErrChanged, or an error that says what
// does not hold.
//
// Target, Break, Answer and the account of On belong to the first write of the context, the
// rest to each. A verb that finds nothing to change may write nothing: then Events.Record
// records the act, with all of that.
//
// A store that does not know of storage.Deed checks none of it, and gets the events
// afterwards.
func By(ctx context.Context, a storage.Actor) context.Context { return audit.By(ctx, a) }

// Record adds an event of the host's own, with the present time and the network of the request
// that ctx belongs to. Name is 1 to 64 of a-z, 0-9 and _; Detail is a fixed phrase, and neither
// holds personal data. At, Address, Actor and Matter are ignored: By says who acts. An act that is
// nothing but its event, such as a look at personal data, must not be done after an error: the
// event could not be written, or what the act rests on (By) does not hold.
func (p Events) Record(ctx context.Context, e Event) error {
	return p.audit.Write(ctx, e.record())
}

// WriteDaily is Record for a look that is repeated all day. Every process records the same look by
// the same actor in the same matter once a day.
func (p eventsRoom) WriteDaily(ctx context.Context, e Event) error {
	return p.audit.WriteDaily(ctx, e.record())
}

// IsKeptIn reports whether the audit log is kept in this store, so that WriteWith may be used
// for writes to it.
func (p eventsRoom) IsKeptIn(store any) bool {
	return store != nil && reflect.TypeOf(store).Comparable() && store == any(p.cfg.Store)
}

// WriteWith calls change with a context for one write to the provider's store by a handler
// beside the provider, and records events in the step of that write: none if it fails. In the
// context of By the write rests on what the act rests on. change makes exactly one write with
// its context, or returns an error.
func (p eventsRoom) WriteWith(ctx context.Context, change func(ctx context.Context) error, events ...Event) error {
	records := make([]storage.Event, len(events))
	for i, e := range events {
		records[i] = e.record()
	}
	return p.audit.Step(ctx, change, records...)
}

// WriteIn is WriteWith for a write to a store that may be another one than the provider's: the
// events are then recorded after it.
func (p eventsRoom) WriteIn(ctx context.Context, store any, change func(ctx context.Context) error, events ...Event) error {
	if p.IsKeptIn(store) {
		return p.WriteWith(ctx, change, events...)
	}
	err := change(ctx)
	for _, e := range events {
		if err == nil {
			err = p.Record(ctx, e)
		}
	}
	return err
}

// WriteIf is WriteIn for a write that reports whether it has changed anything: it records nothing of
// one that has not.
func (p eventsRoom) WriteIf(ctx context.Context, store any, change func(ctx context.Context) (bool, error), events ...Event) (changed bool, err error) {
	if p.IsKeptIn(store) {
		records := make([]storage.Event, len(events))
		for i, e := range events {
			records[i] = e.record()
		}
		return audit.StepIf(ctx, p.audit, change, records...)
	}
	err = p.WriteIn(ctx, store, func(ctx context.Context) (err error) {
		if changed, err = change(ctx); !changed {
			events = nil
		}
		return err
	}, events...)
	return changed, err
}

// record converts an event that is to be recorded.
func (e Event) record() storage.Event {
	return storage.Event{Name: string(e.Name), Subject: e.UserID, ClientID: e.ClientID, Detail: e.Detail}
}

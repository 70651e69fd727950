package signals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// followAtOnce is how many events a follower reads together: as many come again after it was killed.
const followAtOnce = 64

// Follow calls f with each event, in order, until ctx ends, and again after an error.
func (h *Hub) Follow(ctx context.Context, name string, f func(context.Context, storage.Event) error) error {
	h.followers.Add(1)
	defer h.followers.Add(-1)
	one := follower{hub: h, reader: "follow " + name, holder: random.Text(12), call: f}
	for failing := false; ctx.Err() == nil; {
		ring := h.All.Hear()
		more, err := one.page(ctx)
		if errors.Is(err, storage.ErrEnded) {
			return err
		}
		if err != nil && !failing && ctx.Err() == nil {
			h.Logger.ErrorContext(ctx, "events could not be followed; will retry", slog.String("follower", name), slog.Any("error", err))
		}
		if failing = err != nil; !more || failing {
			wait(ctx, ring, tick)
		}
	}
	return ctx.Err()
}

type follower struct {
	hub            *Hub
	reader, holder string
	call           func(context.Context, storage.Event) error
}

// take takes the mark, or makes it last.
func (f *follower) take(ctx context.Context) (storage.Mark, error) {
	now := f.hub.AgreedTime()
	return f.hub.Store.TakeMark(ctx, f.reader, f.holder, now, now.Add(turnLife))
}

// page calls with some events behind the mark, if no other process does.
func (f *follower) page(ctx context.Context) (more bool, err error) {
	mark, err := f.take(ctx)
	if errors.Is(err, storage.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take mark: %w", err)
	}
	events, next, err := f.hub.Store.EventsAfter(ctx, mark, followAtOnce)
	if errors.Is(err, storage.ErrEnded) { // whoever follows next goes on behind what is lost
		next.Until = f.hub.AgreedTime()
		return false, cmp.Or(f.hub.Store.MoveMark(ctx, mark, next, nil), err)
	}
	if err != nil {
		return false, fmt.Errorf("read events: %w", err)
	}
	if next == mark {
		return false, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go f.keep(ctx, cancel)
	for _, e := range events {
		if err := f.repeat(ctx, e); err != nil {
			return false, err
		}
	}
	next.Until = f.hub.AgreedTime().Add(turnLife)
	err = f.hub.Store.MoveMark(ctx, mark, next, nil)
	if errors.Is(err, storage.ErrChanged) { // another has taken it meanwhile
		return false, nil
	}
	return err == nil, err
}

// keep keeps the mark for this follower while it calls, and ends the call with a mark that is lost.
func (f *follower) keep(ctx context.Context, lost context.CancelCauseFunc) {
	every := time.NewTicker(turnLife / 3)
	defer every.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		_, err := f.take(ctx)
		switch {
		case err == nil:
			last = time.Now()
		case errors.Is(err, storage.ErrConflict), time.Since(last) > turnLife-turnLife/3:
			lost(fmt.Errorf("the mark is lost: %w", err))
			return
		}
	}
}

// repeat calls with an event until that succeeds, ever more seldom.
func (f *follower) repeat(ctx context.Context, e storage.Event) error {
	for pause := tick; ; pause = min(2*pause, time.Minute) {
		err := f.call(ctx, e)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f.hub.Logger.WarnContext(ctx, "a follower has not taken an event; will call again", slog.String("follower", f.reader),
			slog.Int64("event", e.ID), slog.Any("error", err))
		wait(ctx, nil, pause)
	}
}

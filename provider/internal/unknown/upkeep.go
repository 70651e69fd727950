package unknown

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	day = 24 * time.Hour

	// unused is how long a row stays after the last that was allowed has ended.
	unused = 90 * day

	// gone is for how long a document must be missing until its client is disabled.
	gone = 7 * day

	// looks is the number of rows that a step looks at, fetches how many of them it fetches.
	looks   = 250
	fetches = 8
)

// RemoveUnused removes the clients whose time is over by now. One that cannot be removed delays no
// other.
func (s *Clients) RemoveUnused(ctx context.Context, now time.Time) error {
	list := func(ctx context.Context, after string, limit int) ([]storage.Client, error) {
		return s.Store.Clients(ctx, storage.ClientFilter{ExpiredAt: &now}, after, limit)
	}
	_, err := batch.Over(ctx, &s.over, looks, list, idOf, s.Delete)
	return err
}

// Look reads again, once a day, the documents of some of the clients that are in use: those of
// the next call follow. One whose row cannot be read or written delays no other. By now, a time
// on which all processes agree, a document has been missing for long.
func (s *Clients) Look(ctx context.Context, now time.Time) error {
	list := func(ctx context.Context, after string, limit int) ([]storage.Client, error) {
		return s.Store.Clients(ctx, storage.ClientFilter{Origin: storage.OriginDocument}, after, limit)
	}
	seen, fetched := 0, 0
	_, err := batch.Over(ctx, &s.looked, looks, list, idOf, func(ctx context.Context, row storage.Client) error {
		if seen++; seen > looks || fetched == fetches {
			return batch.ErrEnough
		}
		if row.Disabled || row.Deleted || clock.Within(s.Clock(), row.Document.LookedAt, day) {
			return nil
		}
		fetched++
		return s.lookAgain(ctx, row, now)
	})
	return err
}

func idOf(c storage.Client) string { return c.ID }

// lookAgain reads the document of a row again. One that stays away disables its client.
func (s *Clients) lookAgain(ctx context.Context, row storage.Client, agreed time.Time) error {
	read, err := s.look(ctx, row.ID)
	now := s.Clock()
	if err == nil {
		if err = s.nameIt(ctx, &read); err == nil {
			_, err = s.follow(ctx, row.ID, read, now)
		}
		return err
	}
	changed, document := row, *row.Document
	changed.Document, document.LookedAt = &document, now
	var events []storage.Event
	switch {
	case errors.Is(err, errUnanswered):
	case !errors.Is(err, errGone):
		document.GoneSince = time.Time{}
	case row.Document.GoneSince.IsZero():
		document.GoneSince = now
	case agreed.Sub(row.Document.GoneSince) >= gone:
		changed.Disabled = true
		events = []storage.Event{{Name: event.ClientStopped, ClientID: row.ID, Detail: "its document is gone"}}
	}
	err = s.Limits.Log.Step(ctx, func(ctx context.Context) error { return s.Store.SaveClient(ctx, changed) }, events...)
	if errors.Is(err, storage.ErrChanged) { // the next day looks again
		return nil
	}
	return err
}

package unknown

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
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

// RemoveUnused removes up to limit clients whose time is over by now, and returns their number.
func (s *Clients) RemoveUnused(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	over, err := s.Store.ExpiredClients(ctx, now, limit)
	for _, c := range over {
		if err := s.Delete(ctx, c); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, err
}

// Look reads again, once a day, the documents of some of the clients that are in use: those of
// the next call follow. It stops with an error of the store.
func (s *Clients) Look(ctx context.Context) error {
	rows, err := s.Store.ClientsOfOrigin(ctx, storage.OriginDocument, s.looked, looks)
	if err != nil {
		return err
	}
	fetched := 0
	for _, row := range rows {
		if fetched == fetches || ctx.Err() != nil {
			return ctx.Err()
		}
		s.looked = row.ID
		if row.Disabled || row.Deleted || clock.Within(s.Clock(), row.Document.LookedAt, day) {
			continue
		}
		fetched++
		if err := s.lookAgain(ctx, row); err != nil {
			return err
		}
	}
	if len(rows) < looks {
		s.looked = ""
	}
	return nil
}

// lookAgain reads the document of a row again. One that stays away disables its client.
func (s *Clients) lookAgain(ctx context.Context, row storage.Client) error {
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
	case now.Sub(row.Document.GoneSince) >= gone:
		changed.Disabled = true
		events = []storage.Event{{Name: audit.ClientStopped, ClientID: row.ID, Detail: "its document is gone"}}
	}
	err = s.Limits.Log.Step(ctx, func(ctx context.Context) error { return s.Store.SaveClient(ctx, changed) }, events...)
	if errors.Is(err, storage.ErrChanged) { // the next day looks again
		return nil
	}
	return err
}

package upkeep

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/storage"
)

// BeginEnd records, with an event, that everything issued before a moment is to be ended. Of two
// moments the later one holds.
func (u *Upkeep) BeginEnd(ctx context.Context, moment time.Time, e storage.Event) error {
	for {
		old, err := u.Store.Installation(ctx)
		if err != nil {
			return err
		}
		begun := old
		if moment.After(old.EndBefore) {
			begun.EndBefore = moment
		}
		err = u.Audit.Step(ctx, func(ctx context.Context) error { return u.Store.SaveInstallation(ctx, old, begun) }, e)
		if !errors.Is(err, storage.ErrChanged) {
			return err
		}
	}
}

// ending are the events of users whose sessions or grants end, of each in the first step that ends some.
type ending struct {
	at       func() time.Time
	told     map[string]bool
	recorded []storage.Event // by the last step
}

// mostTold limits the users that are remembered; one that is forgotten has another event.
const mostTold = 100_000

// events implements storage.EventsOf.
func (e *ending) events(subjects []string) []storage.Event {
	e.recorded = nil
	for _, subject := range subjects {
		if subject != issue.Nobody && !e.told[subject] {
			e.recorded = append(e.recorded, storage.Event{At: e.at(), Name: event.Revoked, Subject: subject, Detail: "everything issued before a moment, by the host"})
		}
	}
	return e.recorded
}

// tell tells of what a step has recorded, unless it has failed.
func (e *ending) tell(ctx context.Context, log *audit.Log, err error) error {
	if err != nil {
		return err
	}
	if len(e.told) > mostTold {
		clear(e.told)
	}
	for _, recorded := range e.recorded {
		e.told[recorded.Subject] = true
	}
	log.Tell(ctx, e.recorded)
	return nil
}

// EndIssued ends what was issued before the moment that BeginEnd has recorded, if there is one,
// and records that it is done. Any number of processes may do so at once.
func (u *Upkeep) EndIssued(ctx context.Context) error {
	begun, err := u.Store.Installation(ctx)
	if err != nil || begun.EndBefore.IsZero() {
		return err
	}
	e := ending{at: u.Clock, told: map[string]bool{}}
	// Sessions first: they can make grants.
	err = batch.Each(ctx, func(after storage.Digest) ([]storage.Digest, storage.Digest, error) {
		return u.Store.FindSessions(ctx, begun.EndBefore, after, batch.Size)
	}, func(digests []storage.Digest) (int, error) {
		done, err := u.Store.RemoveSessions(ctx, digests, e.events)
		return done, e.tell(ctx, u.Audit, err)
	})
	if err == nil {
		err = batch.Each(ctx, func(after storage.GrantID) ([]storage.GrantID, storage.GrantID, error) {
			return u.Store.FindGrants(ctx, storage.GrantFilter{CreatedBefore: begun.EndBefore}, after, batch.Size)
		}, func(ids []storage.GrantID) (int, error) {
			done, err := u.Store.EndGrants(ctx, ids, u.Clock(), e.events)
			return done, e.tell(ctx, u.Audit, err)
		})
	}
	for _, kind := range []storage.TrimKind{storage.AllOneTimeCodes, storage.AllPushedRequests} {
		if err == nil {
			err = batch.RemoveAll(ctx, Batch, func(ctx context.Context, limit int) (int, error) {
				return u.Store.Trim(ctx, storage.Trim{Kind: kind}, limit)
			})
		}
	}
	if err != nil {
		return err
	}
	done := begun
	done.EndBefore = time.Time{}
	if err = u.Store.SaveInstallation(ctx, begun, done); errors.Is(err, storage.ErrChanged) {
		return nil // a later moment, or done by another process
	}
	return err
}

package upkeep

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
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

// EndIssued ends what was issued before the moment that BeginEnd has recorded, if there is one,
// and records that it is done. Any number of processes may do so at once.
func (u *Upkeep) EndIssued(ctx context.Context) error {
	begun, err := u.Store.Installation(ctx)
	if err != nil || begun.EndBefore.IsZero() {
		return err
	}
	// Sessions first: they can make grants.
	err = batch.Each(ctx, func(after storage.Digest) ([]storage.Digest, storage.Digest, error) {
		return u.Store.FindSessions(ctx, begun.EndBefore, after, batch.Size)
	}, func(digests []storage.Digest) (int, error) { return u.Store.RemoveSessions(ctx, digests) })
	if err == nil {
		err = batch.Each(ctx, func(after storage.GrantID) ([]storage.GrantID, storage.GrantID, error) {
			return u.Store.FindGrants(ctx, storage.GrantFilter{CreatedBefore: begun.EndBefore}, after, batch.Size)
		}, func(ids []storage.GrantID) (int, error) { return u.Store.EndGrants(ctx, ids, u.Clock()) })
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

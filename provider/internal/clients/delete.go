package clients

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// errHalfDeleted says that a registration is one whose removal has begun.
var errHalfDeleted = errors.New("the client is being deleted")

// errOvertaken ends the removal of what somebody else has removed to its end.
var errOvertaken = errors.New("the client has been deleted")

// Delete removes an application with everything that was allowed to it. It returns nil
// when there is none. When ctx ends before that is done, the application stays unusable,
// and another call goes on.
func (r *Registry) Delete(ctx context.Context, id string) error {
	begun := false
	err := r.change(ctx, id, func(c storage.Client, known bool) (storage.Client, error) {
		if begun = known && !c.Deleted; begun {
			c.Disabled, c.Deleted, c.Secrets = true, true, nil
		}
		return c, nil
	})
	if err != nil {
		return err
	}
	c, err := r.Store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && !c.Deleted {
		return nil // there was none, or somebody else was faster
	}
	if err != nil {
		return fmt.Errorf("read client: %w", err)
	}
	if begun {
		// Until then another process may allow it something, which would have to go
		// in one step with the registration.
		if err := batch.Rest(ctx, engine.ClientAge); err != nil {
			return err
		}
	}
	err = r.remove(ctx, c)
	if err == nil || errors.Is(err, errOvertaken) || errors.Is(err, storage.ErrChanged) {
		return nil
	}
	return err
}

// remove removes what was allowed to an application, then its registration.
func (r *Registry) remove(ctx context.Context, c storage.Client) error {
	defer r.ForgetIssued()
	store := r.Store
	err := batch.Each(ctx, func(after storage.GrantID) (found []storage.GrantID, last storage.GrantID, err error) {
		found, last, err = store.FindGrants(ctx, storage.GrantFilter{ClientID: c.ID}, after, batch.Size)
		return found, last, errors.Join(err, r.checkDeleted(ctx, c))
	}, func(ids []storage.GrantID) (int, error) { return store.RemoveGrants(ctx, ids) })
	if err != nil {
		return err
	}
	err = batch.Each(ctx, func(after storage.ConsentID) (found []storage.ConsentID, last storage.ConsentID, err error) {
		found, last, err = store.FindConsents(ctx, c.ID, after, batch.Size)
		return found, last, errors.Join(err, r.checkDeleted(ctx, c))
	}, func(ids []storage.ConsentID) (int, error) { return store.RemoveConsents(ctx, ids) })
	if err != nil {
		return err
	}
	if err := r.removeSessions(ctx, c); err != nil {
		return err
	}
	if err := store.DeleteClient(ctx, c.ID, c.Version); err != nil {
		return err
	}
	r.ForgetClient(c.ID)
	r.dropImages(ctx, digestsOf(c), nil)
	r.Audit.Record(ctx, storage.Event{Name: audit.ClientDeleted, ClientID: c.ID})
	return nil
}

// removeSessions removes the sessions of which the application would be told the end.
func (r *Registry) removeSessions(ctx context.Context, c storage.Client) error {
	for {
		begin := time.Now()
		removed, err := r.Store.RemoveClientSessions(ctx, c.ID)
		if err != nil || removed == 0 {
			return err
		}
		if err := errors.Join(batch.Rest(ctx, time.Since(begin)), r.checkDeleted(ctx, c)); err != nil {
			return err
		}
	}
}

// checkDeleted returns errOvertaken when an application with this ID has been registered
// anew. What was found before that was asked is of the one before: it is gone.
func (r *Registry) checkDeleted(ctx context.Context, c storage.Client) error {
	current, err := r.Store.Client(ctx, c.ID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && current.Version != c.Version {
		return errOvertaken
	}
	return err
}

package clients

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/storage"
)

// errHalfDeleted means that the removal of a registration has begun.
var errHalfDeleted = errors.New("the client is being deleted")

// errOvertaken means that another call has completed a removal.
var errOvertaken = errors.New("the client has been deleted")

// pageOfDeleted is the number of deleted applications that are read at a time.
const pageOfDeleted = 20

// Delete ends an application: from now on nobody can use it. It returns nil if there is none.
// RemoveDeleted removes its grants, consents and sessions. With a version that is not zero it ends
// the registration with this one, and returns storage.ErrChanged if there is none.
func (r *Registry) Delete(ctx context.Context, id string, version int64) error {
	known := false
	err := r.change(ctx, id, func(c storage.Client, is bool) (storage.Client, error) {
		if !replaces(version, c, is) {
			return c, storage.ErrChanged
		}
		if known = is; known {
			c.Disabled, c.Deleted, c.Secrets, c.RegistrationToken = true, true, nil, storage.Digest{}
		}
		return c, nil
	})
	if err == nil && known {
		r.tellDeleted()
	}
	return err
}

// DeleteUnchanged is Delete for an application as a list has it: one that has changed since stays, and
// one that is damaged, so that nobody can read it alone, goes.
func (r *Registry) DeleteUnchanged(ctx context.Context, listed storage.Client) error {
	deleted := listed
	deleted.Disabled, deleted.Deleted, deleted.Secrets, deleted.RegistrationToken = true, true, nil, storage.Digest{}
	err := r.Audit.Step(ctx, func(ctx context.Context) error { return r.Store.SaveClient(ctx, deleted) }, r.eventsOf(true, listed, deleted)...)
	if errors.Is(err, storage.ErrChanged) {
		return nil
	}
	if err == nil {
		r.tellDeleted()
	}
	return err
}

// tellDeleted has the data of a deleted application removed soon.
func (r *Registry) tellDeleted() {
	select {
	case r.Deleted <- struct{}{}:
	default: // it has a value
	}
}

// RemoveDeleted removes the deleted applications with their grants, consents and sessions, in
// order of their IDs. A failure delays no other application. Any number of processes may call
// it at once; the next call continues an interrupted one.
func (r *Registry) RemoveDeleted(ctx context.Context) error {
	list := func(ctx context.Context, after string, limit int) ([]storage.Client, error) {
		found, err := r.Store.Clients(ctx, storage.ClientFilter{Deleted: true}, after, limit)
		if err == nil && len(found) > 0 {
			// Until then another process may make a grant, which would have to go in one
			// step with the registration.
			err = batch.Rest(ctx, cache.Age)
		}
		return found, err
	}
	_, err := batch.Over(ctx, nil, pageOfDeleted, list, idOf, r.remove)
	return err
}

// removeHalf continues the removal of one application.
func (r *Registry) removeHalf(ctx context.Context, id string) error {
	c, err := r.Store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && !c.Deleted {
		return nil // another call was faster
	}
	if err != nil {
		return fmt.Errorf("read client: %w", err)
	}
	return r.remove(ctx, c)
}

// remove removes the grants, consents and sessions of an application, then its registration. It
// returns nil if another call has done so.
func (r *Registry) remove(ctx context.Context, c storage.Client) error {
	err := r.removeAllowed(ctx, c)
	if err == nil {
		err = r.RemoveSignals(ctx, c.ID)
	}
	if err == nil {
		err = r.Store.DeleteClient(ctx, c.ID, c.Version)
	}
	switch {
	case err == nil:
		r.dropImages(ctx, digestsOf(c), nil)
		return nil
	case errors.Is(err, errOvertaken), errors.Is(err, storage.ErrChanged):
		return nil
	}
	return fmt.Errorf("remove client %q: %w", c.ID, err)
}

// removeAllowed removes the grants, consents and sessions of an application in short steps.
func (r *Registry) removeAllowed(ctx context.Context, c storage.Client) error {
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
	}, func(ids []storage.ConsentID) (int, error) { return store.RemoveConsents(ctx, ids, r.Clock()) })
	if err != nil {
		return err
	}
	return r.removeSessions(ctx, c)
}

// removeSessions removes the sessions whose end the application would be told.
func (r *Registry) removeSessions(ctx context.Context, c storage.Client) error {
	for {
		removed, err := r.Store.RemoveClientSessions(ctx, c.ID)
		if err != nil || removed == 0 {
			return err
		}
		if err := errors.Join(batch.Rest(ctx, batch.Pause), r.checkDeleted(ctx, c)); err != nil {
			return err
		}
	}
}

// checkDeleted returns errOvertaken if an application with this ID has been registered again.
// Everything found before the call belongs to the former one, and is gone.
func (r *Registry) checkDeleted(ctx context.Context, c storage.Client) error {
	current, err := r.Store.Client(ctx, c.ID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && current.Version != c.Version {
		return errOvertaken
	}
	return err
}

package clients

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/storage"
)

// errHalfDeleted says that a registration is one whose removal has begun.
var errHalfDeleted = errors.New("the client is being deleted")

// errOvertaken ends the removal of what somebody else has removed to its end.
var errOvertaken = errors.New("the client has been deleted")

// pageOfDeleted is how many applications are removed before it is asked for others.
const pageOfDeleted = 20

// Delete ends an application: from now on nobody can use it. It returns nil when there is
// none. RemoveDeleted removes what was allowed to it.
func (r *Registry) Delete(ctx context.Context, id string) error {
	known := false
	err := r.change(ctx, id, func(c storage.Client, is bool) (storage.Client, error) {
		if known = is; known {
			c.Disabled, c.Deleted, c.Secrets = true, true, nil
		}
		return c, nil
	})
	if err == nil && known {
		select {
		case r.Deleted <- struct{}{}:
		default: // it will look anyway
		}
	}
	return err
}

// RemoveDeleted removes the applications that are deleted, each with everything that was
// allowed to it, in the order of their IDs. One that cannot be removed holds up no other. Any
// number of processes may do so at once, and whoever is cut off leaves the rest to the next.
func (r *Registry) RemoveDeleted(ctx context.Context) error {
	var failed error
	for after := ""; ; {
		found, err := r.Store.DeletedClients(ctx, after, pageOfDeleted)
		if err == nil && len(found) > 0 {
			// Until then another process may allow them something, which would have to go
			// in one step with the registration.
			err = batch.Rest(ctx, cache.Age)
		}
		if err != nil || len(found) == 0 {
			return errors.Join(failed, err)
		}
		for _, c := range found {
			after = c.ID
			if err := r.remove(ctx, c); err != nil {
				failed = errors.Join(failed, fmt.Errorf("remove client %q: %w", c.ID, err))
			}
			if ctx.Err() != nil {
				return failed
			}
		}
	}
}

// removeHalf goes on with the removal of one application.
func (r *Registry) removeHalf(ctx context.Context, id string) error {
	c, err := r.Store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && !c.Deleted {
		return nil // somebody else was faster
	}
	if err != nil {
		return fmt.Errorf("read client: %w", err)
	}
	return r.remove(ctx, c)
}

// remove removes what was allowed to an application, then its registration. It returns nil
// when somebody else has done so.
func (r *Registry) remove(ctx context.Context, c storage.Client) error {
	err := r.removeAllowed(ctx, c)
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
	return err
}

// removeAllowed removes what was allowed to an application, in steps that hold up nobody.
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
	}, func(ids []storage.ConsentID) (int, error) { return store.RemoveConsents(ctx, ids) })
	if err != nil {
		return err
	}
	return r.removeSessions(ctx, c)
}

// removeSessions removes the sessions of which the application would be told the end.
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

// checkDeleted returns errOvertaken when an application with this ID has been registered
// anew. What was found before that was asked is of the one before: it is gone.
func (r *Registry) checkDeleted(ctx context.Context, c storage.Client) error {
	current, err := r.Store.Client(ctx, c.ID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && current.Version != c.Version {
		return errOvertaken
	}
	return err
}

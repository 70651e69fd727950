// Package clients keeps the registrations of applications: each change is made to what is
// there at that moment, so that none is lost; secrets are sealed, and removed applications
// take everything with them that was allowed to them.
package clients

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNotFound says that there is no such application.
var ErrNotFound = errors.New("provider: no such client")

// Registry is the registrations of one provider.
type Registry struct {
	Store interface {
		storage.Clients
		storage.Images
		storage.Grants
		storage.Consents
		RemoveClientSessions(ctx context.Context, clientID string) (removed int, err error)
	}

	// Deleted gets a value when an application has been deleted, unless it has one: there
	// is something to remove.
	Deleted chan struct{}

	Secrets *keyring.Secrets
	Audit   *audit.Log
	Clock   func() time.Time
	Logger  *slog.Logger
}

// NoVersion is the Version of a record that is saved only where there is none.
const NoVersion int64 = -1

// Save registers an application, or brings its registration up to date: the one that has
// the Version of the record, with zero whichever there is. An empty secret keeps the one
// that is registered, or makes one for a new confidential client. A field.Error when a
// picture cannot be accepted, storage.ErrChanged when the registration
// has another version.
func (r *Registry) Save(ctx context.Context, record storage.Client, secret string, pictures Pictures) error {
	saved, err := r.saveImages(ctx, &record, pictures)
	if err != nil {
		r.dropImages(ctx, digestsOf(record), nil)
		return err
	}
	register := func(old storage.Client, known bool) (storage.Client, error) {
		if !replaces(record.Version, old, known) {
			return old, storage.ErrChanged
		}
		if old.Deleted {
			return old, errHalfDeleted
		}
		current := record
		current.CreatedAt, current.UpdatedAt, current.Version = old.CreatedAt, old.UpdatedAt, old.Version
		current.Secrets = r.secretsOf(record, secret, old)
		if known && reflect.DeepEqual(old, current) {
			return old, nil
		}
		current.UpdatedAt = r.Clock()
		if !known {
			current.CreatedAt = current.UpdatedAt
		}
		return current, nil
	}
	err = r.change(ctx, record.ID, register)
	for errors.Is(err, errHalfDeleted) { // nothing of the one before may come back with it
		if err = r.removeHalf(ctx, record.ID); err == nil {
			err = r.change(ctx, record.ID, register)
		}
	}
	switch {
	case err == nil:
		err = r.keepImages(ctx, saved)
	case errors.Is(err, storage.ErrChanged):
		r.dropImages(ctx, digestsOf(record), nil)
	}
	return err
}

// replaces reports whether a record of this version takes the place of what there is.
func replaces(version int64, old storage.Client, known bool) bool {
	there := known && !old.Deleted
	switch version {
	case 0:
		return true
	case NoVersion:
		return !there
	default:
		return there && version == old.Version
	}
}

// change replaces a registration by what edit returns. When somebody else
// has changed it meanwhile, edit is called anew, with what there is then: nobody's
// change is lost. When edit returns what it was given, nothing is written.
func (r *Registry) change(ctx context.Context, id string, edit func(old storage.Client, known bool) (storage.Client, error)) error {
	for {
		old, err := r.Store.Client(ctx, id)
		known := err == nil
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return fmt.Errorf("read client: %w", err)
		}
		changed, err := edit(old, known)
		if err != nil || reflect.DeepEqual(old, changed) {
			return err
		}
		err = r.Store.SaveClient(ctx, changed)
		if errors.Is(err, storage.ErrChanged) {
			continue
		}
		if err != nil {
			return fmt.Errorf("save client: %w", err)
		}
		r.dropImages(ctx, digestsOf(old), digestsOf(changed))
		r.recordChange(ctx, known, old, changed)
		return nil
	}
}

// SetDisabled takes the registration that has a version out of use, or back, and gives it
// another version in any case. ErrNotFound when there is none, storage.ErrChanged when it has
// another.
func (r *Registry) SetDisabled(ctx context.Context, id string, disabled bool, version int64) error {
	old, err := r.Store.Client(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound) || err == nil && old.Deleted:
		return ErrNotFound
	case err != nil:
		return fmt.Errorf("read client: %w", err)
	}
	current := old
	current.Disabled, current.UpdatedAt, current.Version = disabled, r.Clock(), version
	if err := r.Store.SaveClient(ctx, current); err != nil {
		return fmt.Errorf("save client: %w", err)
	}
	r.recordChange(ctx, true, old, current)
	return nil
}

// recordChange records what a registration has changed.
func (r *Registry) recordChange(ctx context.Context, known bool, old, current storage.Client) {
	newSecrets := len(old.Secrets) > 0 && !slices.EqualFunc(old.Secrets, current.Secrets, r.sameSecret)
	old.Secrets, old.UpdatedAt = current.Secrets, current.UpdatedAt
	switch {
	case current.Deleted:
		r.Audit.Record(ctx, storage.Event{Name: audit.ClientDeleted, ClientID: current.ID})
		return
	case !known:
		r.Audit.Record(ctx, storage.Event{Name: audit.ClientCreated, ClientID: current.ID})
	case !reflect.DeepEqual(old, current):
		r.Audit.Record(ctx, storage.Event{Name: audit.ClientChanged, ClientID: current.ID})
	}
	if newSecrets {
		r.Audit.Record(ctx, storage.Event{Name: audit.SecretChanged, ClientID: current.ID})
	}
}

// Each calls a function with every registration, until it fails.
func (r *Registry) Each(ctx context.Context, do func(storage.Client) error) error {
	const page = 250
	for after := ""; ; {
		found, err := r.Store.Clients(ctx, after, page)
		if err != nil {
			return fmt.Errorf("list clients: %w", err)
		}
		for _, c := range found {
			if err := do(c); err != nil {
				return err
			}
			after = c.ID
		}
		if len(found) < page {
			return nil
		}
	}
}

// Package clients keeps the registrations of applications. Each change applies to the current
// registration, so that none is lost. Secrets are encrypted. The removal of an application
// removes its grants, consents and sessions.
package clients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNotFound means that there is no such application.
var ErrNotFound = errors.New("provider: no such client")

// Registry has the registrations of one provider.
type Registry struct {
	Store interface {
		storage.Clients
		storage.Images
		storage.Grants
		storage.Consents
		RemoveClientSessions(ctx context.Context, clientID string) (removed int, err error)
	}

	// RemoveSignals removes those who are told of changes for an application.
	RemoveSignals func(ctx context.Context, clientID string) error

	// Deleted has a value after an application was deleted: its data has to be removed.
	Deleted chan struct{}

	Secrets *keyring.Secrets
	Audit   *audit.Log
	Clock   func() time.Time
	Logger  *slog.Logger
}

// NoVersion is the Version of a record that is saved only if there is no other.
const NoVersion int64 = -1

// Save registers an application, or replaces the registration with the record's Version, any
// if that is zero. An empty secret keeps the registered one, or makes one for a new
// confidential client. An invalid picture is a field.Error; storage.ErrChanged if the
// registration has another version.
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
		if record.RegistrationToken.IsZero() {
			current.RegistrationToken = old.RegistrationToken
		}
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
	for errors.Is(err, errHalfDeleted) { // its data must not pass to the new application
		if err = r.removeHalf(ctx, record.ID); err == nil {
			err = r.change(ctx, record.ID, register)
		}
	}
	switch {
	case err == nil:
		r.keepImages(ctx, saved)
	case errors.Is(err, storage.ErrChanged):
		r.dropImages(ctx, digestsOf(record), nil)
	}
	return err
}

// replaces reports whether a record of this version may replace the registration.
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

// change replaces a registration by the result of edit. After a concurrent change, it calls edit
// again with the new registration, so that no change is lost. It writes nothing if edit
// changes nothing.
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
		err = r.Audit.Step(ctx, func(ctx context.Context) error { return r.Store.SaveClient(ctx, changed) },
			r.eventsOf(known, old, changed)...)
		if errors.Is(err, storage.ErrChanged) {
			continue
		}
		if err != nil {
			return fmt.Errorf("save client: %w", err)
		}
		r.dropImages(ctx, digestsOf(old), digestsOf(changed))
		return nil
	}
}

// present returns a registration. ErrNotFound if there is none.
func (r *Registry) present(ctx context.Context, id string) (storage.Client, error) {
	c, err := r.Store.Client(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound) || err == nil && c.Deleted:
		return c, ErrNotFound
	case err != nil:
		return c, fmt.Errorf("read client: %w", err)
	}
	return c, nil
}

// SetDisabled disables or enables the registration with a version, zero for the present one,
// and always gives it another version. ErrNotFound if there is none, storage.ErrChanged if it has
// another version. Somebody who is named (audit.By) stops or starts it.
func (r *Registry) SetDisabled(ctx context.Context, id string, disabled bool, version int64) error {
	old, err := r.present(ctx, id)
	if err != nil {
		return err
	}
	current := old
	current.Disabled, current.UpdatedAt, current.Version = disabled, r.Clock(), cmp.Or(version, old.Version)
	if current.Origin != "" && disabled {
		current.ExpiresAt = time.Time{} // else its row would end, and the client could come back
	}
	events := r.eventsOf(true, old, current)
	if audit.ActorOf(ctx) != "" {
		events = stopped(current)
	}
	err = r.Audit.Step(ctx, func(ctx context.Context) error { return r.Store.SaveClient(ctx, current) }, events...)
	if err != nil {
		return fmt.Errorf("save client: %w", err)
	}
	return nil
}

// LimitScopes leaves a registration with a version only these scopes, and always gives it
// another version. ErrNotFound if there is none, storage.ErrChanged if it has another version.
func (r *Registry) LimitScopes(ctx context.Context, id string, left, taken []string, version int64) error {
	old, err := r.present(ctx, id)
	if err != nil {
		return err
	}
	current := old
	current.Scopes, current.UpdatedAt, current.Version = left, r.Clock(), version
	current.OptionalScopes = slices.DeleteFunc(slices.Clone(old.OptionalScopes), func(s string) bool { return !slices.Contains(left, s) })
	err = r.Audit.Step(ctx, func(ctx context.Context) error { return r.Store.SaveClient(ctx, current) },
		storage.Event{Name: event.ScopesTaken, ClientID: id, Detail: strings.Join(taken, " ")})
	if err != nil {
		return fmt.Errorf("save client: %w", err)
	}
	return nil
}

// RevokeRegistrationToken ends the registration access token of an application. ErrNotFound if
// there is no such application.
func (r *Registry) RevokeRegistrationToken(ctx context.Context, id string) error {
	return r.change(ctx, id, func(c storage.Client, known bool) (storage.Client, error) {
		if !known || c.Deleted {
			return c, ErrNotFound
		}
		if !c.RegistrationToken.IsZero() {
			c.RegistrationToken, c.UpdatedAt = storage.Digest{}, r.Clock()
		}
		return c, nil
	})
}

// eventsOf returns the events of a change of a registration.
func (r *Registry) eventsOf(known bool, old, current storage.Client) (events []storage.Event) {
	newSecrets := len(old.Secrets) > 0 && !slices.EqualFunc(old.Secrets, current.Secrets, r.sameSecret)
	old.Secrets, old.UpdatedAt = current.Secrets, current.UpdatedAt
	switch {
	case current.Deleted:
		return []storage.Event{{Name: event.ClientDeleted, ClientID: current.ID}}
	case !known:
		events = append(events, storage.Event{Name: event.ClientCreated, ClientID: current.ID})
	case old.Disabled != current.Disabled:
		events = stopped(current)
	case !reflect.DeepEqual(old, current):
		events = append(events, storage.Event{Name: event.ClientChanged, ClientID: current.ID})
	}
	if newSecrets {
		events = append(events, storage.Event{Name: event.SecretChanged, ClientID: current.ID})
	}
	return events
}

// stopped is the event of a registration that was disabled, or enabled.
func stopped(c storage.Client) []storage.Event {
	if c.Disabled {
		return []storage.Event{{Name: event.ClientStopped, ClientID: c.ID}}
	}
	return []storage.Event{{Name: event.ClientStarted, ClientID: c.ID}}
}

// Each calls a function with every registration. One for which it fails delays no other.
func (r *Registry) Each(ctx context.Context, do func(context.Context, storage.Client) error) error {
	_, err := batch.Over(ctx, nil, 250, func(ctx context.Context, after string, limit int) ([]storage.Client, error) {
		return r.Store.Clients(ctx, storage.ClientFilter{}, after, limit)
	}, idOf, do)
	return err
}

func idOf(c storage.Client) string { return c.ID }

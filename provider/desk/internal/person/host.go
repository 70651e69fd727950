package person

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/ui"
)

// Host are the functions of a host with its own users (Config.People of the desk). Each may be
// nil: then the desk does not offer it. They are called from any number of goroutines, and each
// call has five seconds. One that fails, hangs or panics makes its own part unavailable, and
// never more.
type Host struct {
	// Find returns the IDs of the users who match exactly, most likely one or none.
	Find func(ctx context.Context, by Finder) (userIDs []string, err error)

	// Show returns what the staff sees of a user. provider.ErrNoUser if there is none.
	Show func(ctx context.Context, userID string) (Shown, error)

	// Lock keeps a user from signing in, and Unlock lets them again. What the provider has
	// issued ends with a Lock.
	Lock, Unlock func(ctx context.Context, userID string) error

	// SendReset sends the user the way to a new password, to the recorded address.
	SendReset func(ctx context.Context, userID string) error

	// EndSessions signs the user out of the host. What the provider has issued ends as well.
	EndSessions func(ctx context.Context, userID string) error

	// Delete removes the user at the host, for good. The provider's data about them goes
	// next.
	Delete func(ctx context.Context, userID string) error
}

// Finder is what a user is looked for by: an e-mail address, or the value of an attribute.
type Finder struct {
	Email string

	Handle, Value string
}

// Shown is what the staff sees of a user of the host. The desk masks the address.
type Shown struct {
	Name, Email string
	Locked      bool
	Since       time.Time
}

// ErrUnavailable means that a function of the host has failed.
var ErrUnavailable = fmt.Errorf("desk: the host does not answer: %w", host.ErrFailed)

// mostFound is how many of the users whom the host has found are believed, and mostShown how
// long a text about one is.
const (
	mostFound = 10
	mostShown = 254
)

// call calls a function of the host behind its fence.
func call[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	value, err := host.Call(ctx, f)
	switch {
	case err == nil:
		return value, nil
	case errors.Is(err, provider.ErrNoUser) && !errors.Is(err, host.ErrFailed):
		return value, provider.ErrNoUser
	default:
		var none T
		return none, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
}

// act calls a function of the host that does something to a user.
func act(ctx context.Context, f func(context.Context, string) error, userID string) error {
	_, err := call(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx, userID) })
	return err
}

// FindUsers asks the host for users; nobody without a function. IDs that are none, or come
// twice, are left out, and so are those after the tenth.
func (h Host) FindUsers(ctx context.Context, by Finder) (found []string, err error) {
	if h.Find == nil {
		return nil, nil
	}
	answer, err := call(ctx, func(ctx context.Context) ([]string, error) { return h.Find(ctx, by) })
	for _, id := range answer {
		if host.CheckUserID(id) == nil && len(found) < mostFound && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found, err
}

// ShowUser asks the host what the staff sees of a user; a zero Shown without a function.
func (h Host) ShowUser(ctx context.Context, userID string) (Shown, error) {
	if h.Show == nil {
		return Shown{}, nil
	}
	s, err := call(ctx, func(ctx context.Context) (Shown, error) { return h.Show(ctx, userID) })
	s.Name, s.Email = ui.Clean(s.Name, mostShown), ui.Clean(s.Email, mostShown)
	return s, err
}

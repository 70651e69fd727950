package signals

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

var (
	// ErrNotFound means that there is no such receiver.
	ErrNotFound = errors.New("signals: no such receiver")

	// ErrLimit means that the application has as many receivers as it can.
	ErrLimit = errors.New("signals: the application has the maximum number of receivers")

	// ErrThere means that the application has a webhook with the address.
	ErrThere = errors.New("signals: the application has a webhook with this address")

	// ErrStopped means that the staff has switched the receiver off (Receiver.Stopped).
	ErrStopped = errors.New("signals: the staff has switched the receiver off")
)

// Signals are the receivers of a provider (provider.Signals). Without Config.Signals every verb is an
// error.
type Signals interface {
	// Save adds a receiver of an application, which has no ID, or replaces the one with its ID and
	// Revision, any if that is zero: ErrChanged of package provider if there is another, ErrNotFound
	// without one, ErrLimit for one too many, ErrThere for an address once more, ErrStopped for one that is
	// Stopped and in another state than disabled. An invalid field is a FieldError. The key of a new webhook
	// is returned this once. A webhook that is new, has another address, or is enabled again after it was
	// disabled is unverified, and gets a ping; without that if State says unverified. Of the host's own
	// only State and Stopped change.
	Save(ctx context.Context, r Receiver) (saved Receiver, key string, err error)

	// List returns receivers.
	List(ctx context.Context, match storage.ReceiverFilter) ([]Receiver, error)

	// Delete removes a receiver with all its messages. ErrStopped for one that is Stopped: it would come
	// back under the same address.
	Delete(ctx context.Context, id string) error

	// Rotate gives the webhook of an application new keys, and returns the symmetric one. The former
	// ones sign, too, for a day.
	Rotate(ctx context.Context, id string) (key string, err error)

	// Test sends a ping.
	Test(ctx context.Context, id string) error

	// Deliveries returns messages of a receiver. Those that have ended are kept for a week, others
	// for a month.
	Deliveries(ctx context.Context, match storage.DeliveryFilter) ([]Delivery, error)

	// Replay sends messages that have ended again, with the same IDs, and returns their number.
	Replay(ctx context.Context, match storage.DeliveryFilter) (int, error)

	// Unread is the time of the first event that is not yet put beside the receivers; zero for none.
	// On PostgreSQL a long transaction holds them up.
	Unread(ctx context.Context) (time.Time, error)
}

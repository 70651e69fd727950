package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/storage"
)

// Source is where registrations are read.
type Source interface {
	// Client returns the client with this identifier, disabled ones included.
	// storage.ErrNotFound when there is none.
	Client(ctx context.Context, id string) (storage.Client, error)
}

// ErrNoClient says that there is no such client, or that it is disabled.
var ErrNoClient = errors.New("engine: no such client")

// ErrDisabled is the ErrNoClient of a client that is disabled.
var ErrDisabled = fmt.Errorf("%w: it is disabled", ErrNoClient)

// ClientAge is how long a client may be served from memory: a change is in force
// in every process after it.
const ClientAge = time.Second

const maxCachedClients = 1024

// Clients are the registrations. They keep the clients that were read a moment ago, and nil
// for those that there are not. Make them with NewClients.
type Clients struct {
	source Source
	kept   *cache.Cache[string, *Client]
}

// NewClients returns the clients of a source.
func NewClients(source Source, clock func() time.Time) Clients {
	return Clients{source, cache.New[string, *Client](ClientAge, maxCachedClients, clock)}
}

// Client returns an enabled client as it was at most ClientAge ago. ErrNoClient when
// there was none, which is remembered as long: names that somebody makes up are not looked
// up again by each who asks about one request.
func (c Clients) Client(ctx context.Context, id string) (*Client, error) {
	if id == "" || len(id) > input.MaxValue || !input.IsText(id) {
		return nil, ErrNoClient
	}
	found, err := c.kept.Get(id, func() (*Client, error) { return readClient(ctx, c.source, id) })
	if found == nil && err == nil {
		err = ErrNoClient
	}
	return found, err
}

// Forget makes the next read of this client come from the source.
func (c Clients) Forget(id string) { c.kept.Forget(id) }

// readClient returns nil for a client that there is not.
func readClient(ctx context.Context, source Source, id string) (*Client, error) {
	record, err := source.Client(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, nil // an answer, which is remembered; an error is not
	case err != nil:
		return nil, err
	case record.Disabled:
		return nil, ErrDisabled
	}
	dialect, ok := DialectNamed(record.Dialect)
	if !ok {
		return nil, errors.New("engine: client of an unknown dialect")
	}
	return &Client{record, dialect.within(record)}, nil
}

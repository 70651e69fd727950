package memory

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Clients is the Store as the engine sees it when it looks for a client.
type Clients struct {
	*Store

	// Admit completes a client that was read, before others share it, or refuses it. Nil
	// admits all.
	Admit func(context.Context, *registry.Client) error
}

var _ registry.Source = Clients{}

// Recent implements registry.Source.
func (s Clients) Recent(id string, now time.Time) *registry.Client {
	found, _ := s.clients.Recent(id, now)
	return found
}

// Client implements registry.Source. That there is no client is kept as well, so that a
// made-up identifier is not looked up by each step of one request.
func (s Clients) Client(ctx context.Context, id string) (*registry.Client, error) {
	if !registry.IsClientID(id) {
		return nil, registry.ErrNoClient
	}
	found, err := s.clients.Get(id, func() (*registry.Client, error) {
		record, err := s.Store.Client(ctx, id)
		if errors.Is(err, storage.ErrNotFound) {
			return nil, nil // an answer, which is kept; an error is not
		}
		if err != nil {
			return nil, err
		}
		client, err := registry.Enabled(record)
		if err == nil && s.Admit != nil {
			err = s.Admit(ctx, client)
		}
		return client, err
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, registry.ErrNoClient
	}
	return found, nil
}

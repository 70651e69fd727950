package engine

import (
	"context"
	"errors"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// requestedKey is the key of the client that a request is read for.
type requestedKey struct{}

// requestedClient is the client that a request has named, and the redirect URI of it that was
// matched, if it was.
type requestedClient struct {
	*registry.Client
	redirectURI string
}

// withClient returns a context in which a client is found that no row may have yet: one that
// nobody has registered, and that this request has named.
func withClient(ctx context.Context, c requestedClient) context.Context {
	return context.WithValue(ctx, requestedKey{}, c)
}

// requested are the clients with that of the context.
type requested struct{ registry.Source }

// Client implements registry.Source.
func (s requested) Client(ctx context.Context, id string) (*registry.Client, error) {
	if c, ok := requestedIn(ctx, id); ok {
		return c.Client, nil
	}
	return s.Source.Client(ctx, id)
}

// requestedIn returns the client of a context, if it has this ID.
func requestedIn(ctx context.Context, id string) (requestedClient, bool) {
	c, ok := ctx.Value(requestedKey{}).(requestedClient)
	return c, ok && c.ID == id
}

// pushing returns a context in which a client is found that pushes a request under its ID, and
// that nobody has registered. Only one that signs can push before a user has decided about it:
// anybody could have the others' requests stored.
func (e *Engine) pushing(ctx context.Context, id string) (context.Context, error) {
	client, err := e.Unknown.Resolve(ctx, id)
	switch {
	case errors.Is(err, registry.ErrNoClient):
		return ctx, nil
	case err != nil:
		return ctx, protocol.AsError(err)
	case client.IsUnknown() && !client.Public:
		return withClient(ctx, requestedClient{Client: client}), nil
	}
	return ctx, nil
}

// registered are the clients without those that nobody has registered.
type registered struct{ registry.Source }

// Resolve implements Unknown.
func (s registered) Resolve(ctx context.Context, id string) (*registry.Client, error) {
	return s.Client(ctx, id)
}

// Keep implements Unknown.
func (registered) Keep(context.Context, *registry.Client) error { return nil }

// Use implements Unknown.
func (registered) Use(context.Context, *registry.Client) error { return nil }

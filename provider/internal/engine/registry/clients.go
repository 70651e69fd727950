package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/storage"
)

// Source is where clients are read.
type Source interface {
	// Client returns the enabled client with this identifier. ErrNoClient if there is none.
	Client(ctx context.Context, id string) (*Client, error)

	// Recent returns what Client would, if it is in memory; nil if not. now is what the clock
	// says.
	Recent(id string, now time.Time) *Client
}

// ErrNoClient means that there is no such client, or that it is disabled.
var ErrNoClient = errors.New("engine: no such client")

// ErrDisabled is the ErrNoClient of a client that is disabled.
var ErrDisabled = fmt.Errorf("%w: it is disabled", ErrNoClient)

// IsClientID reports whether a request's text can be the identifier of a client.
func IsClientID(text string) bool {
	return text != "" && len(text) <= input.MaxValue && input.IsText(text)
}

// Enabled returns the client of a registration. ErrDisabled if it is disabled.
func Enabled(record storage.Client) (*Client, error) {
	if record.Disabled {
		return nil, ErrDisabled
	}
	dialect, ok := DialectNamed(record.Dialect)
	if !ok {
		return nil, errors.New("engine: client of an unknown dialect")
	}
	profile, ok := ProfileNamed(record.Profile)
	if !ok {
		return nil, errors.New("engine: client of an unknown profile")
	}
	return &Client{
		Client: record, Dialect: dialect.within(record), Profile: profile,
		digests: make([]atomic.Pointer[[sha256.Size]byte], len(record.Secrets)),
	}, nil
}

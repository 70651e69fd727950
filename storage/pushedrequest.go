package storage

import (
	"context"
	"time"
)

// PushedRequest is an authorization request that an application has sent ahead of its
// user (RFC 9126), until the user comes with it.
type PushedRequest struct {
	// Digest names the request_uri.
	Digest   Digest
	ClientID string

	// Payload is sealed by the caller.
	Payload   []byte
	ExpiresAt time.Time
}

// PushedRequests keeps authorization requests that were sent ahead.
type PushedRequests interface {
	// SavePushedRequest records a request. ErrConflict when the digest exists, ErrNotFound
	// when the client does not.
	SavePushedRequest(ctx context.Context, r PushedRequest) error

	// TakePushedRequest removes the request of this client and returns it. Of any number
	// of concurrent calls exactly one succeeds; the others get ErrNotFound, as does one
	// for another client, which leaves it there, or after it has expired at now.
	TakePushedRequest(ctx context.Context, clientID string, digest Digest, now time.Time) (PushedRequest, error)
}

package storage

import (
	"context"
	"time"
)

// PushedRequest is a pushed authorization request (RFC 9126), valid until it expires.
type PushedRequest struct {
	// Digest identifies the request_uri.
	Digest   Digest
	ClientID string

	// Payload is encrypted by the caller.
	Payload   []byte
	ExpiresAt time.Time
}

// PushedRequests stores pushed authorization requests.
type PushedRequests interface {
	// SavePushedRequest records a request. ErrConflict if the digest exists, ErrNotFound if
	// the client does not.
	SavePushedRequest(ctx context.Context, r PushedRequest) error

	// PushedRequest returns this client's request, any number of times: the grant ensures
	// that it has only one answer (Grant.Flow). ErrNotFound if there is none, it is another
	// client's, or it has expired at now.
	PushedRequest(ctx context.Context, clientID string, digest Digest, now time.Time) (PushedRequest, error)

	// RemovePushedRequests removes up to limit requests of any clients, and returns their
	// number; the caller repeats until zero.
	RemovePushedRequests(ctx context.Context, limit int) (removed int, err error)
}

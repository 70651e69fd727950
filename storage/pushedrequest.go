package storage

import (
	"context"
	"time"
)

// PushedRequest is an authorization request that an application has sent ahead of its
// user (RFC 9126), for the user to come with until it expires.
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

	// PushedRequest returns the request of this client, as often as it is asked for: that
	// it has one answer is due to the grant (Grant.Flow). ErrNotFound when there is none,
	// when it is of another client, and after it has expired at now.
	PushedRequest(ctx context.Context, clientID string, digest Digest, now time.Time) (PushedRequest, error)

	// RemovePushedRequests removes up to limit requests, of whichever clients, and
	// reports how many; a caller repeats until that is zero.
	RemovePushedRequests(ctx context.Context, limit int) (removed int, err error)
}

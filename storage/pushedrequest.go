package storage

import (
	"context"
	"time"
)

// PushedRequest is an authorization request that is kept until it expires: one that a client
// has pushed (RFC 9126), or a long one that a browser has brought, until its flow ends.
type PushedRequest struct {
	// Digest identifies the request_uri, or the flow.
	Digest Digest

	// ClientID is the client that has pushed it, and empty for a request of a browser, whose
	// client need not be a row.
	ClientID string

	// Payload is encrypted by the caller.
	Payload   []byte
	ExpiresAt time.Time
}

// PushedRequests stores pushed authorization requests.
type PushedRequests interface {
	// SavePushedRequest records a request. ErrConflict if the digest exists, ErrNotFound if
	// it is of a client that does not.
	SavePushedRequest(ctx context.Context, r PushedRequest) error

	// PushedRequest returns this client's request, any number of times: the grant ensures
	// that it has only one answer (Grant.Flow). ErrNotFound if there is none, it is another
	// client's or none's, or it has expired at now.
	PushedRequest(ctx context.Context, clientID string, digest Digest, now time.Time) (PushedRequest, error)
}

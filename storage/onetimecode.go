package storage

import (
	"context"
	"time"
)

// OneTimeCode is the payload of a one-time code that was e-mailed, until it is presented.
type OneTimeCode struct {
	// Digest names the code together with the browser's flow that it is for.
	Digest Digest

	// Purpose is what the code is good for; Subject whom it concerns. There is
	// one for both at most.
	Purpose string
	Subject string

	// Payload is sealed by the caller.
	Payload   []byte
	ExpiresAt time.Time
}

// OneTimeCodes keeps the payloads of one-time codes.
type OneTimeCodes interface {
	// SaveOneTimeCode records a code in place of the one with the same purpose
	// and subject. ErrConflict when the digest exists for another.
	SaveOneTimeCode(ctx context.Context, c OneTimeCode) error

	// UseOneTimeCode removes the code and returns it. Of any number of
	// concurrent calls exactly one succeeds; the others get ErrNotFound, as
	// does one for another purpose, or after it has expired at now.
	UseOneTimeCode(ctx context.Context, purpose string, digest Digest, now time.Time) (OneTimeCode, error)

	// RemoveOneTimeCodes removes up to limit codes, whatever they are good for, and
	// reports how many; a caller repeats until that is zero.
	RemoveOneTimeCodes(ctx context.Context, limit int) (removed int, err error)
}

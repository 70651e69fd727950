package storage

import (
	"context"
	"time"
)

// OneTimeCode is the payload of a mailed one-time code, until it is presented.
type OneTimeCode struct {
	// Digest identifies the code together with the browser's flow.
	Digest Digest

	// Purpose is the use of the code, Subject its user. There is at most one for both.
	Purpose string
	Subject string

	// Payload is encrypted by the caller.
	Payload   []byte
	ExpiresAt time.Time
}

// OneTimeCodes stores the payloads of one-time codes.
type OneTimeCodes interface {
	// SaveOneTimeCode records a code in place of the one with the same purpose and subject.
	// ErrConflict if another has the digest.
	SaveOneTimeCode(ctx context.Context, c OneTimeCode) error

	// OneTimeCode returns a code, which the write that it is for removes (Proof). ErrNotFound as
	// with UseOneTimeCode.
	OneTimeCode(ctx context.Context, purpose string, digest Digest, now time.Time) (OneTimeCode, error)

	// UseOneTimeCode removes the code and returns it. Of any number of concurrent calls
	// exactly one succeeds; the others get ErrNotFound, as does one for another purpose, or
	// for a code that has expired at now.
	UseOneTimeCode(ctx context.Context, purpose string, digest Digest, now time.Time) (OneTimeCode, error)
}

package storage

import (
	"context"
	"time"
)

// Attempts keeps the counters of rate limits.
type Attempts interface {
	// AllowAttempt counts one attempt at now against a bucket that allows burst
	// attempts at once and one more for each interval (the generic cell rate
	// algorithm). It returns zero when the attempt is allowed and counted, or
	// how long to wait; an attempt that has to wait is not counted. Concurrent
	// calls, from any process, never allow more than the bucket holds. A bucket
	// that drains more than a minute later than a full one would was counted by
	// a clock that was wrong, and counts as full. A burst below one or an
	// interval below a microsecond is an error.
	AllowAttempt(ctx context.Context, bucket Digest, now time.Time, interval time.Duration, burst int) (wait time.Duration, err error)

	// GiveBackAttempt makes the bucket drain sooner by this much, which undoes as much
	// of an attempt that was counted. It returns nil when there is no such
	// bucket. A time that is not positive is an error.
	GiveBackAttempt(ctx context.Context, bucket Digest, sooner time.Duration) error

	// ResetAttempts empties the bucket of past attempts. It returns nil when there
	// are none.
	ResetAttempts(ctx context.Context, bucket Digest) error
}

package storage

import (
	"context"
	"time"
)

// Attempts stores the counters of rate limits.
type Attempts interface {
	// AllowAttempt counts one attempt at now against a bucket that allows burst attempts at
	// once and one more for each interval (the generic cell rate algorithm). It returns
	// zero if the attempt is allowed and counted; otherwise it returns how long to wait,
	// and does not count the attempt. Concurrent calls, from any process, never allow more
	// than the bucket holds. A bucket that drains more than a minute later than a full one
	// would was counted by a wrong clock, and counts as full. A burst below one or an
	// interval below a microsecond is an error.
	AllowAttempt(ctx context.Context, bucket Digest, now time.Time, interval time.Duration, burst int) (wait time.Duration, err error)

	// GiveBackAttempt makes the bucket drain sooner by this much, to undo that much of a
	// counted attempt. It returns nil if there is no such bucket. A time that is not
	// positive is an error.
	GiveBackAttempt(ctx context.Context, bucket Digest, sooner time.Duration) error

	// ResetAttempts empties the bucket. It returns nil if there is none.
	ResetAttempts(ctx context.Context, bucket Digest) error
}

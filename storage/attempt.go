package storage

import (
	"context"
	"time"
)

// Attempts counts what someone may only do so often.
type Attempts interface {
	// Take counts one attempt at now against a bucket that allows burst
	// attempts at once and one more for each interval (the generic cell rate
	// algorithm). It returns zero when the attempt is allowed and counted, or
	// how long to wait; an attempt that has to wait is not counted. Concurrent
	// calls, from any process, never allow more than the bucket holds. A burst
	// below one or an interval below a microsecond is an error.
	Take(ctx context.Context, bucket Digest, now time.Time, interval time.Duration, burst int) (wait time.Duration, err error)

	// Forget empties the bucket of past attempts. It returns nil when there
	// are none.
	Forget(ctx context.Context, bucket Digest) error
}

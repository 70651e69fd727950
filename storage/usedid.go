package storage

import (
	"context"
	"time"
)

// UsedIDs keeps what may be presented once, such as the jti of an assertion, until nobody
// accepts it any more.
type UsedIDs interface {
	// UseID records that an identifier is used at now, until it expires. Of any number
	// of concurrent calls exactly one succeeds; the others get ErrConflict. One that has
	// expired by now may be used anew.
	UseID(ctx context.Context, digest Digest, expiresAt, now time.Time) error
}

package storage

import (
	"context"
	"time"
)

// UsedIDs stores single-use identifiers, such as the jti of an assertion, until they
// expire.
type UsedIDs interface {
	// UseID records that an identifier is used at now, until it expires. Of any number of
	// concurrent calls exactly one succeeds; the others get ErrConflict. One that has
	// expired at now may be used again.
	UseID(ctx context.Context, digest Digest, expiresAt, now time.Time) error
}

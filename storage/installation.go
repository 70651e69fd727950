package storage

import (
	"context"
	"time"
)

// Installation describes the provider that a database belongs to.
type Installation struct {
	// Issuer is the issuer identifier of the provider.
	Issuer string

	// DataKeys are the keys that encrypt personal data, encrypted.
	DataKeys []byte

	// RPID is the relying party ID of the passkeys; empty until the provider has had any.
	RPID string

	// EndBefore is the moment before which everything that was issued is being ended; zero if
	// nothing is.
	EndBefore time.Time
}

// Installations stores the one Installation of a database.
type Installations interface {
	// Installation returns the installation; ErrNotFound in a new database.
	Installation(ctx context.Context) (Installation, error)

	// SaveInstallation replaces the one that was read, which is the zero one in a new database. Of
	// any number of concurrent calls exactly one succeeds. ErrChanged if another is recorded.
	SaveInstallation(ctx context.Context, old, i Installation) error
}

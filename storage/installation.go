package storage

import "context"

// Installation is what a database knows of the provider that it belongs to.
type Installation struct {
	// Issuer is the issuer identifier of the provider.
	Issuer string

	// DataKey is the key, sealed, under which the provider keeps personal data.
	DataKey []byte
}

// Installations keeps the one Installation of a database.
type Installations interface {
	// Installation returns the installation; ErrNotFound in a new database.
	Installation(ctx context.Context) (Installation, error)

	// CreateInstallation records it. Of any number of concurrent calls exactly
	// one succeeds; the others get ErrConflict.
	CreateInstallation(ctx context.Context, i Installation) error

	// SaveInstallation replaces what was read. ErrChanged when another is
	// recorded.
	SaveInstallation(ctx context.Context, old, i Installation) error
}

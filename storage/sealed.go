package storage

import "context"

// SealedValue is a value that the provider has encrypted under a data key, and its place.
type SealedValue struct {
	// Column is the table and the column of the value, such as "accounts.email".
	Column string

	// Row identifies the row to the store that has returned it, and to no other.
	Row any

	Value []byte
}

// Resealed is a value that was read, and the one that takes its place.
type Resealed struct {
	SealedValue

	New []byte
}

// SealedValues reads and replaces what the provider encrypts under its data keys, whichever role
// keeps it, so that it can be encrypted again without anything known about it.
type SealedValues interface {
	// SealedValues returns up to limit values of one column, in an order of the store's: those
	// after another one, or the first after the zero SealedValue. There are no more when it
	// returns none. Some may not be encrypted. A value that is written meanwhile may be missing.
	SealedValues(ctx context.Context, after SealedValue, limit int) ([]SealedValue, error)

	// ReplaceSealed replaces values in one step, each only if it is still the one that was
	// read, and returns the number of those. Nothing else changes.
	ReplaceSealed(ctx context.Context, values []Resealed) (replaced int, err error)
}

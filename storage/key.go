package storage

import (
	"context"
	"time"
)

// Key is a signing key, sealed. Nothing of a row ever changes but how it is sealed.
type Key struct {
	// Generation orders the keys and is unique: 1 is the first.
	Generation int64

	// ID is the kid under which the key is published.
	ID string

	// Sealed is the private key.
	Sealed []byte

	CreatedAt time.Time

	// UseFrom is when the key replaces the one before as the one that signs.
	UseFrom time.Time
}

// Keys keeps the signing keys.
type Keys interface {
	// Keys returns all keys in order of generation.
	Keys(ctx context.Context) ([]Key, error)

	// AddKey records a key. Of any number of concurrent calls with one
	// generation exactly one succeeds; the others get ErrConflict, as does a
	// call with an ID that exists.
	AddKey(ctx context.Context, k Key) error

	// ResealKey puts the same private key, sealed anew, in the place of what is
	// sealed there. ErrNotFound when there is no key of this generation that is
	// sealed as before says: it was removed, or resealed meanwhile.
	ResealKey(ctx context.Context, generation int64, before, sealed []byte) error

	// RemoveKeys removes the keys of generations before this one.
	RemoveKeys(ctx context.Context, before int64) error
}

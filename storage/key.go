package storage

import (
	"context"
	"time"
)

// Key is an encrypted signing key. Only its encryption ever changes.
type Key struct {
	// Generation is unique and orders the keys, of all algorithms: 1 is the first.
	Generation int64

	// Alg is the algorithm of its signatures (RFC 7518 section 3.1).
	Alg string

	// ID is the published kid.
	ID string

	// Sealed is the encrypted private key.
	Sealed []byte

	CreatedAt time.Time

	// UseFrom is when the key starts to sign in place of the one before.
	UseFrom time.Time
}

// Keys stores the signing keys.
type Keys interface {
	// Keys returns all keys in order of generation.
	Keys(ctx context.Context) ([]Key, error)

	// AddKey records a key. Of any number of concurrent calls with one generation exactly
	// one succeeds; the others get ErrConflict, as does a call with an existing ID.
	AddKey(ctx context.Context, k Key) error

	// ResealKey replaces the encrypted form of a private key by another of the same key.
	// ErrNotFound if there is no key of this generation with the encrypted form before: it
	// was removed, or resealed meanwhile.
	ResealKey(ctx context.Context, generation int64, before, sealed []byte) error

	// RemoveKeys removes the keys of an algorithm, or of all for "", of generations before this
	// one.
	RemoveKeys(ctx context.Context, alg string, before int64) error
}

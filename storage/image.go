package storage

import "context"

// Image is a picture that the provider serves: a logo.
type Image struct {
	// Digest is that of Bytes, so that the content at an address with it never changes.
	Digest    Digest
	MediaType string
	Bytes     []byte

	// Silhouette is the provider's summary of how the picture looks, computed once so that
	// no page waits for it; empty if it cannot be read.
	Silhouette []byte
}

// Images stores pictures.
type Images interface {
	// SaveImage records an image. An existing one stays as it is.
	SaveImage(ctx context.Context, i Image) error

	// Image returns the image with this digest.
	Image(ctx context.Context, digest Digest) (Image, error)

	// RemoveImage removes an image that no client uses as a logo. It returns nil if there
	// is none, or a client uses it.
	RemoveImage(ctx context.Context, digest Digest) error
}

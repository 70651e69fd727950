package storage

import "context"

// Image is a picture that the provider serves: a logo.
type Image struct {
	// Digest is that of Bytes, so that an address with it never changes its
	// content.
	Digest    Digest
	MediaType string
	Bytes     []byte

	// Silhouette is what the provider has noted about how the picture looks, so that no
	// page waits until that is known; nil when nothing has been.
	Silhouette []byte
}

// Images keeps pictures.
type Images interface {
	// SaveImage records an image; one that exists stays as it is, but for a Silhouette
	// when it has none.
	SaveImage(ctx context.Context, i Image) error

	// Image returns the image with this digest.
	Image(ctx context.Context, digest Digest) (Image, error)

	// ImagesWithoutSilhouette returns images whose Silhouette is nil.
	ImagesWithoutSilhouette(ctx context.Context, limit int) ([]Image, error)

	// RemoveImage removes an image that is the logo of no client. It returns nil
	// when there is none, or when one has it.
	RemoveImage(ctx context.Context, digest Digest) error
}

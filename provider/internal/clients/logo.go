package clients

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
)

// saveImage stores a logo and returns it as it is served. One that is stored comes from
// Client, and stays as it is: one that an earlier version has drawn may be larger than what is taken.
func (r *Registry) saveImage(ctx context.Context, raw []byte) (storage.Image, error) {
	stored, err := r.Store.Image(ctx, sha256.Sum256(raw))
	switch {
	case err == nil:
		return stored, nil
	case !errors.Is(err, storage.ErrNotFound): // not the picture's fault
		return storage.Image{}, fmt.Errorf("read image: %w", err)
	}
	content, err := picture.ToPNG(raw)
	if err != nil {
		return storage.Image{}, &field.Error{Field: "Logo", Err: err}
	}
	logo := storage.Image{Digest: sha256.Sum256(content), MediaType: picture.Type, Bytes: content}
	if err := r.Store.SaveImage(ctx, logo); err != nil {
		return storage.Image{}, fmt.Errorf("save image: %w", err)
	}
	return logo, nil
}

// keepImage stores a logo again that was removed between being stored and being
// registered, because another application that had the same gave it up.
func (r *Registry) keepImage(ctx context.Context, logo storage.Image) error {
	_, err := r.Store.Image(ctx, logo.Digest)
	if errors.Is(err, storage.ErrNotFound) {
		err = r.Store.SaveImage(ctx, logo)
	}
	if err != nil {
		return fmt.Errorf("keep image: %w", err)
	}
	return nil
}

// dropLogo removes the logo that an application had until now, unless another has it.
// What cannot be removed is left lying: the registration has been changed.
func (r *Registry) dropLogo(ctx context.Context, old, current storage.Digest) {
	if old.IsZero() || old == current {
		return
	}
	if err := r.Store.RemoveImage(ctx, old); err != nil {
		r.Logger.WarnContext(ctx, "a logo that no application has any more could not be removed", slog.Any("error", err))
	}
}

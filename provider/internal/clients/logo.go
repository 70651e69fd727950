package clients

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Pictures are the pictures of an application; nil for none.
type Pictures struct {
	Logo, LogoDark, Wordmark, WordmarkDark []byte
}

// saveImages stores the pictures of an application, and sets their digests in its record. It
// returns the stored ones, even with an error.
func (r *Registry) saveImages(ctx context.Context, record *storage.Client, p Pictures) ([]storage.Image, error) {
	var saved []storage.Image
	for _, one := range []struct {
		field  string
		raw    []byte
		digest *storage.Digest
	}{
		{"Logo", p.Logo, &record.Logo}, {"LogoDark", p.LogoDark, &record.LogoDark},
		{"Wordmark", p.Wordmark, &record.Wordmark}, {"WordmarkDark", p.WordmarkDark, &record.WordmarkDark},
	} {
		if len(one.raw) == 0 {
			continue
		}
		image, err := r.saveImage(ctx, one.field, one.raw)
		if err != nil {
			return saved, err
		}
		saved = append(saved, image)
		*one.digest = image.Digest
	}
	return saved, nil
}

// saveImage stores a picture and returns it as it is served. A stored one comes from the
// registration and stays: an earlier version may have drawn it larger than the limit.
func (r *Registry) saveImage(ctx context.Context, name string, raw []byte) (storage.Image, error) {
	stored, err := r.Store.Image(ctx, sha256.Sum256(raw))
	switch {
	case err == nil:
		return stored, nil
	case !errors.Is(err, storage.ErrNotFound): // not the picture's fault
		return storage.Image{}, fmt.Errorf("read image: %w", err)
	}
	content, silhouette, err := picture.ToPNG(picture.Of(ctx, "network "+request.Network(ctx)), raw)
	switch {
	case ctx.Err() != nil: // it waited for its turn
		return storage.Image{}, err
	case err != nil:
		return storage.Image{}, &field.Error{Field: name, Err: err}
	}
	image := storage.Image{Digest: sha256.Sum256(content), MediaType: picture.Type, Bytes: content, Silhouette: silhouette.Bytes()}
	if err := r.Store.SaveImage(ctx, image); err != nil {
		return storage.Image{}, fmt.Errorf("save image: %w", err)
	}
	return image, nil
}

// Images reads stored pictures.
type Images struct {
	Store  storage.Images
	Logger *slog.Logger
}

// Image returns a picture. storage.ErrNotFound of a damaged one, too: no browser keeps it under
// its address for good, and a registration that has it can be saved.
func (i Images) Image(ctx context.Context, digest storage.Digest) (storage.Image, error) {
	found, err := i.Store.Image(ctx, digest)
	if err == nil && sha256.Sum256(found.Bytes) != digest {
		i.Logger.ErrorContext(ctx, "a picture is damaged: save it again", slog.String("picture", hex.EncodeToString(digest[:])))
		err = storage.ErrNotFound
	}
	return found, err
}

// keepImages stores pictures again that were removed before the registration was saved, because
// another application with the same pictures dropped them. A failure is logged, as that of
// dropImages.
func (r *Registry) keepImages(ctx context.Context, images []storage.Image) {
	for _, image := range images {
		_, err := r.Store.Image(ctx, image.Digest)
		if errors.Is(err, storage.ErrNotFound) {
			err = r.Store.SaveImage(ctx, image)
		}
		if err != nil {
			r.Logger.WarnContext(ctx, "picture could not be kept: whoever saves it again has it", slog.Any("error", err))
		}
	}
}

// digestsOf returns the digests of an application's pictures.
func digestsOf(c storage.Client) []storage.Digest {
	return []storage.Digest{c.Logo, c.LogoDark, c.Wordmark, c.WordmarkDark}
}

// dropImages removes the former pictures of an application unless another has them. A failure
// is logged: the registration has been changed.
func (r *Registry) dropImages(ctx context.Context, old, current []storage.Digest) {
	for _, digest := range old {
		if digest.IsZero() || slices.Contains(current, digest) {
			continue
		}
		if err := r.Store.RemoveImage(ctx, digest); err != nil {
			r.Logger.WarnContext(ctx, "unused picture could not be removed", slog.Any("error", err))
		}
	}
}

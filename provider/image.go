package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // a format that a logo may have
	_ "image/jpeg" // a format that a logo may have
	"image/png"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

const (
	maxImageBytes = 512 << 10
	maxImageSide  = 2048
	pngType       = "image/png"
)

// toPNG draws a picture anew. What comes out holds nothing but pixels: no script,
// no metadata, no second file hidden in the first. The header is read before the
// pixels, so that a small file cannot ask for much memory.
func toPNG(raw []byte) ([]byte, error) {
	if len(raw) > maxImageBytes {
		return nil, errors.New("is larger than 512 KiB")
	}
	head, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("is not a PNG, JPEG or GIF")
	}
	if head.Width > maxImageSide || head.Height > maxImageSide || head.Width == 0 || head.Height == 0 {
		return nil, fmt.Errorf("is larger than %d pixels a side", maxImageSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("is damaged")
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), nil
}

// saveImage stores a logo and returns the digest that it is served under.
func (p *Provider) saveImage(ctx context.Context, raw []byte) (storage.Digest, error) {
	content, err := toPNG(raw)
	if err != nil {
		return storage.Digest{}, err
	}
	picture := storage.Image{Digest: sha256.Sum256(content), MediaType: pngType, Bytes: content}
	if err := p.cfg.Store.SaveImage(ctx, picture); err != nil {
		return storage.Digest{}, fmt.Errorf("save image: %w", err)
	}
	return picture.Digest, nil
}

// serveImage serves a client's logo.
func (p *Provider) serveImage(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/images/"), ".png")
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != sha256.Size {
		p.fail(w, r, &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound})
		return
	}
	picture, err := p.cfg.Store.Image(r.Context(), storage.Digest(raw))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		p.fail(w, r, &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound})
	case err != nil:
		p.fail(w, r, err)
	default:
		p.serveImmutable(w, r, pngType, picture.Bytes)
	}
}

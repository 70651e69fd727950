package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// files are what pages show that never changes: assets, the brand's pictures and those of
// applications. It knows neither pages nor users.
type files struct {
	base    string // the path of the base URL
	theme   *theme.Theme
	images  images
	logger  *slog.Logger
	started time.Time
	assets  sync.Map // by name: ui.Asset
	smaller sync.Map // the assets that are compressed, by name: []byte
	known   *cache.Cache[storage.Digest, plates]
}

// images are the pictures of applications.
type images interface {
	Image(ctx context.Context, digest storage.Digest) (storage.Image, error)
}

func newFiles(o Options, base *url.URL) *files {
	f := &files{
		base: base.Path, theme: o.Theme, images: o.Images, logger: o.Logger, started: o.Clock(),
		known: cache.New[storage.Digest, plates](plateLife, maxPlates, o.Clock),
	}
	f.add(slices.Concat(ui.Assets(), o.Theme.Assets()))
	return f
}

func (f *files) add(assets []ui.Asset) {
	for _, a := range assets {
		f.assets.Store(a.Name, a)
	}
}

// Assets returns the routes of the assets of pages.
func (s *Site) Assets() []Route {
	serve := func(file Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := file(w, r); err != nil {
				s.Fail(w, r, err)
			}
		}
	}
	return []Route{
		{Method: http.MethodGet, Path: "/assets/{name}", Handler: serve(s.serveAsset)},
		{Method: http.MethodGet, Path: "/images/{name}", Handler: serve(s.serveImage)},
	}
}

var color = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// IsColor reports whether a text has the form #rrggbb.
func IsColor(s string) bool { return color.MatchString(s) }

// serveAsset serves an asset. Its name holds a digest or the content itself, so the content
// under it never changes.
func (f *files) serveAsset(w http.ResponseWriter, r *http.Request) error {
	name := fileOf(r)
	if a, ok := f.assets.Load(name); ok {
		f.serveFile(w, r, a.(ui.Asset))
		return nil
	}
	if a, ok := f.theme.Asset(name); ok {
		f.serveImmutable(w, r, a.MediaType, a.Bytes)
		return nil
	}
	return errNotFound
}

// serveFile serves an asset, compressed for clients that accept it. The compressed form is
// another representation: it has its own tag, and ranges are of its bytes.
func (f *files) serveFile(w http.ResponseWriter, r *http.Request, a ui.Asset) {
	content, tag, h := a.Bytes, a.Name, w.Header()
	if smaller := f.compressed(a); smaller != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			content, tag = smaller, tag+"-gzip"
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", strconv.Quote(tag))
	f.serveImmutable(w, r, a.MediaType, content)
}

var errNotFound = &PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}

func (f *files) serveImmutable(w http.ResponseWriter, r *http.Request, mediaType string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(w, r, "", f.started, bytes.NewReader(content))
}

// ImageURL returns the address of a logo, "" for none.
func (f *files) ImageURL(digest storage.Digest) string {
	if digest.IsZero() {
		return ""
	}
	return f.base + "/images/" + hex.EncodeToString(digest[:]) + ".png"
}

// serveImage serves a client's logo.
func (f *files) serveImage(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimSuffix(fileOf(r), ".png")
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != sha256.Size {
		return errNotFound
	}
	found, err := f.images.Image(r.Context(), storage.Digest(raw))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return errNotFound
	case err != nil:
		return err
	}
	f.serveImmutable(w, r, picture.Type, found.Bytes)
	return nil
}

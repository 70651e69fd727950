package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Assets returns the routes of the assets of pages.
func (s *Site) Assets() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/assets/{name}", Handler: s.serveAsset},
		{Method: http.MethodGet, Path: "/images/{name}", Handler: s.serveImage},
	}
}

var color = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// IsColor reports whether a text has the form #rrggbb.
func IsColor(s string) bool { return color.MatchString(s) }

// serveAsset serves an asset. Its name holds a digest or the content itself, so the content
// under it never changes.
func (s *Site) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := fileOf(r)
	if a, ok := s.assets.Load(name); ok {
		s.serveFile(w, r, a.(ui.Asset))
		return
	}
	if a, ok := s.Theme.Asset(name); ok {
		s.serveImmutable(w, r, a.MediaType, a.Bytes)
		return
	}
	s.Fail(w, r, errNotFound)
}

// serveFile serves an asset, compressed for clients that accept it. The compressed form is
// another representation: it has its own tag, and ranges are of its bytes.
func (s *Site) serveFile(w http.ResponseWriter, r *http.Request, a ui.Asset) {
	content, tag, h := a.Bytes, a.Name, w.Header()
	if smaller := s.compressed(a); smaller != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			content, tag = smaller, tag+"-gzip"
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", strconv.Quote(tag))
	s.serveImmutable(w, r, a.MediaType, content)
}

var errNotFound = &PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}

func (s *Site) serveImmutable(w http.ResponseWriter, r *http.Request, mediaType string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(w, r, "", s.started, bytes.NewReader(content))
}

// ImageURL returns the address of a logo, "" for none.
func (s *Site) ImageURL(digest storage.Digest) string {
	if digest.IsZero() {
		return ""
	}
	return s.Link("/images/" + hex.EncodeToString(digest[:]) + ".png")
}

// serveImage serves a client's logo.
func (s *Site) serveImage(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSuffix(fileOf(r), ".png")
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != sha256.Size {
		s.Fail(w, r, errNotFound)
		return
	}
	found, err := s.Images.Image(r.Context(), storage.Digest(raw))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		s.Fail(w, r, errNotFound)
	case err != nil:
		s.Fail(w, r, err)
	default:
		s.serveImmutable(w, r, picture.Type, found.Bytes)
	}
}

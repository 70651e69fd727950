package web

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// Document is a response that is the same for everybody. It is encoded once.
type Document struct {
	plain, small representation
	tag          string
}

// representation is a document in one content encoding.
type representation struct {
	header http.Header
	body   []byte
}

// NewDocument returns a document with these headers, including its media type.
func NewDocument(body []byte, header http.Header) *Document {
	sum := sha256.Sum256(body)
	// Weak: both representations have it, and are equivalent (RFC 9110 section 8.8.1).
	d := &Document{tag: `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
	d.plain = d.represent(body, header, "")
	d.small = d.plain
	if len(body) >= minCompressed {
		d.small = d.represent(gzipped(body), header, "gzip")
	}
	return d
}

func (d *Document) represent(body []byte, header http.Header, encoding string) representation {
	h := header.Clone()
	h.Set("Etag", d.tag)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	return representation{h, body}
}

// ServeHTTP implements http.Handler for GET and HEAD.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	chosen := &d.plain
	if acceptsGzip(r) {
		chosen = &d.small
	}
	h := w.Header()
	// All responses share the values, which saves allocations.
	maps.Copy(h, chosen.header)
	if vary := h["Vary"]; len(vary) == 0 {
		h["Vary"] = varyEncoding
	} else {
		h.Add("Vary", varyEncoding[0])
	}
	if d.isKnown(r.Header["If-None-Match"]) {
		h.Del("Content-Length")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(chosen.body)
	}
}

var varyEncoding = []string{"Accept-Encoding"}

// isKnown reports whether the client already has the document (RFC 9110 section 13.1.2).
func (d *Document) isKnown(header []string) bool {
	for _, list := range header {
		for tag := range strings.SplitSeq(list, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == d.tag[len("W/"):] {
				return true
			}
		}
	}
	return false
}

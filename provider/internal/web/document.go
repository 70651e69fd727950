package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Document is a response that is the same for everybody. It is encoded once.
type Document struct {
	plain representation
	tag   []string

	// small is plain, compressed, or nil if that is not worth it. It is made when it is
	// first asked for: that takes most of the memory of a provider that has just begun.
	small func() representation
}

// representation is a document in one content encoding.
type representation struct {
	header []headerField
	body   []byte
	length []string
}

// headerField is a field with its values, which all responses share: that saves
// allocations.
type headerField struct {
	name   string
	values []string
}

// NewDocument returns a document with these headers, including its media type.
func NewDocument(body []byte, header http.Header) *Document {
	sum := sha256.Sum256(body)
	// Weak: both representations have it, and are equivalent (RFC 9110 section 8.8.1).
	d := &Document{tag: []string{`W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}}
	d.plain = represent(body, header, "")
	if len(body) >= minCompressed {
		d.small = sync.OnceValue(func() representation { return represent(gzipped(body), header, "gzip") })
	}
	return d
}

func represent(body []byte, header http.Header, encoding string) representation {
	made := representation{body: body, length: []string{strconv.Itoa(len(body))}}
	for name, values := range header {
		made.header = append(made.header, headerField{name, values})
	}
	if encoding != "" {
		made.header = append(made.header, headerField{"Content-Encoding", []string{encoding}})
	}
	return made
}

// maxBuffered is the size up to which net/http finds out the length of a body by itself,
// which takes less than to read it from a field.
const maxBuffered = 2 << 10

// ServeHTTP implements http.Handler for GET and HEAD.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	chosen := d.plain
	h := w.Header()
	if d.small != nil { // with one representation the response does not vary
		addVary(h, varyEncoding)
		if acceptsGzip(r) {
			chosen = d.small()
		}
	}
	for _, field := range chosen.header {
		h[field.name] = field.values
	}
	h["Etag"] = d.tag
	if d.isKnown(r.Header["If-None-Match"]) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if len(chosen.body) > maxBuffered || r.Method == http.MethodHead {
		h["Content-Length"] = chosen.length
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	_, _ = w.Write(chosen.body)
}

// isKnown reports whether the client already has the document (RFC 9110 section 13.1.2).
func (d *Document) isKnown(header []string) bool {
	for _, list := range header {
		for tag := range strings.SplitSeq(list, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == d.tag[0][len("W/"):] {
				return true
			}
		}
	}
	return false
}

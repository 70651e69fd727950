package developer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"
)

// publication is a file for programs, from any origin: it is the same for everybody and
// contains no secret, so its length may be known.
type publication struct {
	mediaType    string
	plain, small []byte
	tag          string
}

// servePublication serves a file, which is made and compressed when first asked for.
func servePublication(mediaType string, content func() []byte) http.Handler {
	made := sync.OnceValue(func() *publication { return newPublication(mediaType, content()) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { made().serve(w, r) })
}

func newPublication(mediaType string, content []byte) *publication {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	_, _ = z.Write(content) // a write to memory does not fail
	_ = z.Close()
	sum := sha256.Sum256(content)
	return &publication{mediaType, content, small.Bytes(), base64.RawURLEncoding.EncodeToString(sum[:12])}
}

func (d *publication) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", d.mediaType)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	content, tag := d.plain, d.tag
	if takesGzip(r) {
		// Another representation: it has its own tag, and ranges are of its bytes.
		content, tag = d.small, d.tag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// takesGzip reports whether a response may be compressed (RFC 9110 section 12.5.3).
func takesGzip(r *http.Request) bool {
	for offer := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, parameter, _ := strings.Cut(offer, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			weight, _ := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
			return weight == "" || strings.Trim(weight, "0.") != ""
		}
	}
	return false
}

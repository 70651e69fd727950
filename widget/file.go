package widget

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

// file is one script in the forms in which it is served.
type file struct {
	evergreen, immutable string // names
	plain                []byte
	gzip                 func() []byte // made when first asked for
	etag                 string        // without quotes
	integrity            string
}

func newFile(name string, content []byte) *file {
	sum := sha512.Sum384(content)
	hash := hex.EncodeToString(sum[:16])
	return &file{
		evergreen: name,
		immutable: hash + ".js",
		plain:     content,
		gzip:      sync.OnceValue(func() []byte { return compress(content) }),
		etag:      hash,
		integrity: "sha384-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
}

func compress(content []byte) []byte {
	var b bytes.Buffer
	// Neither the level nor a write to memory can be refused.
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

func (f *file) script(baseURL string) Script {
	folder := strings.TrimRight(baseURL, "/") + "/widget/"
	return Script{
		URL:          folder + f.evergreen,
		ImmutableURL: folder + f.immutable,
		Integrity:    f.integrity,
	}
}

func (f *file) serve(w http.ResponseWriter, r *http.Request, immutable bool) {
	content, etag := f.plain, f.etag
	h := w.Header()
	if acceptsGzip(r) {
		content, etag = f.gzip(), f.etag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	// Pages of all sites load it: with integrity, which needs CORS, and from
	// pages that are cross-origin isolated, which need CORP.
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", `"`+etag+`"`)
	if immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		// Short, since this is how a fix reaches every page.
		h.Set("Cache-Control", "public, max-age=600, stale-while-revalidate=3600")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsGzip reads Accept-Encoding as RFC 9110 section 12.5.3 says, but for
// weights other than zero: gzip is the only offer.
func acceptsGzip(r *http.Request) bool {
	for offer := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, parameter, _ := strings.Cut(offer, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		weight, _ := strings.CutPrefix(strings.TrimSpace(strings.ToLower(parameter)), "q=")
		return strings.Trim(weight, "0.") != "" || weight == ""
	}
	return false
}

package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/ui"
)

// minCompressed is the least number of bytes worth compressing, about one packet.
const minCompressed = 1 << 10

// noTransform asks proxies not to change a response (RFC 9111 section 5.2.2.6).
const noTransform = "no-transform"

// writers are pooled, because one needs some 800 KiB.
var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// gzipped returns content compressed with gzip.
func gzipped(content []byte) []byte {
	var b bytes.Buffer
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(&b)
	_, _ = z.Write(content) // a write to memory does not fail
	_ = z.Close()
	return b.Bytes()
}

// compressed returns an asset in compressed form, or nil if that gains nothing. Each is
// compressed once.
func (f *files) compressed(a ui.Asset) []byte {
	isText := strings.HasPrefix(a.MediaType, "text/") || strings.HasPrefix(a.MediaType, "image/svg+xml")
	if !isText || len(a.Bytes) < minCompressed {
		return nil
	}
	if done, ok := f.smaller.Load(a.Name); ok {
		return done.([]byte)
	}
	done, _ := f.smaller.LoadOrStore(a.Name, gzipped(a.Bytes))
	return done.([]byte)
}

// writePage responds with a page, compressed for clients that accept it.
func (s *Site) writePage(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if s.mayCompress(h, r) {
		WriteCompressed(w, r, status, page)
		return
	}
	h.Add("Vary", "Accept-Encoding")
	w.WriteHeader(status)
	_, _ = w.Write(page)
}

// WriteCompressed responds with a body whose length is allowed to reveal its content,
// compressed for clients that accept it.
func WriteCompressed(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if len(body) >= minCompressed && acceptsGzip(r) {
		body = gzipped(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// mayCompress reports whether the length of a page may depend on its content.
//
// An attacker who makes a browser request a page again and again, with a guess in its
// address, and sees the lengths of the responses, can find out what the page contains
// (BREACH, CVE-2013-3587). Form values change each time (mask, and the nonce of sealed
// values); a name, an e-mail address and an application's rights do not. So a page about a
// user is compressed only if the browser says that no other site has requested it, and one
// with a secret (RenderSecret) never.
func (s *Site) mayCompress(h http.Header, r *http.Request) bool {
	if strings.Contains(h.Get("Cache-Control"), noTransform) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	}
	return !s.hasSomebody(r)
}

// hasSomebody reports whether a request may come from a signed-in user: here, or by any
// cookie of the host's.
func (s *Site) hasSomebody(r *http.Request) bool {
	if r.Header.Get("Authorization") != "" {
		return true
	}
	for _, c := range r.Cookies() {
		switch c.Name {
		case s.Cookies.Name(session.Browser), s.Cookies.Name(session.Device), s.Cookies.Name(session.Language):
		default:
			return true
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding by RFC 9110 section 12.5.3, except for weights other
// than zero: gzip is the only offer.
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

package lab

import "net/http"

// Ask sends a request with headers of its own, and leaves the answer as it came.
func (b *Browser) Ask(method, address string, header ...string) Page {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), method, b.Absolute(address), nil)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return b.Do(r)
}

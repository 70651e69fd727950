package outbound

import (
	"errors"
	"net/http"
	"testing"
)

// TestForUpstreams tests that responses of upstream providers may be larger than those of
// applications, and not larger than that.
func TestForUpstreams(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bytes int
		want  error
	}{
		"Whole": {upstreamBody, nil},
		"Large": {upstreamBody + 1, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, test.bytes)) }, false)
			c := newClient(t, ForUpstreams(true))
			body, err := c.Get(t.Context(), s.URL, "")
			if !errors.Is(err, test.want) || err == nil && len(body) != test.bytes {
				t.Errorf("%d bytes, %v", len(body), err)
			}
			if cap(c.calls) != upstreamCalls || c.timeout != upstreamTimeout {
				t.Errorf("%d calls of %s", cap(c.calls), c.timeout)
			}
		})
	}
}

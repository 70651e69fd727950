package outbound

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestHTTP tests that the client for libraries is bounded as Client is.
func TestHTTP(t *testing.T) {
	t.Parallel()
	inner := serve(t, ok, false)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/echo":
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Asked", r.Header.Get("Authorization"))
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(body)
		case "/away":
			http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
		case "/large":
			_, _ = w.Write(make([]byte, MaxBody+1))
		}
	}, true)
	c := newClient(t, Options{AllowPrivate: true, RootCAs: roots(s)}).HTTP()
	t.Run("Exchanges", func(t *testing.T) {
		t.Parallel()
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/echo", strings.NewReader("hello"))
		r.Header.Set("Authorization", "Bearer a")
		res, err := c.Do(r)
		testkit.OK(t, err)
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusCreated || string(body) != "hello" || res.Header.Get("X-Asked") != "Bearer a" {
			t.Errorf("%s %q %v", res.Status, body, err)
		}
	})
	t.Run("FollowsNoRedirect", func(t *testing.T) {
		t.Parallel()
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/away", http.NoBody)
		res, err := c.Do(r)
		testkit.OK(t, err)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusTemporaryRedirect || inner.requests.Load() != 0 {
			t.Errorf("%s, and %d requests", res.Status, inner.requests.Load())
		}
	})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for name, test := range map[string]struct {
		options Options
		address string
		want    error
	}{
		"Large":     {Options{AllowPrivate: true, RootCAs: roots(s)}, s.URL + "/large", ErrTooLarge},
		"Private":   {Options{RootCAs: roots(s)}, s.URL + "/echo", ErrForbiddenAddress},
		"Rebinding": {Options{RootCAs: roots(s), Resolver: resolver("127.0.0.1")}, "https://example.com:" + port + "/echo", ErrForbiddenAddress},
		"Metadata":  {Options{AllowPrivate: true}, "http://169.254.169.254/latest/meta-data/", ErrForbiddenAddress},
		"File":      {Options{AllowPrivate: true}, "file:///etc/passwd", ErrForbiddenAddress},
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			t.Parallel()
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, test.address, http.NoBody)
			res, err := newClient(t, test.options).HTTP().Do(r)
			if err == nil {
				_ = res.Body.Close()
			}
			if !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

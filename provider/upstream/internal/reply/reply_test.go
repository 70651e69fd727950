package reply

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

// TestJSON tests that an answer is bounded even where the client is not, and that errors tell a
// server that has failed from one that says something else, and repeat neither.
func TestJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"Answer":   {http.StatusOK, `{"a":"b"}`, nil},
		"AtTheEnd": {http.StatusOK, `{"a":"b"}` + strings.Repeat(" ", maxBytes-9), nil},
		"TooLarge": {http.StatusOK, `{"a":"b"}` + strings.Repeat(" ", maxBytes-8), upstream.ErrUnavailable},
		"Failed":   {http.StatusServiceUnavailable, `{"a":"secret"}`, upstream.ErrUnavailable},
		"Limited":  {http.StatusTooManyRequests, `{"a":"secret"}`, upstream.ErrUnavailable},
		"Refused":  {http.StatusForbidden, `{"a":"secret"}`, ErrStatus},
		"Created":  {http.StatusCreated, `{"a":"secret"}`, ErrStatus},
		"NoJSON":   {http.StatusOK, `secret`, errNotJSON},
		"OtherOne": {http.StatusOK, `["secret"]`, errNotJSON},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept") != "application/json" {
					t.Errorf("it is asked for %q", r.Header.Get("Accept"))
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			t.Cleanup(s.Close)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			var v struct{ A string }
			err = JSON(s.Client(), r, &v)
			if !errors.Is(err, test.want) || err == nil && v.A != "b" || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

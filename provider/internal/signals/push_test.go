package signals

import "testing"

// RFC 8935 section 2.3: only a 400 of this form is about the SET; all else is about the receiver.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   bool
	}{
		{400, `{"err":"invalid_audience","description":"not ours"}`, true},
		{400, `{"err":"invalid_key"}`, true},
		{400, `{"error":"x"}`, false},
		{400, `<html>`, false},
		{401, `{"err":"authentication_failed"}`, false},
		{500, `{"err":"invalid_request"}`, false},
		{202, ``, false},
	} {
		if got := refused(c.status, []byte(c.body)); got != c.want {
			t.Errorf("%d %s: %t", c.status, c.body, got)
		}
	}
}

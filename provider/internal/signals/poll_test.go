package signals

import (
	"strings"
	"testing"
)

// RFC 8936 section 2.2.
func TestPollRequests(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		``:                                       maxPolled,
		`{}`:                                     maxPolled,
		`{"maxEvents":0}`:                        0,
		`{"maxEvents":7}`:                        7,
		`{"maxEvents":100000}`:                   maxPolled,
		`{"returnImmediately":true,"ack":["a"]}`: maxPolled,
	} {
		p, err := readPoll([]byte(body))
		if err != nil || p.limit() != want {
			t.Errorf("%s: %d, %v; want %d", body, p.limit(), err, want)
		}
	}
	p, err := readPoll([]byte(`{"ack":["a","b"],"setErrs":{"c":{"err":"authentication_failed","description":"no key"}}}`))
	if err != nil || len(p.Acked) != 2 || p.Errors["c"] != (pollError{"authentication_failed", "no key"}) {
		t.Errorf("%+v, %v", p, err)
	}
	for name, body := range map[string]string{
		"Negative": `{"maxEvents":-1}`,
		"Fraction": `{"maxEvents":1.5}`,
		"NoList":   `{"ack":"a"}`,
		"NoJSON":   `ack=a`,
		"TooMany":  `{"ack":["` + strings.Repeat(`a","`, maxAcked) + `a"]}`,
	} {
		if _, err := readPoll([]byte(body)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

package signals

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/storage"
)

func TestResultOfAStatus(t *testing.T) {
	t.Parallel()
	for status := 100; status < 600; status++ {
		want := Unreached
		switch {
		case status/100 == 2:
			want = Done
		case status == 410:
			want = Gone
		case status == 401, status == 403, status == 404, status == 408, status == 429:
		case status/100 == 4:
			want = Refused
		}
		if got := resultOf(status); got != want {
			t.Errorf("%d: %d, want %d", status, got, want)
		}
	}
}

// What a receiver says is a line of text that fits, whatever it is.
func TestAnswerIsALine(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":                              "503",
		"busy":                          "503 busy",
		" a\r\nb\x00c\x7f\xff":          "503  a  b c",
		strings.Repeat("x", 1000):       "503 " + strings.Repeat("x", storage.MaxAnswer-4),
		strings.Repeat("ü", 1000):       "503 " + strings.Repeat("ü", (storage.MaxAnswer-4)/2),
		"x" + strings.Repeat("ü", 1000): "503 x" + strings.Repeat("ü", (storage.MaxAnswer-5)/2),
	} {
		got := answerOf(outbound.Answer{Status: 503, Body: []byte(body)})
		if got != want || !utf8.ValidString(got) {
			t.Errorf("%.20q: %q, want %q", body, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                              0,
		"120":                           2 * time.Minute,
		"-1":                            0,
		"soon":                          0,
		"Mon, 30 Nov 2026 12:05:00 GMT": 5 * time.Minute,
		"Mon, 30 Nov 2026 11:00:00 GMT": 0,
		"99999999999999999999":          0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

package signals

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/storage"
)

// resultOf returns what a status means. An answer that is no fault of the message is one of the receiver: a
// redirect would lead elsewhere, and who may not call, or calls too often, will not with another message.
func resultOf(status int) Result {
	switch {
	case status >= 200 && status < 300:
		return Done
	case status == http.StatusGone:
		return Gone
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound,
		status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return Unreached
	case status >= 400 && status < 500:
		return Refused
	default:
		return Unreached
	}
}

// answerOf returns the status and the beginning of the body.
func answerOf(a outbound.Answer) string {
	return answerText(strconv.Itoa(a.Status) + " " + string(a.Body[:min(len(a.Body), storage.MaxAnswer)]))
}

// answerText is what a receiver has said as text of a line, as it is kept.
func answerText(said string) string {
	text := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, said))
	for len(text) > storage.MaxAnswer {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// retryAfter returns how long a receiver wants to be left alone; zero if it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

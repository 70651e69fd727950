package unknown

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// The bounds of a fetch. Strangers choose the address: the calls have a budget of their own, so
// that slow hosts delay nothing else.
const (
	// MaxCalls is the number of fetches at once, MaxBody the maximum size of a document in
	// bytes (section 6.6 of the draft recommends 5 KiB).
	MaxCalls = 16
	MaxBody  = 8 << 10

	// Timeout is that of a fetch, up to its last byte.
	Timeout = 5 * time.Second

	// A document is used for as long as its max-age says, within these.
	minFresh = 5 * time.Minute
	maxFresh = 24 * time.Hour
)

// fetched is a document with how long it may be used.
type fetched struct {
	text []byte
	life time.Duration
}

// unreached is the error of a call that has brought no whole response. Its text says why, for
// the operator.
type unreached struct{ cause error }

func (e unreached) Error() string { return outbound.Reason(e.cause) }

func (e unreached) Unwrap() error { return e.cause }

// errGone says that there is no document at an address any more.
var errGone = errors.New("there is no document at the address")

// fetch reads a document. Its error says why, without a part of the response.
func fetch(ctx context.Context, client *http.Client, address string) (fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fetched{}, outbound.ErrForbiddenAddress
	}
	r.Header.Set("Accept", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return fetched{}, unreached{err}
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusGone:
		return fetched{}, fmt.Errorf("%w: the response has status %d", errGone, res.StatusCode)
	case res.StatusCode != http.StatusOK:
		return fetched{}, fmt.Errorf("the response has status %d", res.StatusCode)
	case !isJSON(res.Header.Get("Content-Type")):
		return fetched{}, errors.New("the response is not of the type application/json")
	case res.Header.Get("Content-Encoding") != "":
		return fetched{}, errors.New("the response is compressed")
	}
	text, err := io.ReadAll(res.Body) // which is bounded
	if err != nil {
		return fetched{}, unreached{err}
	}
	return fetched{text, lifeOf(res.Header)}, nil
}

// isJSON reports whether a media type is JSON (RFC 6839 section 3.1).
func isJSON(header string) bool {
	name, _, err := mime.ParseMediaType(header)
	return err == nil && (name == "application/json" || strings.HasPrefix(name, "application/") && strings.HasSuffix(name, "+json"))
}

// lifeOf returns how long a response may be used by its max-age (RFC 9111 section 5.2.2).
func lifeOf(header http.Header) time.Duration {
	for _, line := range header.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
			if name != "max-age" {
				continue
			}
			if n, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 32); err == nil {
				return min(max(time.Duration(n)*time.Second, minFresh), maxFresh)
			}
		}
	}
	return minFresh
}

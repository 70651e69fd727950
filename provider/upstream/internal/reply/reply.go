// Package reply reads what upstream providers answer. It is written by strangers: of what it
// returns nothing is longer than a screen shows, and its errors repeat none of it.
package reply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// maxBytes is the maximum size of an answer, whatever the client would read.
const maxBytes = 1 << 20

// ErrStatus means that an answer has another status than 200, and no server error.
var ErrStatus = errors.New("the status is not 200")

var errNotJSON = errors.New("the answer is not the JSON that is expected")

// JSON sends a request and decodes the answer into v. Errors are upstream.ErrUnavailable if
// there was no answer, or one of a server that has failed, and ErrStatus. The others mean that
// the answer is no JSON of v.
func JSON(client *http.Client, r *http.Request, v any) error {
	status, body, err := Read(client, r)
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return fmt.Errorf("%w: it is %d", ErrStatus, status)
	case json.Unmarshal(body, v) != nil:
		return errNotJSON
	}
	return nil
}

// Read sends a request for JSON and returns the answer, unless it is that of a server that has
// failed. Errors are upstream.ErrUnavailable.
func Read(client *http.Client, r *http.Request) (status int, body []byte, err error) {
	r.Header.Set("Accept", "application/json")
	res, err := client.Do(r) //nolint:gosec // the client that the provider gives checks the address
	if err != nil {
		return 0, nil, Unavailable(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxBytes+1))
	switch {
	case err != nil:
		return 0, nil, Unavailable(err)
	case len(body) > maxBytes:
		return 0, nil, Unavailable(outbound.ErrTooLarge)
	case res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests:
		return 0, nil, fmt.Errorf("%w: status %d", upstream.ErrUnavailable, res.StatusCode)
	}
	return res.StatusCode, body, nil
}

// Unavailable returns upstream.ErrUnavailable with the reason for which a call has failed,
// which repeats no text of the network.
func Unavailable(err error) error {
	return fmt.Errorf("%w: %s", upstream.ErrUnavailable, outbound.Reason(err))
}

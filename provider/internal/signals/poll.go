package signals

import (
	"cmp"
	"encoding/json"
)

// The bounds of a request that fetches events.
const (
	maxPolled = 100  // SETs in an answer
	maxAcked  = 1000 // acknowledgements in a request; errors are as few as SETs
)

// pollRequest is a request for events (RFC 8936 section 2.2). An answer waits for none, whatever
// returnImmediately says.
type pollRequest struct {
	// MaxEvents is how many SETs the receiver takes; nil for as many as there are.
	MaxEvents *int `json:"maxEvents"`

	Acked  []string             `json:"ack"`
	Errors map[string]pollError `json:"setErrs"`
}

// pollError is why a receiver does not take a SET (section 2.6).
type pollError struct {
	Code        string `json:"err"`
	Description string `json:"description"`
}

// text is the error as it is kept.
func (e pollError) text() string {
	return cmp.Or(answerText(e.Code+" "+e.Description), "refused")
}

// readPoll reads a request. An empty body asks for all that there is.
func readPoll(body []byte) (p pollRequest, err error) {
	if len(body) == 0 {
		return p, nil
	}
	switch err := json.Unmarshal(body, &p); {
	case err != nil:
		return p, streamError{"the body is no request of RFC 8936 section 2.2"}
	case p.MaxEvents != nil && *p.MaxEvents < 0:
		return p, streamError{"maxEvents is negative"}
	case len(p.Acked) > maxAcked || len(p.Errors) > maxPolled:
		return p, streamError{"ack has more than 1000 members, or setErrs more than 100"}
	}
	return p, nil
}

// limit is how many SETs are returned.
func (p pollRequest) limit() int {
	if p.MaxEvents == nil {
		return maxPolled
	}
	return min(*p.MaxEvents, maxPolled)
}

// polled is the answer (section 2.3).
type polled struct {
	Sets map[string]string `json:"sets"`
	More bool              `json:"moreAvailable"`
}

package signals

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// The methods of delivery.
const (
	methodPush = "urn:ietf:rfc:8935"
	methodPoll = "urn:ietf:rfc:8936"
)

// DeliveryMethods are both.
var DeliveryMethods = []string{methodPush, methodPoll}

// verifyAfter is the least number of seconds between two verifications that a receiver asks for.
const verifyAfter = 60

// The bounds of what a receiver says of its stream.
const (
	maxRequested  = 64   // types of events
	maxEventType  = 256  // bytes of one
	maxStreamText = 200  // characters
	maxHeader     = 1024 // bytes of the header of pushed requests
)

// streamWishes are what a receiver says of its stream (SSF 1.0 section 8.1.1).
type streamWishes struct {
	Requested   []string // nil for all that are supported
	Description string
	Method      string
	Endpoint    string
	Header      string
}

// streamConfiguration is a stream as its receiver reads it. The header of pushed requests is a
// secret of the receiver, and not in it.
type streamConfiguration struct {
	ID              string         `json:"stream_id"`
	Issuer          string         `json:"iss"`
	Audience        string         `json:"aud"`
	Delivery        streamDelivery `json:"delivery"`
	Supported       []string       `json:"events_supported"`
	Requested       []string       `json:"events_requested,omitempty"`
	Delivered       []string       `json:"events_delivered"`
	MinVerification int            `json:"min_verification_interval"`
	Description     string         `json:"description,omitempty"`
}

type streamDelivery struct {
	Method   string `json:"method"`
	Endpoint string `json:"endpoint_url"`
}

// streamError is what is wrong with a request about a stream, in words for its receiver.
type streamError struct{ says string }

func (e streamError) Error() string { return e.says }

func wrongStream(format string, args ...any) error { return streamError{fmt.Sprintf(format, args...)} }

// requestMembers are the members of the JSON object of a request.
type requestMembers map[string]json.RawMessage

func members(body []byte) (requestMembers, error) {
	all, err := input.Members(body)
	if err != nil {
		return nil, streamError{"the body is no JSON object, or has a member twice"}
	}
	return all, nil
}

// apply returns the wishes of a request. Those that it does not name stay as in now, unless it
// replaces them all: then they are gone (sections 8.1.1.3 and 8.1.1.4).
func (w streamWishes) apply(given requestMembers, replace, allowPrivate bool) (streamWishes, error) {
	now := w
	if replace {
		w = streamWishes{Method: methodPoll}
	}
	if raw, ok := given["events_requested"]; ok {
		w.Requested = nil // and not in the place of those of now
		if err := json.Unmarshal(raw, &w.Requested); err != nil || len(w.Requested) > maxRequested ||
			slices.ContainsFunc(w.Requested, func(uri string) bool { return len(uri) > maxEventType }) {
			return w, wrongStream("events_requested is no list of at most %d types of at most %d bytes", maxRequested, maxEventType)
		}
	}
	if raw, ok := given["description"]; ok {
		w.Description = ""
		if err := json.Unmarshal(raw, &w.Description); err != nil || utf8.RuneCountInString(w.Description) > maxStreamText {
			return w, wrongStream("description is no text of at most %d characters", maxStreamText)
		}
	}
	if raw, ok := given["delivery"]; ok {
		err := w.deliver(raw, now, replace, allowPrivate)
		return w, err
	}
	return w, nil
}

// deliver reads how events are to be delivered (section 6.1).
func (w *streamWishes) deliver(raw json.RawMessage, now streamWishes, replace, allowPrivate bool) error {
	var asked struct {
		Method   string  `json:"method"`
		Endpoint string  `json:"endpoint_url"`
		Header   *string `json:"authorization_header"`
	}
	if err := json.Unmarshal(raw, &asked); err != nil {
		return streamError{"delivery is no object with method and endpoint_url"}
	}
	w.Method, w.Endpoint, w.Header = asked.Method, "", ""
	switch asked.Method {
	case methodPoll: // its address is ours, which a receiver may send back
		return nil
	case methodPush:
	default:
		return wrongStream("delivery.method is neither %s nor %s", methodPush, methodPoll)
	}
	if err := outbound.ValidateURL(asked.Endpoint, allowPrivate); err != nil {
		return wrongStream("delivery.endpoint_url %s", err.Error())
	}
	w.Endpoint = asked.Endpoint
	switch {
	case asked.Header != nil:
		w.Header = *asked.Header
	case !replace && asked.Endpoint == now.Endpoint: // a header never goes to another address
		w.Header = now.Header
	}
	if len(w.Header) > maxHeader || strings.ContainsFunc(w.Header, func(r rune) bool { return r < ' ' || r > '~' }) {
		return wrongStream("delivery.authorization_header is not at most %d characters of printable ASCII", maxHeader)
	}
	return nil
}

// agrees returns an error if a request says something else of what is ours to say (section
// 8.1.1.3).
func (c streamConfiguration) agrees(given requestMembers) error {
	for name, ours := range map[string]any{
		"iss": c.Issuer, "aud": c.Audience, "events_supported": c.Supported, "events_delivered": c.Delivered,
		"min_verification_interval": c.MinVerification,
	} {
		raw, ok := given[name]
		if !ok {
			continue
		}
		var said any
		want, err := json.Marshal(ours)
		if err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
		var meant any
		if err := errors.Join(json.Unmarshal(raw, &said), json.Unmarshal(want, &meant)); err != nil {
			return wrongStream("%s is not as it is", name)
		}
		if list, ok := said.([]any); ok && name == "aud" && len(list) == 1 {
			said = list[0]
		}
		if !reflect.DeepEqual(said, meant) {
			return wrongStream("%s is the transmitter's to say, and is not as it is", name)
		}
	}
	return nil
}

// text reads a member that is a text.
func text(given requestMembers, name string, most int) (string, error) {
	raw, ok := given[name]
	if !ok {
		return "", nil
	}
	var value string
	if err := json.Unmarshal(raw, &value); err != nil || len(value) > most {
		return "", wrongStream("%s is no text of at most %d bytes", name, most)
	}
	return value, nil
}

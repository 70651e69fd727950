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
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
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
	maxRequested = 64   // types of events
	maxEventType = 256  // bytes of one
	maxHeader    = 1024 // bytes of the header of pushed requests
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

func (s *Streams) configuration(r storage.Receiver, record Record) streamConfiguration {
	c := streamConfiguration{
		ID: r.ID, Issuer: s.Issuer, Audience: r.ClientID, Delivery: streamDelivery{methodPoll, s.PollURL},
		Supported: supported(), Requested: record.Requested, Delivered: delivered(record.Requested),
		MinVerification: verifyAfter, Description: record.Description,
	}
	if r.Kind == storage.PushReceiver {
		c.Delivery = streamDelivery{methodPush, record.Address}
	}
	return c
}

// wishesOf are those of a stream.
func wishesOf(r storage.Receiver, record Record) streamWishes {
	w := streamWishes{Requested: record.Requested, Description: record.Description, Method: methodPoll}
	if r.Kind == storage.PushReceiver {
		w.Method, w.Endpoint, w.Header = methodPush, record.Address, record.Header
	}
	return w
}

// into makes a receiver of wishes.
func (w streamWishes) into(r *storage.Receiver, record *Record) {
	r.Kind = storage.PollReceiver
	if w.Method == methodPush {
		r.Kind = storage.PushReceiver
	}
	record.Address, record.Header, record.Description, record.Requested = w.Endpoint, w.Header, w.Description, w.Requested
	if record.Names = signalsOf(delivered(w.Requested)); len(record.Names) == 0 {
		record.Names = []string{signals.KeysRotated} // of which no stream tells; none of them would be all
	}
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
func (w streamWishes) apply(given requestMembers, replace bool, check func(address string) error) (streamWishes, error) {
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
		if err := json.Unmarshal(raw, &w.Description); err != nil || utf8.RuneCountInString(w.Description) > maxDescription {
			return w, wrongStream("description is no text of at most %d characters", maxDescription)
		}
	}
	if raw, ok := given["delivery"]; ok {
		err := w.deliver(raw, now, replace, check)
		return w, err
	}
	return w, nil
}

// deliver reads how events are to be delivered (section 6.1).
func (w *streamWishes) deliver(raw json.RawMessage, now streamWishes, replace bool, check func(address string) error) error {
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
	if err := check(asked.Endpoint); err != nil {
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
		var said, meant any
		want, err := json.Marshal(ours)
		if err := errors.Join(err, json.Unmarshal(raw, &said), json.Unmarshal(want, &meant)); err != nil {
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

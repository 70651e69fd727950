package signals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Streams are those of the Shared Signals Framework 1.0: an application has at most one, which it
// makes and changes itself. Errors that it may read are a protocol.Error.
type Streams struct {
	Hub    *Hub
	Issuer string

	// PollURL is where streams are fetched.
	PollURL string

	// AllowPrivate is that of the addresses to which events are pushed.
	AllowPrivate bool

	// Sign returns claims as a JWT with this typ; Refresh updates the key.
	Sign    func(typ, alg string, claims []byte) (string, error)
	Refresh func(ctx context.Context)

	// Verified reports whether a user is a member of a group now.
	Verified func(ctx context.Context, userID, group string) (bool, error)
}

// streamID is that of an application's stream: the store has it once.
func streamID(clientID string) string { return "ssf_" + clientID }

// streamOff is why an application cannot enable or remove its stream.
const streamOff = "The operator of this service has switched the stream off."

var (
	errNoStream    = &protocol.Error{Code: protocol.InvalidRequest, Description: "There is no such stream.", Status: http.StatusNotFound}
	errStreamThere = &protocol.Error{Code: protocol.InvalidRequest, Description: "The application has a stream.", Status: http.StatusConflict}
	errStreamOff   = &protocol.Error{Code: protocol.AccessDenied, Description: streamOff, Status: http.StatusForbidden}
	errStreamRaced = &protocol.Error{Code: protocol.InvalidRequest, Description: "The stream was changed meanwhile.", Status: http.StatusConflict}
)

// asProtocol returns an error as its receiver may read it.
func asProtocol(err error) error {
	var wrong streamError
	switch {
	case errors.As(err, &wrong):
		return protocol.Fail(protocol.InvalidRequest, "In the request "+wrong.says+".")
	case errors.Is(err, signals.ErrNotFound):
		return errNoStream
	case errors.Is(err, storage.ErrConflict):
		return errStreamThere
	case errors.Is(err, signals.ErrStopped):
		return errStreamOff
	case errors.Is(err, audit.ErrChanged):
		return errStreamRaced
	}
	return err
}

// own returns the stream of an application, if that is the one that is named.
func (s *Streams) own(ctx context.Context, clientID, id string) (storage.Receiver, Record, error) {
	if id != streamID(clientID) {
		return storage.Receiver{}, Record{}, signals.ErrNotFound
	}
	return s.Hub.find(ctx, id)
}

// Create makes the stream of an application (SSF 1.0 section 8.1.1.1).
func (s *Streams) Create(ctx context.Context, clientID string, body []byte) (any, error) {
	given, err := members(body)
	if err != nil {
		return nil, asProtocol(err)
	}
	wishes, err := streamWishes{}.apply(given, true, s.AllowPrivate)
	if err != nil {
		return nil, asProtocol(err)
	}
	r := storage.Receiver{ID: streamID(clientID), ClientID: clientID, State: storage.ReceiverEnabled, CreatedAt: s.Hub.Clock()}
	record := Record{}
	wishes.into(&r, &record)
	if err := s.Hub.saveWith(ctx, r, record, "added"); err != nil {
		return nil, asProtocol(err)
	}
	return s.configuration(r, record), nil
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

// wishesOf are those of a stream.
func wishesOf(r storage.Receiver, record Record) streamWishes {
	w := streamWishes{Requested: record.Requested, Description: record.Description, Method: methodPoll}
	if r.Kind == storage.PushReceiver {
		w.Method, w.Endpoint, w.Header = methodPush, record.Address, record.Header
	}
	return w
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

// List returns the streams of an application (section 8.1.1.2).
func (s *Streams) List(ctx context.Context, clientID string) (any, error) {
	r, record, err := s.own(ctx, clientID, streamID(clientID))
	switch {
	case errors.Is(err, signals.ErrNotFound):
		return []streamConfiguration{}, nil
	case err != nil:
		return nil, err
	}
	return []streamConfiguration{s.configuration(r, record)}, nil
}

// Read returns one.
func (s *Streams) Read(ctx context.Context, clientID, id string) (any, error) {
	r, record, err := s.own(ctx, clientID, id)
	if err != nil {
		return nil, asProtocol(err)
	}
	return s.configuration(r, record), nil
}

// named returns the members of a request about a stream, and the stream.
func (s *Streams) named(ctx context.Context, clientID string, body []byte) (given requestMembers, r storage.Receiver, record Record, err error) {
	if given, err = members(body); err != nil {
		return given, r, record, err
	}
	id, err := text(given, "stream_id", maxEventType)
	if err == nil && id == "" {
		err = streamError{"stream_id is missing"}
	}
	if err == nil {
		r, record, err = s.own(ctx, clientID, id)
	}
	return given, r, record, err
}

// Change changes a stream, or replaces it (sections 8.1.1.3 and 8.1.1.4).
func (s *Streams) Change(ctx context.Context, clientID string, body []byte, replace bool) (any, error) {
	given, r, record, err := s.named(ctx, clientID, body)
	if err != nil {
		return nil, asProtocol(err)
	}
	if err := s.configuration(r, record).agrees(given); err != nil {
		return nil, asProtocol(err)
	}
	wishes, err := wishesOf(r, record).apply(given, replace, s.AllowPrivate)
	if err != nil {
		return nil, asProtocol(err)
	}
	wishes.into(&r, &record)
	if err := s.Hub.saveWith(ctx, r, record, "changed"); err != nil {
		return nil, asProtocol(err)
	}
	return s.configuration(r, record), nil
}

// Delete removes a stream (section 8.1.1.5).
func (s *Streams) Delete(ctx context.Context, clientID, id string) error {
	if _, _, err := s.own(ctx, clientID, id); err != nil {
		return asProtocol(err)
	}
	return asProtocol(s.Hub.Delete(ctx, id))
}

// streamStatus is whether events are sent (section 8.1.2).
type streamStatus struct {
	ID     string `json:"stream_id"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// Status returns it.
func (s *Streams) Status(ctx context.Context, clientID, id string) (any, error) {
	r, record, err := s.own(ctx, clientID, id)
	if err != nil {
		return nil, asProtocol(err)
	}
	if record.Stopped {
		record.Reason = streamOff
	}
	return streamStatus{r.ID, string(r.State), record.Reason}, nil
}

// states are the words for it.
var states = []storage.ReceiverState{storage.ReceiverEnabled, storage.ReceiverPaused, storage.ReceiverDisabled}

// SetStatus changes it (section 8.1.2.2), unless the staff has switched the stream off.
func (s *Streams) SetStatus(ctx context.Context, clientID string, body []byte) (any, error) {
	given, r, record, err := s.named(ctx, clientID, body)
	if err != nil {
		return nil, asProtocol(err)
	}
	status, err := text(given, "status", maxEventType)
	if err == nil && !slices.Contains(states, storage.ReceiverState(status)) {
		err = streamError{"status is not enabled, paused or disabled"}
	}
	if err == nil {
		record.Reason, err = text(given, "reason", maxEventType)
	}
	if err != nil {
		return nil, asProtocol(err)
	}
	if record.Stopped {
		return nil, errStreamOff
	}
	r.State = storage.ReceiverState(status)
	if err := s.Hub.saveWith(ctx, r, record, "status"); err != nil {
		return nil, asProtocol(err)
	}
	return streamStatus{r.ID, status, record.Reason}, nil
}

// maxState limits what a receiver has echoed, in bytes.
const maxState = 1024

// Verify puts a verification event into a stream (section 8.1.4.2), or returns how long to wait. The
// time of the last is a part of the write: of two requests at once one is too early.
func (s *Streams) Verify(ctx context.Context, clientID string, body []byte) (wait time.Duration, err error) {
	given, r, record, err := s.named(ctx, clientID, body)
	if err != nil {
		return 0, asProtocol(err)
	}
	state, err := text(given, "state", maxState)
	if err != nil {
		return 0, asProtocol(err)
	}
	now := s.Hub.Clock()
	if wait := record.VerifiedAt.Add(verifyAfter * time.Second).Sub(now); wait > 0 {
		return wait, nil
	}
	if r.State == storage.ReceiverDisabled {
		return 0, protocol.Fail(protocol.InvalidRequest, "The stream is disabled.")
	}
	record.VerifiedAt = now
	d, err := s.aboutStream(r, verification, occurrence{State: state}, now)
	if err != nil {
		return 0, err
	}
	err = s.Hub.saveWith(ctx, r, record, "verification", d)
	if errors.Is(err, audit.ErrChanged) {
		return verifyAfter * time.Second, nil
	}
	return 0, asProtocol(err)
}

// aboutStream is a message about a stream itself.
func (s *Streams) aboutStream(r storage.Receiver, uri string, o occurrence, now time.Time) (storage.Delivery, error) {
	number := -now.UnixMicro()
	id := s.Hub.MessageID(r.ID, fmt.Sprint(number))
	body, err := set{Issuer: s.Issuer, ID: id, Audience: r.ClientID, Subject: streamOf(r.ID), Events: map[string]occurrence{uri: o}}.encode()
	return s.Hub.Delivery(r, number, id, uri[len(ssf):], "", now, body), err
}

// Stopping tells a stream that somebody else than its receiver pauses or disables it, before that
// (section 8.1.5). One that does not answer is told no more.
func (s *Streams) Stopping(ctx context.Context, r storage.Receiver, record Record, state storage.ReceiverState) {
	d, err := s.aboutStream(r, streamUpdated, occurrence{Status: string(state)}, s.Hub.Clock())
	if err == nil && r.Kind == storage.PollReceiver {
		err = s.Hub.saveWith(ctx, r, record, "status", d)
	} else if err == nil {
		var kept []byte
		if kept, err = s.Hub.OpenBody(d); err == nil {
			s.Push(ctx, r, record, Message{d.MessageID, kept})
		}
	}
	if err != nil {
		s.Hub.Logger.WarnContext(ctx, "a stream could not be told that it stops", slog.String("receiver", r.ID), slog.Any("error", err))
	}
}

// SET returns the claims of a change for a stream; nil if there is no event for it.
func (s *Streams) SET(c Change, r storage.Receiver, messageID string) []byte {
	uri, o, ok := occurrenceOf(c)
	if !ok {
		return nil
	}
	body, err := set{
		Issuer: s.Issuer, ID: messageID, Audience: r.ClientID, Subject: userOf(s.Issuer, c.Event.Subject),
		Txn:    s.Hub.Vault.Digest(fmt.Sprintf("txn\x00%d\x00%s", c.Event.ID, r.ClientID))[:22],
		Events: map[string]occurrence{uri: o},
	}.encode()
	if err != nil {
		return nil // it has texts and numbers
	}
	return body
}

// token returns what was kept of a message as it is sent now.
func (s *Streams) token(ctx context.Context, kept []byte) (string, error) {
	claims, err := opened(kept)
	if err != nil {
		return "", err
	}
	status := claims.statuses()
	for i := range status {
		if status[i].Verified, err = s.Verified(ctx, claims.Subject.Subject, status[i].Group); err != nil {
			return "", err
		}
	}
	claims.IssuedAt = s.Hub.Clock().Unix()
	body, err := claims.encode()
	if err != nil {
		return "", err
	}
	s.Refresh(ctx)
	return s.Sign(keyring.TypeSecurityEvent, keyring.RS256, body)
}

// Push sends a message to a stream (RFC 8935 section 2.1).
func (s *Streams) Push(ctx context.Context, _ storage.Receiver, record Record, m Message) Outcome {
	token, err := s.token(ctx, m.Body)
	if err != nil {
		return Outcome{Result: Unreached, Answer: "the message cannot be signed yet"}
	}
	header := http.Header{"Content-Type": {mediaSET}, "Accept": {"application/json"}}
	if record.Header != "" {
		header.Set("Authorization", record.Header)
	}
	a, err := s.Hub.Outbound.Post(ctx, record.Address, header, []byte(token))
	if err == nil && refused(a.Status, a.Body) {
		return Outcome{Result: Dead, Answer: answerOf(a)}
	}
	return s.Hub.outcome(a, err)
}

// Poll acknowledges what was fetched, and returns what waits (RFC 8936 section 2).
func (s *Streams) Poll(ctx context.Context, clientID string, body []byte) (any, error) {
	r, _, err := s.own(ctx, clientID, streamID(clientID))
	if err == nil && r.Kind != storage.PollReceiver {
		err = signals.ErrNotFound
	}
	if err != nil {
		return nil, asProtocol(err)
	}
	p, err := readPoll(body)
	if err != nil {
		return nil, asProtocol(streamError{err.Error()})
	}
	if err := s.acknowledge(ctx, r.ID, p); err != nil {
		return nil, err
	}
	answer := polled{Sets: map[string]string{}}
	waiting, err := s.Hub.Store.Deliveries(ctx, storage.DeliveryFilter{ReceiverID: r.ID, State: storage.DeliveryWaiting, Limit: p.limit() + 1})
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	if r.State != storage.ReceiverEnabled { // it is told that, and nothing else
		waiting = slices.DeleteFunc(waiting, func(d storage.Delivery) bool { return d.Name != streamUpdated[len(ssf):] })
	}
	answer.More = len(waiting) > p.limit()
	for _, d := range waiting[:min(len(waiting), p.limit())] {
		kept, err := s.Hub.OpenBody(d)
		if err != nil {
			return nil, err
		}
		if answer.Sets[d.MessageID], err = s.token(ctx, kept); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// acknowledge ends what a receiver has taken, and what it will not.
func (s *Streams) acknowledge(ctx context.Context, id string, p pollRequest) error {
	now := s.Hub.AgreedTime()
	if len(p.Acked) > 0 {
		if _, err := s.Hub.Store.Acknowledge(ctx, id, p.Acked, "", now); err != nil {
			return fmt.Errorf("acknowledge messages: %w", err)
		}
	}
	because := map[string][]string{}
	for message, e := range p.Errors {
		because[e.text()] = append(because[e.text()], message)
	}
	for answer, messages := range because {
		if _, err := s.Hub.Store.Acknowledge(ctx, id, messages, answer, now); err != nil {
			return fmt.Errorf("end messages: %w", err)
		}
	}
	return nil
}

package signals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Streams are those of the Shared Signals Framework 1.0: an application has at most one, which it
// makes and changes itself.
type Streams struct {
	Hub    *Hub
	Issuer string

	// PollURL is where streams are fetched.
	PollURL string

	// Sign returns claims as a JWT with this typ; Refresh updates the key.
	Sign    func(typ, alg string, claims []byte) (string, error)
	Refresh func(ctx context.Context)

	// Verified reports whether a user is a member of a group now.
	Verified func(ctx context.Context, userID, group string) (bool, error)
}

// The paths of the endpoints of streams.
const (
	StreamPath = "/ssf/stream"
	StatusPath = "/ssf/status"
	VerifyPath = "/ssf/verify"
	PollPath   = "/ssf/poll"
)

// Request is one of an application about its stream.
type Request struct {
	ClientID string

	// Named has the stream that the address of a request without a body names, if any.
	Named []string
	Body  []byte
}

// Endpoint answers the requests with a method at a path, which need a token with a scope.
type Endpoint struct {
	Method, Path, Scope string

	// Status is that of an answer; 204 has no other. An error is a protocol.Error or TooSoon where the
	// application may read it.
	Status int
	Answer func(ctx context.Context, asked Request) (any, error)
}

// Endpoints are those of streams (SSF 1.0 section 8.1, RFC 8936).
func (s *Streams) Endpoints() []Endpoint {
	const read, manage = protocol.ScopeSignalsRead, protocol.ScopeSignalsManage
	edits := func(replace bool) func(context.Context, Request) (any, error) {
		return func(ctx context.Context, asked Request) (any, error) { return s.edit(ctx, asked, replace) }
	}
	all := []Endpoint{
		{http.MethodPost, StreamPath, manage, http.StatusCreated, s.create},
		{http.MethodGet, StreamPath, read, http.StatusOK, s.read},
		{http.MethodPatch, StreamPath, manage, http.StatusOK, edits(false)},
		{http.MethodPut, StreamPath, manage, http.StatusOK, edits(true)},
		{http.MethodDelete, StreamPath, manage, http.StatusNoContent, s.remove},
		{http.MethodGet, StatusPath, read, http.StatusOK, s.status},
		{http.MethodPost, StatusPath, manage, http.StatusOK, s.setStatus},
		{http.MethodPost, VerifyPath, manage, http.StatusNoContent, s.verify},
		{http.MethodPost, PollPath, read, http.StatusOK, s.poll},
	}
	for i, e := range all {
		all[i].Answer = func(ctx context.Context, asked Request) (any, error) {
			answer, err := e.Answer(ctx, asked)
			return answer, asProtocol(err)
		}
	}
	return all
}

// streamID is that of an application's stream: the store has it once.
func streamID(clientID string) string { return "ssf_" + clientID }

// streamOff is why an application cannot enable or remove its stream.
const streamOff = "The operator of this service has switched the stream off."

// streamErrors are the errors that an application may read.
var streamErrors = []struct {
	err    error
	answer *protocol.Error
}{
	{signals.ErrNotFound, &protocol.Error{Code: protocol.InvalidRequest, Description: "There is no such stream.", Status: http.StatusNotFound}},
	{storage.ErrConflict, &protocol.Error{Code: protocol.InvalidRequest, Description: "The application has a stream.", Status: http.StatusConflict}},
	{signals.ErrStopped, &protocol.Error{Code: protocol.AccessDenied, Description: streamOff, Status: http.StatusForbidden}},
	{audit.ErrChanged, &protocol.Error{Code: protocol.InvalidRequest, Description: "The stream was changed meanwhile.", Status: http.StatusConflict}},
	{errReview, &protocol.Error{
		Code: protocol.AccessDenied, Status: http.StatusForbidden,
		Description: "The operator of this service has to agree to the host of endpoint_url first. Try again later, or poll.",
	}},
}

// asProtocol returns an error as its receiver may read it.
func asProtocol(err error) error {
	var wrong streamError
	if errors.As(err, &wrong) {
		return protocol.Fail(protocol.InvalidRequest, "In the request "+wrong.says+".")
	}
	for _, known := range streamErrors {
		if errors.Is(err, known.err) {
			return known.answer
		}
	}
	return err
}

// TooSoon is the error of a verification that has to wait.
type TooSoon struct{ Wait time.Duration }

func (e TooSoon) Error() string { return "signals: a verification was asked for a moment ago" }

// own returns the stream of an application, if that is the one that is named.
func (s *Streams) own(ctx context.Context, clientID, id string) (storage.Receiver, Record, error) {
	if id != streamID(clientID) {
		return storage.Receiver{}, Record{}, signals.ErrNotFound
	}
	return s.Hub.find(ctx, id)
}

// addressed returns the stream that the address of a request names.
func (s *Streams) addressed(ctx context.Context, asked Request) (storage.Receiver, Record, error) {
	if len(asked.Named) == 0 {
		return storage.Receiver{}, Record{}, protocol.Fail(protocol.InvalidRequest, "The parameter stream_id is missing.")
	}
	return s.own(ctx, asked.ClientID, asked.Named[0])
}

// named returns the members of a request about a stream, and the stream.
func (s *Streams) named(ctx context.Context, asked Request) (given requestMembers, r storage.Receiver, record Record, err error) {
	if given, err = members(asked.Body); err != nil {
		return given, r, record, err
	}
	id, err := text(given, "stream_id", maxEventType)
	if err == nil && id == "" {
		err = streamError{"stream_id is missing"}
	}
	if err == nil {
		r, record, err = s.own(ctx, asked.ClientID, id)
	}
	return given, r, record, err
}

// create makes the stream of an application (SSF 1.0 section 8.1.1.1).
func (s *Streams) create(ctx context.Context, asked Request) (any, error) {
	given, err := members(asked.Body)
	if err != nil {
		return nil, err
	}
	r := storage.Receiver{ID: streamID(asked.ClientID), ClientID: asked.ClientID, State: storage.ReceiverEnabled, CreatedAt: s.Hub.Clock()}
	return s.save(ctx, r, Record{}, given, true, "added")
}

// edit changes what a request names of a stream (section 8.1.1.3), or replaces all (section 8.1.1.4).
func (s *Streams) edit(ctx context.Context, asked Request, replace bool) (any, error) {
	given, r, record, err := s.named(ctx, asked)
	if err == nil {
		err = s.configuration(r, record).agrees(given)
	}
	if err != nil {
		return nil, err
	}
	return s.save(ctx, r, record, given, replace, "changed")
}

// save saves a stream with the wishes of a request. Events are pushed to no new host that an operator
// would have to agree to.
func (s *Streams) save(ctx context.Context, r storage.Receiver, record Record, given requestMembers, replace bool, done string) (any, error) {
	wishes, err := wishesOf(r, record).apply(given, replace, s.Hub.CheckAddress)
	if err == nil && wishes.Endpoint != "" && wishes.Endpoint != record.Address {
		err = s.Hub.review(ctx, r.ClientID, wishes.Endpoint)
	}
	if err != nil {
		return nil, err
	}
	wishes.into(&r, &record)
	if err := s.Hub.save(ctx, r, record, done); err != nil {
		return nil, err
	}
	return s.configuration(r, record), nil
}

// read returns a stream, or lists those of an application if none is named (section 8.1.1.2).
func (s *Streams) read(ctx context.Context, asked Request) (any, error) {
	if len(asked.Named) > 0 {
		r, record, err := s.addressed(ctx, asked)
		return s.configuration(r, record), err
	}
	r, record, err := s.own(ctx, asked.ClientID, streamID(asked.ClientID))
	if errors.Is(err, signals.ErrNotFound) {
		return []streamConfiguration{}, nil
	}
	return []streamConfiguration{s.configuration(r, record)}, err
}

// remove removes a stream (section 8.1.1.5).
func (s *Streams) remove(ctx context.Context, asked Request) (any, error) {
	r, _, err := s.addressed(ctx, asked)
	if err == nil {
		err = s.Hub.Delete(ctx, r.ID)
	}
	return nil, err
}

// streamStatus is whether events are sent (section 8.1.2).
type streamStatus struct {
	ID     string `json:"stream_id"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// status returns it.
func (s *Streams) status(ctx context.Context, asked Request) (any, error) {
	r, record, err := s.addressed(ctx, asked)
	if record.Stopped {
		record.Reason = streamOff
	}
	return streamStatus{r.ID, string(r.State), record.Reason}, err
}

// states are the words for it.
var states = []storage.ReceiverState{storage.ReceiverEnabled, storage.ReceiverPaused, storage.ReceiverDisabled}

// setStatus changes it (section 8.1.2.2), unless the staff has switched the stream off.
func (s *Streams) setStatus(ctx context.Context, asked Request) (any, error) {
	given, r, record, err := s.named(ctx, asked)
	if err != nil {
		return nil, err
	}
	status, err := text(given, "status", maxEventType)
	if err == nil && !slices.Contains(states, storage.ReceiverState(status)) {
		err = streamError{"status is not enabled, paused or disabled"}
	}
	if err == nil {
		record.Reason, err = text(given, "reason", maxEventType)
	}
	if err == nil && record.Stopped {
		err = signals.ErrStopped
	}
	if err == nil {
		r.State = storage.ReceiverState(status)
		err = s.Hub.save(ctx, r, record, "status")
	}
	return streamStatus{r.ID, status, record.Reason}, err
}

// maxState limits what a receiver has echoed, in bytes.
const maxState = 1024

// verify puts a verification event into a stream (section 8.1.4.2). The time of the last is a part of
// the write: of two requests at once one is too early.
func (s *Streams) verify(ctx context.Context, asked Request) (any, error) {
	given, r, record, err := s.named(ctx, asked)
	if err != nil {
		return nil, err
	}
	state, err := text(given, "state", maxState)
	if err != nil {
		return nil, err
	}
	now := s.Hub.Clock()
	if wait := record.VerifiedAt.Add(verifyAfter * time.Second).Sub(now); wait > 0 {
		return nil, TooSoon{wait}
	}
	if r.State == storage.ReceiverDisabled {
		return nil, protocol.Fail(protocol.InvalidRequest, "The stream is disabled.")
	}
	record.VerifiedAt = now
	err = s.Hub.save(ctx, r, record, "verification", s.aboutStream(r, verification, occurrence{State: state}))
	if errors.Is(err, audit.ErrChanged) {
		err = TooSoon{verifyAfter * time.Second}
	}
	return nil, err
}

// poll acknowledges what was fetched, and returns what waits (RFC 8936 section 2).
func (s *Streams) poll(ctx context.Context, asked Request) (any, error) {
	r, _, err := s.own(ctx, asked.ClientID, streamID(asked.ClientID))
	if err == nil && r.Kind != storage.PollReceiver {
		err = signals.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	p, err := readPoll(asked.Body)
	if err != nil {
		return nil, err
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
	lost := pollRequest{Errors: map[string]pollError{}}
	for _, d := range waiting[:min(len(waiting), p.limit())] {
		kept, err := s.Hub.OpenBody(d)
		if err != nil && !errors.Is(err, storage.ErrUnavailable) { // it holds up no other, as where it is pushed
			lost.Errors[d.MessageID] = pollError{Description: unreadable}
			continue
		}
		if err != nil {
			return nil, err
		}
		if answer.Sets[d.MessageID], err = s.token(ctx, kept); err != nil {
			return nil, err
		}
	}
	return answer, s.acknowledge(ctx, r.ID, lost)
}

// acknowledge ends what a receiver has taken, and what it will not.
func (s *Streams) acknowledge(ctx context.Context, id string, p pollRequest) error {
	because := map[string][]string{"": p.Acked}
	for message, e := range p.Errors {
		because[e.text()] = append(because[e.text()], message)
	}
	for _, answer := range slices.Sorted(maps.Keys(because)) {
		if len(because[answer]) == 0 {
			continue
		}
		if _, err := s.Hub.Store.Acknowledge(ctx, id, because[answer], answer, s.Hub.AgreedTime()); err != nil {
			return fmt.Errorf("acknowledge messages: %w", err)
		}
	}
	return nil
}

package signals

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/bonafide-id/bonafide/storage"
)

// mediaSET is the media type of a SET that is pushed (RFC 8935 section 2).
const mediaSET = "application/secevent+jwt"

// push sends a message to a stream (RFC 8935 section 2.1).
func (s *Streams) push(ctx context.Context, record Record, m Message) Outcome {
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

// refused reports whether a receiver says that it will never take a SET (RFC 8935 section 2.3): the same
// one is refused again, so that another attempt is of no use. An answer of another form is judged by
// its status, as that of a webhook.
func refused(status int, body []byte) bool {
	var said pollError
	return status == http.StatusBadRequest && json.Unmarshal(body, &said) == nil && said.Code != ""
}

// stopping tells a stream that somebody else than its receiver pauses or disables it, before that (SSF
// 1.0 section 8.1.5). One that does not answer is told no more.
func (s *Streams) stopping(ctx context.Context, r storage.Receiver, record Record, state storage.ReceiverState) {
	d := s.aboutStream(r, streamUpdated, occurrence{Status: string(state)})
	var err error
	if r.Kind == storage.PollReceiver {
		err = s.Hub.save(ctx, r, record, "status", d)
	} else {
		var kept []byte
		if kept, err = s.Hub.OpenBody(d); err == nil {
			s.push(ctx, record, Message{d.MessageID, kept})
		}
	}
	if err != nil {
		s.Hub.Logger.WarnContext(ctx, "a stream could not be told that it stops", slog.String("receiver", r.ID), slog.Any("error", err))
	}
}

package signals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// messagesAtOnce is how many messages of a receiver are read for a turn, and lanesAtOnce how many
	// are sent to it beside each other: those about one subject one after the other.
	messagesAtOnce = 64
	lanesAtOnce    = 8

	// maxAttempts is after how many failed turns in a row a receiver is disabled; who looks after it is
	// told then, and after tellAttempts.
	tellAttempts = 5
	maxAttempts  = 10
)

// pauses follow each failed turn, give or take a fifth.
var pauses = [maxAttempts - 1]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// mostWait is the longest pause that a receiver can ask for.
const mostWait = 24 * time.Hour

// tries are the pauses before a refused message is sent again, in its turn; each counts from the try before.
var tries = []time.Duration{time.Second, 4 * time.Second}

// send begins the turns of receivers that are due.
func (h *Hub) send(ctx context.Context) error {
	free := min(cap(h.room)-len(h.room), takeAtOnce)
	if free <= 0 {
		return nil
	}
	now := h.AgreedTime()
	taken, err := h.Store.TakeReceivers(ctx, now, now.Add(turnLife), free)
	if err != nil {
		return fmt.Errorf("take receivers: %w", err)
	}
	for _, r := range taken {
		h.room <- struct{}{}
		h.turns.Go(func() {
			defer h.Ring() // more may be due
			defer func() { <-h.room }()
			if err := h.turn(ctx, r); err != nil && !errors.Is(err, storage.ErrChanged) && ctx.Err() == nil {
				h.Logger.ErrorContext(ctx, "the turn of a receiver of signals has failed; will retry", slog.String("receiver", r.ID), slog.Any("error", err))
			}
		})
	}
	return nil
}

// turn sends what waits for a receiver, and settles.
func (h *Hub) turn(ctx context.Context, r storage.Receiver) error {
	record, err := h.Open(r)
	if err != nil {
		return err
	}
	match := storage.DeliveryFilter{ReceiverID: r.ID, State: storage.DeliveryWaiting, Limit: messagesAtOnce}
	if r.State == storage.ReceiverUnverified { // nobody knows yet whose the address is
		match.Name = storage.Ping
	}
	waiting, err := h.Store.Deliveries(ctx, match)
	if err != nil {
		return fmt.Errorf("read messages: %w", err)
	}
	for _, d := range waiting {
		if _, err := h.OpenBody(d); errors.Is(err, storage.ErrUnavailable) {
			return err // one that nobody can read now is not dead
		}
	}
	t := &turn{hub: h, receiver: r, record: record, end: time.Now().Add(lastCall)}
	t.run(ctx, waiting)
	return t.settle(ctx)
}

// turn is that of one receiver.
type turn struct {
	hub      *Hub
	receiver storage.Receiver
	record   Record
	end      time.Time

	mu    sync.Mutex
	ended []storage.Delivery
	// failed is the outcome of the first attempt that has not reached the receiver.
	failed *Outcome
}

// run sends messages, those of a lane one after the other. A receiver that was not reached gets one
// alone first.
func (t *turn) run(ctx context.Context, waiting []storage.Delivery) {
	if t.receiver.Attempts > 0 && len(waiting) > 0 {
		if !t.deliver(ctx, waiting[0]) {
			return
		}
		waiting = waiting[1:]
	}
	var lanes [][]storage.Delivery
	place := map[int]int{}
	for _, d := range waiting {
		i, known := place[d.Lane]
		if !known {
			i = len(lanes)
			place[d.Lane], lanes = i, append(lanes, nil)
		}
		lanes[i] = append(lanes[i], d)
	}
	var all sync.WaitGroup
	next := make(chan []storage.Delivery)
	for range min(lanesAtOnce, len(lanes)) {
		all.Go(func() {
			for lane := range next {
				for _, d := range lane {
					if !t.deliver(ctx, d) {
						break
					}
				}
			}
		})
	}
	for _, lane := range lanes {
		next <- lane
	}
	close(next)
	all.Wait()
}

// unreadable is why a message is dead that nobody can send.
const unreadable = "cannot be decrypted"

// deliver sends a message, and reports whether the next one of its lane may follow.
func (t *turn) deliver(ctx context.Context, d storage.Delivery) bool {
	body, err := t.hub.OpenBody(d)
	if err != nil {
		t.note(d, storage.DeliveryDead, unreadable)
		return true
	}
	for try := 0; t.goesOn(ctx); try++ {
		begun := t.hub.Clock()
		o := t.attempt(ctx, Message{d.MessageID, body})
		switch {
		case ctx.Err() != nil:
			return false
		case o.Result == Done:
			t.note(d, storage.DeliveryDone, o.Answer)
			return true
		case o.Result == Dead, o.Result == Refused && try == len(tries):
			t.note(d, storage.DeliveryDead, o.Answer)
			return true
		case o.Result == Refused:
			wait(ctx, nil, min(tries[try], begun.Add(tries[try]).Sub(t.hub.Clock()))) // whose clock may be set back
		default:
			t.fail(d, o)
			return false
		}
	}
	return false
}

// goesOn reports whether another call may begin.
func (t *turn) goesOn(ctx context.Context) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ctx.Err() == nil && t.failed == nil && time.Now().Before(t.end)
}

func (t *turn) attempt(ctx context.Context, m Message) Outcome {
	switch {
	case t.receiver.Kind != storage.PushReceiver:
		return t.hub.outcome(t.hub.Outbound.Post(ctx, t.record.Address, t.record.signed(m.ID, t.hub.Clock(), m.Body), m.Body))
	case t.hub.Streams == nil:
		return Outcome{Result: Unreached}
	default:
		return t.hub.Streams.push(ctx, t.record, m)
	}
}

func (t *turn) note(d storage.Delivery, state storage.DeliveryState, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d.State, d.Answer = state, answer
	t.ended = append(t.ended, d)
}

func (t *turn) fail(d storage.Delivery, o Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = &o
	}
	d.State, d.Answer = storage.DeliveryWaiting, o.Answer
	t.ended = append(t.ended, d)
}

// settle records the turn, even if Run has ended.
func (t *turn) settle(ctx context.Context) error {
	h, r := t.hub, t.receiver
	now := h.AgreedTime()
	for i := range t.ended { // at one time: most are one statement then
		if t.ended[i].State != storage.DeliveryWaiting {
			t.ended[i].EndedAt = now
		}
	}
	tell := false
	switch {
	case t.failed != nil:
		if r.FailingSince.IsZero() {
			r.FailingSince = now
		}
		r.Attempts++
		tell = r.Attempts == tellAttempts
		if t.failed.Result == Gone || r.Attempts >= maxAttempts {
			r.State, tell = storage.ReceiverDisabled, true
			break
		}
		r.NextAt = now.Add(max(jitter(pauses[r.Attempts-1]), min(t.failed.Wait, mostWait)))
	default:
		r.NextAt = time.Time{}
		if len(t.ended) > 0 {
			r.Attempts, r.FailingSince = 0, time.Time{}
		}
		if slices.ContainsFunc(t.ended, func(d storage.Delivery) bool { return d.State == storage.DeliveryDone && d.Name == signals.Ping }) {
			r.State = storage.ReceiverEnabled
		}
	}
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	if err := h.Store.Settle(settling, r, t.ended); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	if tell {
		h.Logger.WarnContext(settling, "a receiver of signals does not answer", slog.String("receiver", r.ID), slog.String("client", r.ClientID),
			slog.String("state", string(r.State)), slog.Int("attempts", r.Attempts))
		h.tell(settling, r, t.record)
	}
	return nil
}

// jitter returns a pause, give or take a fifth.
func jitter(pause time.Duration) time.Duration {
	return pause - pause/5 + rand.N(cmp.Or(2*pause/5, 1)) //nolint:gosec // it spreads calls, and is no secret
}

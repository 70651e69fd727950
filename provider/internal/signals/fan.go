package signals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	// readAtOnce is how many events are read together, and addAtOnce how many messages are added by
	// one step, which others wait for.
	readAtOnce = 500
	addAtOnce  = 500

	// askAtOnce is how many subjects or clients one query is about, and how many receivers it returns.
	askAtOnce = 100

	// reader is whose mark it is.
	reader = "signals"
)

// fan puts messages about new events beside their receivers, and reports whether there may be more.
// Without receivers it reads nothing.
func (h *Hub) fan(ctx context.Context) (more bool, err error) {
	mark, err := h.mark(ctx)
	if mark == nil || err != nil {
		return false, err
	}
	events, next, err := h.Store.EventsAfter(ctx, *mark, readAtOnce)
	switch {
	case errors.Is(err, storage.ErrEnded):
		h.Logger.ErrorContext(ctx, "events were removed before receivers have heard of them: nobody has read them for a month")
		return true, h.move(ctx, *mark, next, nil)
	case err != nil || next == *mark:
		return false, err
	}
	deliveries, err := h.route(ctx, events)
	if err != nil {
		return false, err
	}
	return len(events) == readAtOnce, h.move(ctx, *mark, next, deliveries)
}

// mark returns the mark if it belongs to this process, or nil.
func (h *Hub) mark(ctx context.Context) (*storage.Mark, error) {
	now := h.AgreedTime()
	if h.held != nil && now.Before(h.held.Until.Add(-markLife/2)) {
		return h.held, nil
	}
	h.held = nil
	if some, err := h.Store.Receivers(ctx, storage.ReceiverFilter{Limit: 1}); err != nil || len(some) == 0 {
		return nil, err
	}
	mark, err := h.Store.TakeMark(ctx, reader, h.holder, now, now.Add(markLife))
	if errors.Is(err, storage.ErrConflict) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take mark: %w", err)
	}
	h.held = &mark
	return h.held, nil
}

// move adds deliveries, a part at a time, and moves the mark with the last. What was added before a
// process ended is left out when it is added again.
func (h *Hub) move(ctx context.Context, from, to storage.Mark, deliveries []storage.Delivery) error {
	h.held = nil
	to.Until = h.AgreedTime().Add(markLife)
	for len(deliveries) > addAtOnce {
		if err := h.Store.MoveMark(ctx, from, from, deliveries[:addAtOnce]); err != nil {
			return fmt.Errorf("add messages: %w", err)
		}
		deliveries = deliveries[addAtOnce:]
	}
	err := h.Store.MoveMark(ctx, from, to, deliveries)
	if errors.Is(err, storage.ErrChanged) { // another process reads
		return nil
	}
	if err != nil {
		return fmt.Errorf("move mark: %w", err)
	}
	h.held = &to
	return nil
}

// heard is a receiver that can be told.
type heard struct {
	storage.Receiver
	Record
}

// listening are receivers by their client; the host's own have none.
type listening map[string][]heard

// listening reads the receivers that may hear of changes, and no others: a provider may have many.
// They are read after the events, so that whoever was there before one is told.
func (h *Hub) listening(ctx context.Context, changes []Change, allowed map[string][]storage.Listener) (listening, error) {
	all := listening{}
	if slices.ContainsFunc(changes, Change.isOfAll) {
		err := h.listen(ctx, all, storage.ReceiverFilter{})
		return all, err
	}
	var clients []string
	for _, c := range changes {
		clients = append(clients, c.clients(allowed)...)
	}
	slices.Sort(clients)
	err := h.listen(ctx, all, storage.ReceiverFilter{OfHost: true})
	for chunk := range slices.Chunk(slices.Compact(clients), askAtOnce) {
		if err == nil {
			err = h.listen(ctx, all, storage.ReceiverFilter{ClientIDs: chunk})
		}
	}
	return all, err
}

// listen adds the receivers of a filter, those that are told nothing left out.
func (h *Hub) listen(ctx context.Context, all listening, match storage.ReceiverFilter) error {
	match.Limit = askAtOnce
	for more := true; more; {
		page, err := h.Store.Receivers(ctx, match)
		if err != nil {
			return fmt.Errorf("read receivers: %w", err)
		}
		for _, r := range page {
			match.AfterID = r.ID
			if r.State != storage.ReceiverEnabled && r.State != storage.ReceiverPaused || !h.isMeant(r) {
				continue
			}
			record, err := h.Open(r)
			switch {
			case errors.Is(err, storage.ErrUnavailable):
				return err
			case err != nil:
				h.Logger.ErrorContext(ctx, "a receiver of signals is told nothing", "receiver", r.ID, "error", err)
			default:
				all[r.ClientID] = append(all[r.ClientID], heard{r, record})
			}
		}
		more = len(page) == askAtOnce
	}
	return nil
}

// isMeant reports whether the Config lets a receiver be told.
func (h *Hub) isMeant(r storage.Receiver) bool {
	if isStream(r) {
		return h.Config.SharedSignals
	}
	return r.ClientID == "" || h.Config.Webhooks
}

// route returns the messages about events.
func (h *Hub) route(ctx context.Context, events []storage.Event) ([]storage.Delivery, error) {
	var changes []Change
	for _, e := range events {
		if c, is := ChangeOf(e); is {
			changes = append(changes, c)
		}
	}
	return h.messages(ctx, changes, func(c Change) (int64, string) { return c.Event.ID, fmt.Sprint(c.Event.ID) })
}

// messages returns those about changes. place returns the number of those about one, and what their IDs
// are made of.
func (h *Hub) messages(ctx context.Context, changes []Change, place func(Change) (number int64, of string)) (deliveries []storage.Delivery, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	allowed, err := h.allowed(ctx, changes)
	if err != nil {
		return nil, err
	}
	all, err := h.listening(ctx, changes, allowed)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		number, of := place(c)
		for _, r := range all.of(c, allowed) {
			if d, is := h.about(c, r, number, of); is && !c.Event.At.Before(r.CreatedAt) {
				deliveries = append(deliveries, d)
			}
		}
	}
	return deliveries, nil
}

// allowed returns whom the subjects of changes have allowed something, by subject. Where only the
// host's own endpoints are told, nobody asks.
func (h *Hub) allowed(ctx context.Context, changes []Change) (map[string][]storage.Listener, error) {
	if !h.Config.Webhooks && !h.Config.SharedSignals {
		return nil, nil
	}
	var subjects []string
	since := changes[0].Event.At
	for _, c := range changes {
		if s := c.Event.Subject; s != "" && !c.isOfClient() {
			subjects = append(subjects, s)
		}
		if c.Event.At.Before(since) {
			since = c.Event.At
		}
	}
	slices.Sort(subjects)
	by := map[string][]storage.Listener{}
	for chunk := range slices.Chunk(slices.Compact(subjects), askAtOnce) {
		found, err := h.Store.Listeners(ctx, chunk, since.Add(-justNow))
		if err != nil {
			return nil, fmt.Errorf("read who may hear: %w", err)
		}
		for _, l := range found {
			by[l.Subject] = append(by[l.Subject], l)
		}
	}
	return by, nil
}

// of returns the receivers that hear of a change, each once.
func (l listening) of(c Change, allowed map[string][]storage.Listener) []heard {
	if c.isOfAll() {
		return slices.Concat(slices.Collect(maps.Values(l))...)
	}
	told := slices.Clone(l[""])
	for _, client := range c.clients(allowed) {
		told = append(told, l[client]...)
	}
	return told
}

// about returns the message about a change to a receiver, unless it has selected others.
func (h *Hub) about(c Change, r heard, number int64, of string) (storage.Delivery, bool) {
	if !r.wants(c.Signal) {
		return storage.Delivery{}, false
	}
	id := h.MessageID(r.ID, of)
	var body []byte
	switch {
	case r.Kind == storage.WebhookReceiver, r.Kind == storage.InboxReceiver:
		body = c.webhook(r.ClientID == "")
	case h.Streams != nil:
		body = h.Streams.set(c, r.Receiver, id)
	}
	if body == nil {
		return storage.Delivery{}, false
	}
	d := h.Delivery(r.Receiver, number, id, c.Signal, c.Event.Subject, c.Event.At, body)
	if r.Kind == storage.InboxReceiver {
		d.State, d.EndedAt = storage.DeliveryDone, c.Event.At
	}
	return d, true
}

// Deleting returns the messages that a deletion causes, to be added in its step: afterwards nobody
// knows whom the user had allowed something. The pseudonym makes them one of a kind.
func (h *Hub) Deleting(ctx context.Context, c Change, pseudonym string) ([]storage.Delivery, error) {
	return h.messages(ctx, []Change{c}, func(Change) (int64, string) { return -number(pseudonym), pseudonym })
}

// number returns a number that no other text is likely to have.
func number(text string) int64 { return int64(lane(text))<<31 | int64(lane(text+"\x00")) }

package signals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

var _ signals.Signals = (*Hub)(nil)

// errOff is the error of verbs without receivers.
var errOff = errors.New("provider: nobody may be told of changes: Config.Signals is off")

// maxDescription is the maximum length of a description, in characters.
const maxDescription = 200

// asReceiver returns a receiver as it is shown.
func asReceiver(r storage.Receiver, record Record, now time.Time) signals.Receiver {
	shown := signals.Receiver{
		ID: r.ID, ClientID: r.ClientID, Kind: string(r.Kind), State: string(r.State), Stopped: record.Stopped, Address: record.Address, Description: record.Description,
		Signals: record.Names, Asymmetric: record.Seed != nil, PublicKey: record.publicKey(), CreatedAt: r.CreatedAt, Revision: r.Revision,
		Attempts: r.Attempts, FailingSince: r.FailingSince, NextAt: r.NextAt, Waiting: r.Waiting, Dead: r.Dead, Oldest: r.Oldest,
	}
	if now.Before(record.FormerUntil) {
		shown.FormerKeyUntil = record.FormerUntil
	}
	return shown
}

// List implements signals.Signals. One that cannot be decrypted is listed without what was.
func (h *Hub) List(ctx context.Context, match storage.ReceiverFilter) ([]signals.Receiver, error) {
	if !h.IsOn() {
		return nil, errOff
	}
	found, err := h.Store.Receivers(ctx, match)
	if err != nil {
		return nil, fmt.Errorf("provider: list receivers: %w", err)
	}
	shown := make([]signals.Receiver, len(found))
	for i, r := range found {
		record, err := h.Open(r)
		if errors.Is(err, storage.ErrUnavailable) {
			return nil, fmt.Errorf("provider: list receivers: %w", err)
		}
		shown[i] = asReceiver(r, record, h.Clock())
	}
	return shown, nil
}

// find returns a receiver and its record.
func (h *Hub) find(ctx context.Context, id string) (storage.Receiver, Record, error) {
	if !h.IsOn() {
		return storage.Receiver{}, Record{}, errOff
	}
	r, err := storage.One(h.Store.Receivers(ctx, storage.ReceiverFilter{ID: id}))
	switch {
	case errors.Is(err, storage.ErrNotFound) || id == "":
		return r, Record{}, signals.ErrNotFound
	case err != nil:
		return r, Record{}, fmt.Errorf("provider: read receiver: %w", err)
	}
	record, err := h.Open(r)
	return r, record, err
}

// Save implements signals.Signals.
func (h *Hub) Save(ctx context.Context, wanted signals.Receiver) (saved signals.Receiver, key string, err error) {
	r, record, key, err := h.saveWanted(ctx, wanted)
	if err != nil {
		return wanted, "", h.PublicError(err)
	}
	return asReceiver(r, record, h.Clock()), key, nil
}

func (h *Hub) saveWanted(ctx context.Context, wanted signals.Receiver) (r storage.Receiver, record Record, key string, err error) {
	if !h.IsOn() {
		return r, record, "", errOff
	}
	done := "added"
	if wanted.ID != "" {
		done = "changed"
		r, record, err = h.find(ctx, wanted.ID)
		if err == nil && wanted.Revision != 0 && wanted.Revision != r.Revision {
			err = audit.ErrChanged
		}
	} else {
		r, record, key = h.begin(wanted)
	}
	if err == nil {
		err = h.check(r, record, wanted)
	}
	if err == nil {
		r, record, err = h.stopping(ctx, r, record, storage.ReceiverState(wanted.State))
	}
	if err != nil {
		return r, record, "", err
	}
	switch {
	case wanted.Stopped && !record.Stopped:
		done = "switched off"
	case record.Stopped && !wanted.Stopped:
		done = "switched on"
	}
	var pings []storage.Delivery
	if become(&r, record, wanted) {
		pings = append(pings, h.ping(r))
	}
	record.Stopped, record.Description, record.Names = wanted.Stopped, wanted.Description, wanted.Signals
	if r.Kind == storage.WebhookReceiver {
		record.Address = wanted.Address
		if wanted.Asymmetric != (record.Seed != nil) {
			record.setSeed(wanted.Asymmetric)
		}
	}
	if err := h.save(ctx, r, record, done, pings...); err != nil {
		return r, record, "", err
	}
	if done == "switched off" {
		h.tell(ctx, r, record)
	}
	r, record, err = h.find(ctx, r.ID)
	return r, record, key, err
}

// begin returns a new receiver, with the key of a webhook.
func (h *Hub) begin(wanted signals.Receiver) (r storage.Receiver, record Record, key string) {
	r = storage.Receiver{
		ID: "rcv_" + random.Text(15), ClientID: wanted.ClientID, CreatedAt: h.Clock(),
		Kind: storage.ReceiverKind(cmp.Or(wanted.Kind, string(storage.WebhookReceiver))),
	}
	if r.Kind == storage.WebhookReceiver {
		r.ID = h.webhookID(wanted.ClientID, wanted.Address)
		key = record.NewKeys(r.CreatedAt, wanted.Asymmetric)
	}
	return r, record, key
}

// stopping tells a stream that it is paused or disabled by another than its application, and returns it
// as it is then: enabled, or somebody else was faster.
func (h *Hub) stopping(ctx context.Context, r storage.Receiver, record Record, state storage.ReceiverState) (storage.Receiver, Record, error) {
	stops := state == storage.ReceiverPaused || state == storage.ReceiverDisabled
	if h.Streams == nil || !isStream(r) || r.State != storage.ReceiverEnabled || !stops {
		return r, record, nil
	}
	h.Streams.stopping(ctx, r, record, state)
	r, record, err := h.find(ctx, r.ID)
	if err == nil && r.State != storage.ReceiverEnabled {
		err = audit.ErrChanged
	}
	return r, record, err
}

// webhookID is that of the webhook of an application with an address: the store has it once, so that no
// other takes the place of one that is stopped.
func (h *Hub) webhookID(clientID, address string) string {
	return "rcv_" + h.Vault.Digest("receiver\x00" + clientID + "\x00" + address)[:20]
}

// isStream reports whether an application manages a receiver itself.
func isStream(r storage.Receiver) bool {
	return r.Kind == storage.PushReceiver || r.Kind == storage.PollReceiver
}

// become gives a receiver the state that is wanted, and reports whether it gets a ping: a webhook that
// is new, elsewhere, or back has to answer one first.
func become(r *storage.Receiver, record Record, wanted signals.Receiver) (ping bool) {
	state, former := storage.ReceiverState(wanted.State), r.State
	isNew := former == "" || record.Address != wanted.Address || former == storage.ReceiverDisabled && state == storage.ReceiverEnabled
	switch {
	case wanted.Stopped, state == storage.ReceiverDisabled:
		r.State = storage.ReceiverDisabled
	case r.Kind != storage.WebhookReceiver, r.ClientID == "": // which the host vouches for
		r.State = cmp.Or(state, former, storage.ReceiverEnabled)
	case isNew || former == storage.ReceiverUnverified:
		r.State = storage.ReceiverUnverified
		return isNew && state != storage.ReceiverUnverified
	case state != "":
		r.State = state
	}
	return false
}

// check returns an error for the first invalid field. A stream is made by its application, and an
// endpoint of the host's by the Config: they are only switched here.
func (h *Hub) check(r storage.Receiver, record Record, wanted signals.Receiver) error {
	isNew := wanted.ID == ""
	switch {
	case wanted.ClientID != r.ClientID:
		return field.Errorf("ClientID", "is not that of the receiver")
	case r.ClientID == "" && (isNew || wanted.Address != record.Address || !slices.Equal(wanted.Signals, record.Names)):
		return field.Errorf("ClientID", "is missing; the host's own endpoints are in Config.Signals")
	case wanted.Stopped && wanted.State != "" && wanted.State != string(storage.ReceiverDisabled):
		return signals.ErrStopped
	case isNew && r.Kind != storage.WebhookReceiver && (r.Kind != storage.InboxReceiver || !h.Sandbox):
		return field.Errorf("Kind", "must be webhook, or inbox in a sandbox")
	case isNew && !h.Config.Webhooks:
		return field.Errorf("Kind", "is of those that Config.Signals.Webhooks lets in")
	case utf8.RuneCountInString(wanted.Description) > maxDescription:
		return field.Errorf("Description", "has more than %d characters", maxDescription)
	}
	switch storage.ReceiverState(wanted.State) {
	case "", storage.ReceiverUnverified, storage.ReceiverEnabled, storage.ReceiverPaused, storage.ReceiverDisabled:
	default:
		return field.Errorf("State", "must be enabled, paused, disabled or unverified")
	}
	if r.Kind == storage.WebhookReceiver {
		if err := h.CheckAddress(wanted.Address); err != nil {
			return &field.Error{Field: "Address", Err: err}
		}
	}
	return checkNames(wanted.Signals)
}

func checkNames(names []string) error {
	for i, name := range names {
		if !slices.Contains(signals.Names(), name) || slices.Contains(names[:i], name) {
			return field.Errorf(fmt.Sprintf("Signals[%d]", i), "%q is no signal, or there twice", name)
		}
	}
	return nil
}

// save saves a receiver, with messages that wait for it.
func (h *Hub) save(ctx context.Context, r storage.Receiver, record Record, done string, deliveries ...storage.Delivery) error {
	err := h.Audit.Step(audit.Telling(ctx, deliveries), func(ctx context.Context) error {
		return h.Store.SaveReceiver(ctx, h.Seal(r, record), signals.MaxReceivers)
	}, storage.Event{Name: event.ReceiverChanged, ClientID: r.ClientID, Detail: done})
	h.Ring()
	switch {
	case errors.Is(err, storage.ErrLimit):
		return signals.ErrLimit
	case errors.Is(err, storage.ErrConflict) && r.Kind == storage.WebhookReceiver:
		return signals.ErrThere
	case errors.Is(err, storage.ErrChanged):
		return audit.ErrChanged
	case errors.Is(err, storage.ErrNotFound):
		return field.Errorf("ClientID", "there is no such application")
	case err != nil:
		return fmt.Errorf("provider: save receiver: %w", err)
	}
	return nil
}

// ping returns the message that tests a receiver.
func (h *Hub) ping(r storage.Receiver) storage.Delivery {
	return h.unasked(r, signals.Ping, func(string) []byte {
		return Change{Signal: signals.Ping, Event: storage.Event{At: h.Clock()}}.webhook(false)
	})
}

// Test implements signals.Signals.
func (h *Hub) Test(ctx context.Context, id string) error {
	r, record, err := h.find(ctx, id)
	switch {
	case err != nil:
		return err
	case r.Kind != storage.WebhookReceiver || r.State == storage.ReceiverDisabled:
		return h.PublicError(field.Errorf("State", "only a webhook that is not disabled gets a ping"))
	}
	return h.PublicError(h.save(ctx, r, record, "ping", h.ping(r)))
}

// Rotate implements signals.Signals.
func (h *Hub) Rotate(ctx context.Context, id string) (key string, err error) {
	r, record, err := h.find(ctx, id)
	switch {
	case err != nil:
		return "", err
	case r.Kind != storage.WebhookReceiver || r.ClientID == "":
		return "", h.PublicError(field.Errorf("Kind", "only the webhook of an application gets a key; that of the host is in Config.Signals"))
	}
	key = record.NewKeys(h.Clock(), record.Seed != nil)
	return key, h.PublicError(h.save(ctx, r, record, "new key"))
}

// Delete implements signals.Signals. That the staff has not stopped it, nor does meanwhile, is a condition
// of each step.
func (h *Hub) Delete(ctx context.Context, id string) error {
	r, record, err := h.find(ctx, id)
	switch {
	case err != nil && (r.ID == "" || errors.Is(err, storage.ErrUnavailable)): // one that cannot be decrypted goes, too
		return err
	case record.Stopped:
		return signals.ErrStopped
	}
	_, err = audit.StepIf(ctx, h.Audit, func(ctx context.Context) (int, error) {
		return h.Store.RemoveReceiver(ctx, id, r.Revision, removeAtOnce)
	}, storage.Event{Name: event.ReceiverChanged, ClientID: r.ClientID, Detail: "removed"})
	if err == nil {
		err = h.remove(ctx, id, r.Revision)
	}
	switch {
	case errors.Is(err, storage.ErrChanged):
		return audit.ErrChanged
	case err != nil:
		return fmt.Errorf("provider: delete receiver: %w", err)
	}
	return nil
}

// removeAtOnce is how many messages one step removes.
const removeAtOnce = 500

// remove removes a receiver with this revision; any if that is zero.
func (h *Hub) remove(ctx context.Context, id string, revision int64) error {
	for {
		removed, err := h.Store.RemoveReceiver(ctx, id, revision, removeAtOnce)
		if err != nil || removed == 0 {
			return err
		}
	}
}

// RemoveClient removes the receivers of an application that is deleted.
func (h *Hub) RemoveClient(ctx context.Context, clientID string) error {
	for h.Store != nil {
		found, err := h.Store.Receivers(ctx, storage.ReceiverFilter{ClientID: clientID})
		if err != nil || len(found) == 0 {
			return err
		}
		for _, r := range found {
			if err := h.remove(ctx, r.ID, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// Deliveries implements signals.Signals.
func (h *Hub) Deliveries(ctx context.Context, match storage.DeliveryFilter) ([]signals.Delivery, error) {
	if !h.IsOn() {
		return nil, errOff
	}
	found, err := h.Store.Deliveries(ctx, match)
	if err != nil {
		return nil, fmt.Errorf("provider: list messages: %w", err)
	}
	shown := make([]signals.Delivery, len(found))
	for i, d := range found {
		body, err := h.OpenBody(d)
		if errors.Is(err, storage.ErrUnavailable) {
			return nil, fmt.Errorf("provider: list messages: %w", err)
		}
		shown[i] = signals.Delivery{
			MessageID: d.MessageID, Name: d.Name, Number: d.Number, Body: string(body), State: string(d.State), Answer: d.Answer, At: d.At, EndedAt: d.EndedAt,
		}
	}
	return shown, nil
}

// Replay implements signals.Signals.
func (h *Hub) Replay(ctx context.Context, match storage.DeliveryFilter) (again int, err error) {
	r, _, err := h.find(ctx, match.ReceiverID)
	if err != nil {
		return 0, err
	}
	again, err = audit.StepIf(ctx, h.Audit, func(ctx context.Context) (int, error) { return h.Store.Replay(ctx, match) },
		storage.Event{Name: event.ReceiverChanged, ClientID: r.ClientID, Detail: "sent again"})
	if err != nil {
		return 0, fmt.Errorf("provider: send again: %w", err)
	}
	h.Ring()
	return again, nil
}

// Unread implements signals.Signals.
func (h *Hub) Unread(ctx context.Context) (time.Time, error) {
	if !h.IsOn() {
		return time.Time{}, errOff
	}
	marks, err := h.Store.Marks(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("provider: read marks: %w", err)
	}
	for _, m := range marks {
		if m.Reader == reader {
			return m.Unread, nil
		}
	}
	return time.Time{}, nil
}

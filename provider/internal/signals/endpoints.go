package signals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/storage"
)

// sync makes the receivers of the host those of the Config: the latest start of Run decides.
func (h *Hub) sync(ctx context.Context) error {
	left := map[string]storage.Receiver{}
	found, err := h.Store.Receivers(ctx, storage.ReceiverFilter{OfHost: true})
	if err != nil {
		return fmt.Errorf("read the host's receivers: %w", err)
	}
	for _, r := range found {
		left[r.ID] = r
	}
	for _, e := range h.Config.Endpoints {
		digest := sha256.Sum256([]byte(e.Address))
		r := storage.Receiver{ID: "host_" + hex.EncodeToString(digest[:12]), Kind: storage.WebhookReceiver, State: storage.ReceiverEnabled, CreatedAt: h.Clock()}
		var record Record
		known, is := left[r.ID]
		if delete(left, r.ID); is {
			if record, err = h.Open(known); errors.Is(err, storage.ErrUnavailable) {
				return err
			}
			if r = known; r.State == storage.ReceiverDisabled && !record.Stopped {
				r.State = storage.ReceiverEnabled
			}
		}
		key, err := parseKey(e.Secret)
		if err != nil {
			return err
		}
		if is && r.State == known.State && slices.Equal(record.Key, key) && slices.Equal(record.Names, e.Signals) {
			continue
		}
		if !slices.Equal(record.Key, key) {
			record.replaceKeys(key, h.Clock())
		}
		record.Address, record.Names = e.Address, e.Signals
		err = h.Store.SaveReceiver(ctx, h.Seal(r, record), 0)
		if err != nil && !errors.Is(err, storage.ErrChanged) && !errors.Is(err, storage.ErrConflict) { // another process does the same
			return fmt.Errorf("save the host's receiver: %w", err)
		}
	}
	for id := range left {
		if err := h.remove(ctx, id, 0); err != nil {
			return fmt.Errorf("remove a receiver of the host: %w", err)
		}
	}
	return nil
}

// CheckConfig returns a field.Error for the first invalid field of the Config.
func (h *Hub) CheckConfig() error {
	for i, e := range h.Config.Endpoints {
		at := fmt.Sprintf("Signals.Endpoints[%d].", i)
		if err := h.CheckAddress(e.Address); err != nil {
			return &field.Error{Field: at + "Address", Err: err}
		}
		if _, err := parseKey(e.Secret); err != nil {
			return &field.Error{Field: at + "Secret", Err: err}
		}
		var wrong *field.Error
		if errors.As(checkNames(e.Signals), &wrong) {
			return &field.Error{Field: at + wrong.Field, Err: wrong.Err}
		}
	}
	return nil
}

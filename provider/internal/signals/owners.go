package signals

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// owners are those who look after the applications.
type owners struct {
	tell   func(ctx context.Context, r signals.Receiver)
	agreed func(ctx context.Context, clientID, address string) (bool, error)
}

// LookAfter has tell called with a receiver that has not answered for hours, that is given up, or that the
// staff has stopped. agreed reports whether an operator has agreed to the host of an address to which an
// application has its events pushed, and else has one asked.
func (h *Hub) LookAfter(tell func(ctx context.Context, r signals.Receiver), agreed func(ctx context.Context, clientID, address string) (bool, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.owners = append(h.owners, owners{tell, agreed})
}

func (h *Hub) lookedAfter() []owners {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.owners)
}

// tell has those told who look after a receiver.
func (h *Hub) tell(ctx context.Context, r storage.Receiver, record Record) {
	for _, o := range h.lookedAfter() {
		o.tell(ctx, asReceiver(r, record, h.Clock()))
	}
}

// errReview means that no operator has agreed to a host.
var errReview = errors.New("signals: no operator has agreed to the host")

// review returns errReview for an address to which nothing may be pushed yet.
func (h *Hub) review(ctx context.Context, clientID, address string) error {
	for _, o := range h.lookedAfter() {
		agreed, err := o.agreed(ctx, clientID, address)
		if err != nil {
			return fmt.Errorf("review the host of a stream: %w", err)
		}
		if !agreed {
			return errReview
		}
	}
	return nil
}

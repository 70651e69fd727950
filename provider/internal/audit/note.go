package audit

import (
	"context"
	"sync/atomic"

	"github.com/bonafide-id/bonafide/storage"
)

type notedKey struct{}

// noted is what a context has to be recorded in the activity logs of organizations.
type noted struct {
	changes []storage.Change
	done    atomic.Bool
}

// Noting returns a context in which the next step records changes in the activity logs of their
// organizations as well, and what reports whether one has: none does with a store that does not
// know of deeds. The log must be kept in the store that has the organizations.
func Noting(ctx context.Context, changes ...storage.Change) (in context.Context, recorded func() bool) {
	n := &noted{changes: changes}
	return context.WithValue(ctx, notedKey{}, n), n.done.Load
}

func notedIn(ctx context.Context) *noted {
	n, _ := ctx.Value(notedKey{}).(*noted)
	return n
}

// rest returns the changes that are still to be recorded.
func (n *noted) rest() []storage.Change {
	if n == nil || n.done.Load() {
		return nil
	}
	return n.changes
}

// settle notes that a write has carried out a deed.
func (n *noted) settle(d *storage.Deed) {
	if n != nil && d.IsDone() {
		n.done.Store(true)
	}
}

type tellingKey struct{}

// Telling returns a context in which the next step adds messages to receivers as well.
func Telling(ctx context.Context, deliveries []storage.Delivery) context.Context {
	if len(deliveries) == 0 {
		return ctx
	}
	return context.WithValue(ctx, tellingKey{}, deliveries)
}

func toldIn(ctx context.Context) []storage.Delivery {
	deliveries, _ := ctx.Value(tellingKey{}).([]storage.Delivery)
	return deliveries
}

package verification

import (
	"context"
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// demanding is a store that notes the events in the steps by which cases change statuses.
type demanding struct {
	storeOfAll
	with []string
}

func (d *demanding) note(ctx context.Context, method string) {
	if deed := storage.DeedOf(ctx); deed != nil {
		for _, e := range deed.Events {
			d.with = append(d.with, method+" "+e.Name+" "+e.Subject+" "+e.Detail)
		}
	}
}

func (d *demanding) MoveCase(ctx context.Context, m storage.CaseMove, on storage.PersonBasis) (storage.Case, error) {
	if m.Status != nil {
		d.note(ctx, "MoveCase")
	}
	return d.storeOfAll.MoveCase(ctx, m, on)
}

func (d *demanding) EndStatus(ctx context.Context, e storage.StatusEnd) (bool, error) {
	d.note(ctx, "EndStatus")
	return d.storeOfAll.EndStatus(ctx, e)
}

// What a verification finds, and the end of it, is an event of its own write: of which others are told.
func TestStatusHasItsEventInTheStepOfACase(t *testing.T) {
	opened := testkit.Must(sqlite.Open(t.Context(), usedBefore(t)))(t)
	store := &demanding{storeOfAll: opened}
	w := newWorldOn(t, store, oneOf("a"))
	c := w.saying(w.begin("alice", "a"), "accept with row 1")
	if c.State != storage.CaseApproved {
		t.Fatalf("%+v", c)
	}
	w.pass(w.status("alice").ExpiresAt.Sub(w.now()))
	for _, want := range []string{"MoveCase " + event.StatusChanged + " alice student", "EndStatus " + event.StatusEnded + " alice student"} {
		if !slices.Contains(store.with, want) {
			t.Errorf("no %q in %q", want, store.with)
		}
	}
}

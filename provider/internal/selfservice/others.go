package selfservice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// others knows who beside a user has acted on the account, for one page of events. A user reads
// for what somebody of the staff has looked or acted, and never who that was (Court of Justice
// of the European Union, C-579/21).
type others struct {
	ctx  context.Context
	read func(ctx context.Context, match storage.MatterFilter) ([]storage.Matter, error)
	now  func(context.Context) (time.Time, error) // has come for certain
	seen map[string]storage.Matter
}

func (p *frame) others(ctx context.Context) others {
	return others{ctx, p.Store.Matters, p.CertainTime, map[string]storage.Matter{}}
}

// of returns who else has done what an event says, or nil for the user, and whether the user
// may read of it yet.
func (o others) of(e storage.Event) (by *ui.HistoryActor, visible bool, err error) {
	if e.Matter == "" {
		if e.Actor == "" {
			return nil, true, nil
		}
		return &ui.HistoryActor{}, true, nil
	}
	m, err := o.matter(e.Matter)
	if err != nil {
		return nil, false, err
	}
	var now time.Time
	if !m.WithheldUntil.IsZero() {
		if now, err = o.now(o.ctx); err != nil {
			return nil, false, err
		}
	}
	return &ui.HistoryActor{Role: m.Role, Reason: m.Reason}, !now.Before(m.WithheldUntil), nil
}

// matter returns a matter; a zero one if it was removed meanwhile, which only old ones are.
func (o others) matter(id string) (storage.Matter, error) {
	if m, ok := o.seen[id]; ok {
		return m, nil
	}
	m, err := storage.One(o.read(o.ctx, storage.MatterFilter{ID: new(id)}))
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.Matter{}, fmt.Errorf("read matter: %w", err)
	}
	o.seen[id] = m
	return m, nil
}

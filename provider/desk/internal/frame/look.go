package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// lookedAt is whose answer says that a part was looked at: an answer is recorded once, in the
// step of its line.
const lookedAt = "desk look"

// looksFor is for how long a line about a look says so: of another day there is another one.
const looksFor = 24 * time.Hour

// Looked writes that who asks looks at what an event says, before it is shown: in the matter of the
// page, or else in this one, such as a case or a plan; empty for none.
func (r *Request) Looked(matter string, e provider.Event) error {
	a := r.Actor(storage.NoProof)
	a.Matter = cmp.Or(a.Matter, matter)
	return r.Frame.Looked(r.Context(), a, e)
}

// LookedAt is Looked for a part of the person of the matter of the page.
func (r *Request) LookedAt(part string) error {
	return r.Looked("", provider.Event{Name: event.SupportLooked, UserID: r.Matter.Subject, Detail: part})
}

// Looked writes that an actor looks at what an event says, before it is shown: once a day for
// actor, matter and event, also if they look twice at once.
func (f *Frame) Looked(ctx context.Context, a storage.Actor, e provider.Event) error {
	key := f.Provider.Rooms().People.Digest(lookedAt, a.Name, a.Matter, e.Name, e.UserID, e.ClientID, e.Detail)
	_, err := f.Store.Answer(ctx, lookedAt, key, f.Now())
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("read whether a part was looked at: %w", err)
	}
	a.Answer = &storage.Answer{Client: lookedAt, Key: key, Body: key, ExpiresAt: f.Now().Add(looksFor)}
	err = f.Provider.Events().Record(provider.By(ctx, a), e)
	if errors.Is(err, audit.ErrRepeated) {
		return nil
	}
	return err
}

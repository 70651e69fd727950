package frame

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// lookedAt is whose answer says that a part was looked at: an answer is recorded once, in the
// step of its line.
const lookedAt = "desk look"

// looksFor is for how long a line about a look says so: in a matter that is in use for longer
// there is another one.
const looksFor = 30 * 24 * time.Hour

// Looked writes that an actor looks at a part of the person of their matter, before it is shown:
// once for a matter and part, also if they look twice at once.
func (f *Frame) Looked(ctx context.Context, a provider.Actor, part string) error {
	key := f.Provider.People().Digest(lookedAt, a.Matter, part)
	_, err := f.Store.Answer(ctx, lookedAt, key, f.Now())
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("read whether a part was looked at: %w", err)
	}
	a.Answer = &storage.Answer{Client: lookedAt, Key: key, Body: key, ExpiresAt: f.Now().Add(looksFor)}
	err = f.Provider.Events().Write(provider.By(ctx, a), provider.Event{
		Name: provider.EventSupportLooked, UserID: a.On.Subject, Detail: part,
	})
	if errors.Is(err, provider.ErrRepeated) {
		return nil
	}
	return err
}

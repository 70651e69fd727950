package vault

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/bonafide-id/bonafide/storage"
)

// Index makes values findable that were recorded before their attribute was: once in the life
// of a process, a few people at a time.
type Index struct {
	store    storage.Store // as the host gives it
	vault    *Vault
	findText func(handle string, value json.RawMessage) string

	mu    sync.Mutex
	after string
	done  bool
}

// NewIndex returns the index of a store that OpenStore has opened. Without findable attributes
// there is nothing to do.
func NewIndex(store storage.Store, v *Vault, findable bool, findText func(handle string, value json.RawMessage) string) *Index {
	return &Index{store: store, vault: v, findText: findText, done: !findable}
}

// mostAlike is how many people with one value are looked at. A value that more have is recorded
// again, which changes nothing.
const mostAlike = 100

// Next looks at up to limit more people, and returns their number; zero when it is done.
func (x *Index) Next(ctx context.Context, limit int) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done {
		return 0, nil
	}
	subjects, err := x.store.Subjects(ctx, x.after, limit)
	if err != nil {
		return 0, fmt.Errorf("list people: %w", err)
	}
	for _, subject := range subjects {
		if err := x.index(ctx, subject); err != nil {
			return 0, err
		}
		x.after = subject
	}
	x.done = len(subjects) == 0
	return len(subjects), nil
}

func (x *Index) index(ctx context.Context, subject string) error {
	person, err := x.store.Person(ctx, subject)
	if err != nil {
		return fmt.Errorf("read person: %w", err)
	}
	sealed := sealedStore{x.store, x.vault, x.findText}
	for handle, stored := range person.Attributes {
		value, err := sealed.openAttribute(subject, handle, stored)
		if err != nil {
			return err
		}
		find := sealed.find(handle, value)
		if find == (storage.Digest{}) {
			continue
		}
		alike, err := x.store.FindSubjects(ctx, handle, find, mostAlike)
		if err == nil && !slices.Contains(alike, subject) {
			err = unlessChanged(x.store.ReplaceAttribute(ctx, subject, handle, stored, stored, find))
		}
		if err != nil {
			return fmt.Errorf("make %q findable: %w", handle, err)
		}
	}
	return nil
}

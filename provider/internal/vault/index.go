package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

// Index makes values findable that were recorded before their attribute was: once in the life
// of a process, a few people at a time.
type Index struct {
	store    storage.Store // as the host gives it
	vault    *Vault
	findText func(handle string, value json.RawMessage) string

	cursor batch.Cursor[string]
	done   atomic.Bool
}

// NewIndex returns the index of a store that OpenStore has opened. Without findable attributes
// there is nothing to do.
func NewIndex(store storage.Store, v *Vault, findable bool, findText func(handle string, value json.RawMessage) string) *Index {
	x := &Index{store: store, vault: v, findText: findText}
	x.done.Store(!findable)
	return x
}

// peopleAtOnce is how many people are listed at once: each takes a few reads.
const peopleAtOnce = 25

// mostAlike is how many people with one value are looked at. A value that more have is recorded
// again, which changes nothing.
const mostAlike = 100

// Run looks at people until ctx ends or it has looked at all. One whose values cannot be
// decrypted delays no other, and is tried again by the next process.
func (x *Index) Run(ctx context.Context) error {
	if x.done.Load() {
		return nil
	}
	seen := false
	list := func(ctx context.Context, after string, limit int) ([]string, error) {
		subjects, err := x.store.Subjects(ctx, storage.SubjectFilter{}, after, limit)
		seen = err == nil && len(subjects) < limit
		return subjects, err
	}
	_, err := batch.Over(ctx, &x.cursor, peopleAtOnce, list, func(subject string) string { return subject }, x.index)
	x.done.Store(seen && ctx.Err() == nil && !errors.Is(err, storage.ErrUnavailable))
	return err
}

func (x *Index) index(ctx context.Context, subject string) error {
	person, err := x.store.Person(ctx, subject)
	if err != nil {
		return fmt.Errorf("read person: %w", err)
	}
	sealed := sealedStore{x.store, x.vault, x.findText}
	for handle, stored := range person.Attributes {
		if strings.Contains(subject, " ") && !IsSealed(unquoted(stored)) {
			continue // a note of a program beside the provider, under a name that no account has
		}
		value, err := sealed.openAttribute(subject, handle, stored)
		if err != nil {
			return err
		}
		find := sealed.find(handle, value)
		if find == (storage.Digest{}) {
			continue
		}
		alike, err := x.store.Subjects(ctx, storage.SubjectFilter{Handle: handle, Find: find}, "", mostAlike)
		if err == nil && !slices.Contains(alike, subject) {
			err = x.store.ReplaceAttribute(ctx, subject, handle, stored, stored, find)
		}
		if errors.Is(err, storage.ErrChanged) {
			return x.index(ctx, subject) // by its owner, or sealed again under another key
		}
		if err != nil {
			return fmt.Errorf("make %q findable: %w", handle, err)
		}
	}
	return nil
}

package unknown

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// rows are clients in a database: one of them cannot be removed.
type rows struct{ ids []string }

func (r rows) Client(context.Context, string) (storage.Client, error) {
	return storage.Client{}, storage.ErrNotFound
}

func (r rows) SaveClient(context.Context, storage.Client) error { return nil }

func (r rows) Clients(_ context.Context, _ storage.ClientFilter, after string, limit int) (page []storage.Client, err error) {
	for _, id := range r.ids {
		if id > after && len(page) < limit {
			page = append(page, storage.Client{ID: id, Disabled: true})
		}
	}
	return page, nil
}

func TestUpkeep(t *testing.T) {
	t.Run("AClientThatCannotBeRemovedDelaysNoOther", func(t *testing.T) {
		damaged := errors.New("damaged")
		var removed []string
		c := New(Options{Store: rows{ids: []string{"a", "b", "c"}}, Clock: time.Now, Delete: func(_ context.Context, c storage.Client) error {
			if c.ID == "a" {
				return damaged
			}
			removed = append(removed, c.ID)
			return nil
		}})
		if err := c.RemoveUnused(t.Context(), time.Now()); !errors.Is(err, damaged) || len(removed) != 2 {
			t.Errorf("removed %v: %v", removed, err)
		}
	})
	t.Run("TwoRunsOfAProcessLookAtOnce", func(t *testing.T) { // under the race detector
		c := New(Options{Store: rows{ids: []string{"a", "b"}}, Clock: time.Now})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 20 {
					if err := c.Look(t.Context(), time.Now()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
}

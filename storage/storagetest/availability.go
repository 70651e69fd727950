package storagetest

import (
	"context"
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// availability tests the answers of a store that cannot serve. The dangerous one is that
// there is no such record: it signs users out and refuses valid tokens.
func (s *suite) availability(t *testing.T) {
	calls := map[string]func(context.Context, storage.Store) error{
		"Read": func(ctx context.Context, store storage.Store) error {
			return errOf(store.Token(ctx, storage.AuthorizationCode, digest("code")))
		},
		"List": func(ctx context.Context, store storage.Store) error {
			return errOf(store.Keys(ctx))
		},
		"Write": func(ctx context.Context, store storage.Store) error {
			return store.Exchange(ctx, digest("code"), t0)
		},
		"Ping": func(ctx context.Context, store storage.Store) error { return store.Ping(ctx) },
	}
	t.Run("OpenStoreAnswers", func(t *testing.T) {
		store, _ := s.withCode(t)
		for name, call := range calls {
			if err := call(t.Context(), store); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("RefusedWriteIsNoOutage", func(t *testing.T) {
		store, _ := s.withCode(t)
		fails(t, store.Exchange(t.Context(), digest("unknown"), t0), storage.ErrNotFound)
		ctx, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		fails(t, store.Exchange(ctx, digest("code"), t0), context.DeadlineExceeded)
		ok(t, store.Ping(t.Context()))
		ok(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, digest("code"))))
	})
	t.Run("ClosedStoreIsUnavailable", func(t *testing.T) {
		store, _ := s.withCode(t)
		ok(t, store.Close())
		for name, call := range calls {
			if err := call(t.Context(), store); !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("%s: err = %v, want %v", name, err, storage.ErrUnavailable)
			}
		}
		ok(t, store.Close())
	})
	t.Run("EndedContextIsNoAnswer", func(t *testing.T) {
		store, _ := s.withCode(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, call := range calls {
			if err := call(ctx, store); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: err = %v, want %v", name, err, context.Canceled)
			}
		}
		ok(t, store.Exchange(t.Context(), digest("code"), t0)) // was not spent
	})
	t.Run("WritesOutliveTheStore", func(t *testing.T) {
		stores := s.stores(t, 2)
		grantWithCode(t, stores[0])
		ok(t, stores[0].Close())
		ok(t, errOf(stores[1].Token(t.Context(), storage.AuthorizationCode, digest("code"))))
	})
}

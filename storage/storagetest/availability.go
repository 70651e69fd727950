package storagetest

import (
	"context"
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// availability tests the answers of a store that cannot serve. The dangerous one is that
// there is no such record: it signs users out and refuses valid tokens.
func availability[S storage.Store](t *testing.T, prepared func(t *testing.T) S, calls map[string]func(context.Context, S) error) {
	answers := func(ctx context.Context, t *testing.T, store S, want error) {
		t.Helper()
		for name, call := range calls {
			if err := call(ctx, store); !errors.Is(err, want) {
				t.Errorf("%s: err = %v, want %v", name, err, want)
			}
		}
	}
	t.Run("OpenStoreAnswers", func(t *testing.T) {
		answers(t.Context(), t, prepared(t), nil)
	})
	t.Run("ClosedStoreIsUnavailable", func(t *testing.T) {
		store := prepared(t)
		ok(t, store.Close())
		answers(t.Context(), t, store, storage.ErrUnavailable)
		ok(t, store.Close())
	})
	t.Run("EndedContextIsNoAnswer", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		answers(ctx, t, prepared(t), context.Canceled)
	})
}

func (s *suite) availability(t *testing.T) {
	prepared := func(t *testing.T) storage.Store {
		store, _ := s.withCode(t)
		return store
	}
	availability(t, prepared, map[string]func(context.Context, storage.Store) error{
		"Read": func(ctx context.Context, store storage.Store) error {
			return errOf(store.Token(ctx, storage.AuthorizationCode, digest("code")))
		},
		"List":  func(ctx context.Context, store storage.Store) error { return errOf(store.Keys(ctx)) },
		"Write": func(ctx context.Context, store storage.Store) error { return store.Exchange(ctx, digest("code"), t0) },
		"Ping":  func(ctx context.Context, store storage.Store) error { return store.Ping(ctx) },
	})
	t.Run("RefusedWriteIsNoOutage", func(t *testing.T) {
		store := prepared(t)
		fails(t, store.Exchange(t.Context(), digest("unknown"), t0), storage.ErrNotFound)
		ctx, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		fails(t, store.Exchange(ctx, digest("code"), t0), context.DeadlineExceeded)
		ok(t, store.Ping(t.Context()))
		ok(t, store.Exchange(t.Context(), digest("code"), t0)) // was not spent
	})
	s.pair(t, "WritesOutliveTheStore", func(t *testing.T, stores []storage.Store) {
		grantWithCode(t, stores[0])
		ok(t, stores[0].Close())
		ok(t, errOf(stores[1].Token(t.Context(), storage.AuthorizationCode, digest("code"))))
	})
}

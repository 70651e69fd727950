package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func pushedRequest(name, clientID string) storage.PushedRequest {
	return storage.PushedRequest{
		Digest: digest(name), ClientID: clientID, Payload: []byte{0, 0xff}, ExpiresAt: t0.Add(time.Minute),
	}
}

func (s *suite) pushedRequests(t *testing.T) {
	withClients := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.store(t)
		saveClient(t, store, "client")
		saveClient(t, store, "other")
		return store
	}
	t.Run("ComesBackAsOftenAsItIsAskedFor", func(t *testing.T) {
		store, want := withClients(t), pushedRequest("request", "client")
		ok(t, store.SavePushedRequest(t.Context(), want))
		got := must(store.PushedRequest(t.Context(), "client", digest("request"), t0))(t)
		equal(t, got, want)
		got = must(store.PushedRequest(t.Context(), "client", digest("request"), t0))(t)
		equal(t, got, want)
	})
	t.Run("BelongsToItsClientOnly", func(t *testing.T) {
		store := withClients(t)
		ok(t, store.SavePushedRequest(t.Context(), pushedRequest("request", "client")))
		fails(t, errOf(store.PushedRequest(t.Context(), "other", digest("request"), t0)), storage.ErrNotFound)
		fails(t, errOf(store.PushedRequest(t.Context(), "client", digest("guess"), t0)), storage.ErrNotFound)
		ok(t, errOf(store.PushedRequest(t.Context(), "client", digest("request"), t0)))
	})
	t.Run("IsRemovedWithAllOthers", func(t *testing.T) {
		store := withClients(t)
		for _, name := range []string{"a", "b", "c"} {
			ok(t, store.SavePushedRequest(t.Context(), pushedRequest(name, "client")))
		}
		for _, want := range []int{2, 1, 0} {
			equal(t, must(store.Trim(t.Context(), storage.Trim{Kind: storage.AllPushedRequests}, 2))(t), want)
		}
	})
	t.Run("EndsOnTime", func(t *testing.T) {
		store, end := withClients(t), t0.Add(time.Minute)
		ok(t, store.SavePushedRequest(t.Context(), pushedRequest("request", "client")))
		fails(t, errOf(store.PushedRequest(t.Context(), "client", digest("request"), end)), storage.ErrNotFound)
		ok(t, errOf(store.PushedRequest(t.Context(), "client", digest("request"), end.Add(-time.Microsecond))))
	})
	t.Run("IsNeverOverwritten", func(t *testing.T) {
		store := withClients(t)
		ok(t, store.SavePushedRequest(t.Context(), pushedRequest("request", "client")))
		fails(t, store.SavePushedRequest(t.Context(), pushedRequest("request", "other")), storage.ErrConflict)
		equal(t, must(store.PushedRequest(t.Context(), "client", digest("request"), t0))(t).ClientID, "client")
	})
	t.Run("NeedsAClient", func(t *testing.T) {
		fails(t, s.store(t).SavePushedRequest(t.Context(), pushedRequest("request", "nobody")), storage.ErrNotFound)
	})
	t.Run("OfABrowserNeedsNone", func(t *testing.T) {
		store, want := withClients(t), pushedRequest("request", "")
		ok(t, store.SavePushedRequest(t.Context(), want))
		equal(t, must(store.PushedRequest(t.Context(), "", digest("request"), t0))(t), want)
		fails(t, errOf(store.PushedRequest(t.Context(), "client", digest("request"), t0)), storage.ErrNotFound)
		fails(t, store.SavePushedRequest(t.Context(), want), storage.ErrConflict)
		equal(t, sweepAll(t, store, want.ExpiresAt), 1)
	})
	t.Run("GoesWithItsClient", func(t *testing.T) {
		store := withClients(t)
		ok(t, store.SavePushedRequest(t.Context(), pushedRequest("request", "client")))
		c := must(store.Client(t.Context(), "client"))(t)
		ok(t, store.DeleteClient(t.Context(), "client", c.Version))
		fails(t, errOf(store.PushedRequest(t.Context(), "client", digest("request"), t0)), storage.ErrNotFound)
	})
	t.Run("IsSweptAtItsEnd", func(t *testing.T) {
		store, end := withClients(t), t0.Add(time.Minute)
		ok(t, store.SavePushedRequest(t.Context(), pushedRequest("request", "client")))
		equal(t, sweepAll(t, store, end.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, end), 1)
	})
}

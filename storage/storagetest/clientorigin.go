package storagetest

import (
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// unknownClients tests that clients are found by who has registered them, and by their end.
func (s *suite) unknownClients(t *testing.T) {
	store := s.store(t)
	save := func(id, origin string, expires time.Time) {
		t.Helper()
		ok(t, store.SaveClient(t.Context(), storage.Client{ID: id, Origin: origin, CreatedAt: t0, ExpiresAt: expires}))
	}
	save("https://b.example/client", storage.OriginDocument, t0.Add(time.Hour))
	save("https://a.example/client", storage.OriginDocument, t0)
	save("itself", storage.OriginRegistered, t0.Add(2*time.Hour))
	save("registered", "", time.Time{})
	ids := func(found []storage.Client, err error) (ids string) {
		t.Helper()
		ok(t, err)
		for _, c := range found {
			ids += c.ID + " "
			equal(t, c, must(store.Client(t.Context(), c.ID))(t))
		}
		return ids
	}
	of := func(origin, after string, limit int) string {
		t.Helper()
		return ids(store.Clients(t.Context(), storage.ClientFilter{Origin: origin, Registered: origin == ""}, after, limit))
	}
	ended := func(now time.Time, limit int, after ...string) string {
		t.Helper()
		return ids(store.Clients(t.Context(), storage.ClientFilter{ExpiredAt: &now}, strings.Join(after, ""), limit))
	}
	equal(t, of(storage.OriginDocument, "", many), "https://a.example/client https://b.example/client ")
	equal(t, of(storage.OriginDocument, "", 1), "https://a.example/client ")
	equal(t, of(storage.OriginDocument, "https://a.example/client", many), "https://b.example/client ")
	equal(t, of(storage.OriginRegistered, "", many), "itself ")
	equal(t, of("", "", many), "registered ")

	equal(t, ended(time.Time{}, many), "")
	equal(t, ended(t0.Add(-time.Second), many), "")
	equal(t, ended(t0, many), "https://a.example/client ")
	equal(t, ended(t0.Add(24*time.Hour), many), "https://a.example/client https://b.example/client itself ")
	equal(t, ended(t0.Add(24*time.Hour), 1), "https://a.example/client ")
	equal(t, ended(t0.Add(24*time.Hour), 1, "https://a.example/client"), "https://b.example/client ")
	used := must(store.Client(t.Context(), "https://a.example/client"))(t)
	used.ExpiresAt = t0.Add(48 * time.Hour)
	ok(t, store.SaveClient(t.Context(), used))
	fails(t, store.DeleteClient(t.Context(), used.ID, used.Version), storage.ErrChanged) // it was used meanwhile
	deleted := must(store.Client(t.Context(), "itself"))(t)
	deleted.Deleted = true
	ok(t, store.SaveClient(t.Context(), deleted))
	equal(t, ended(t0.Add(24*time.Hour), many), "https://b.example/client ")
}

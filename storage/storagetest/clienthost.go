package storagetest

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// clientHosts tests clients that are found by the hosts of their redirect URIs.
func (s *suite) clientHosts(t *testing.T) {
	save := func(t *testing.T, store storage.Clients, id string, uris ...string) {
		t.Helper()
		c, err := store.Client(t.Context(), id)
		if err != nil {
			c = storage.Client{ID: id}
		}
		c.RedirectURIs = uris
		ok(t, store.SaveClient(t.Context(), c))
	}
	of := func(t *testing.T, store storage.Clients, host, after string, limit int) (ids []string) {
		t.Helper()
		found := must(store.Clients(t.Context(), storage.ClientFilter{Host: host}, after, limit))(t)
		for _, c := range found {
			whole := must(store.Client(t.Context(), c.ID))(t)
			equal(t, c, whole)
			ids = append(ids, c.ID)
		}
		return ids
	}
	store := s.store(t)
	save(t, store, "b", "https://app.example.com/a", "https://APP.example.com:8443/b", "http://127.0.0.1/cb")
	save(t, store, "a", "https://app.example.com")
	save(t, store, "app", "com.example.app:/callback", "http://[::1]:8080/", "::::")
	save(t, store, "none")
	equal(t, of(t, store, "app.example.com", "", many), []string{"a", "b"})
	equal(t, of(t, store, "App.Example.COM", "", 1), []string{"a"})
	equal(t, of(t, store, "app.example.com", "a", many), []string{"b"})
	equal(t, of(t, store, "127.0.0.1", "", many), []string{"b"})
	equal(t, of(t, store, "::1", "", many), []string{"app"})
	equal(t, of(t, store, "example.com", "", many), nil)

	save(t, store, "b", "https://other.example.com")
	equal(t, of(t, store, "app.example.com", "", many), []string{"a"})
	equal(t, of(t, store, "other.example.com", "", many), []string{"b"})
	b := must(store.Client(t.Context(), "b"))(t)
	ok(t, store.DeleteClient(t.Context(), "b", b.Version))
	equal(t, of(t, store, "other.example.com", "", many), nil)
}

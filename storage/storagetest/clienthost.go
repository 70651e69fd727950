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
	store := s.store(t)
	save(t, store, "b", "https://app.example.com/a", "https://APP.example.com:8443/b", "http://127.0.0.1/cb")
	save(t, store, "a", "https://app.example.com")
	save(t, store, "app", "com.example.app:/callback", "http://[::1]:8080/", "::::")
	save(t, store, "none")
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "app.example.com"}, "", many), []string{"a", "b"})
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "App.Example.COM"}, "", 1), []string{"a"})
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "app.example.com"}, "a", many), []string{"b"})
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "127.0.0.1"}, "", many), []string{"b"})
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "::1"}, "", many), []string{"app"})
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "example.com"}, "", many), nil)

	save(t, store, "b", "https://other.example.com")
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "app.example.com"}, "", many), []string{"a"})
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "other.example.com"}, "", many), []string{"b"})
	b := must(store.Client(t.Context(), "b"))(t)
	ok(t, store.DeleteClient(t.Context(), "b", b.Version))
	equal(t, clientsAt(t, store, storage.ClientFilter{Host: "other.example.com"}, "", many), nil)
}

// clientsAt lists the IDs of clients of a host, which come as they are one by one.
func clientsAt(t *testing.T, store storage.Clients, match storage.ClientFilter, after string, limit int) (ids []string) {
	t.Helper()
	for _, c := range must(store.Clients(t.Context(), match, after, limit))(t) {
		equal(t, c, must(store.Client(t.Context(), c.ID))(t))
		ids = append(ids, c.ID)
	}
	return ids
}

package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// hostDenials tests that a denial holds for a host and all below it, and keeps new clients out.
func (s *suite) hostDenials(t *testing.T) {
	store := s.store(t)
	deny := func(host string, at time.Time) storage.HostDenial {
		return storage.HostDenial{Host: host, Reason: "It sends people \"elsewhere\".", By: "staff:olga", At: at}
	}
	of := func(hosts ...string) (host string) {
		t.Helper()
		d, err := store.HostDenial(t.Context(), hosts...)
		if host = d.Host; host != "" {
			ok(t, err)
		} else {
			fails(t, err, storage.ErrNotFound)
		}
		return host
	}
	equal(t, of("app.example"), "")
	equal(t, of(), "")
	ok(t, store.DenyHost(t.Context(), deny("app.example", elsewhere)))
	fails(t, store.DenyHost(t.Context(), deny("app.example", t0)), storage.ErrChanged)
	ok(t, store.DenyHost(t.Context(), deny("other.example", t0)))
	d := must(store.HostDenial(t.Context(), "app.example"))(t)
	equal(t, d, deny("app.example", asStored))
	equal(t, of("a.b.app.example"), "app.example")
	equal(t, of("fine.example", "b.app.example"), "app.example")
	for _, host := range []string{"example", "notapp.example", "app.example.org", "App.example", ""} {
		equal(t, of(host), "")
	}
	all := must(store.HostDenials(t.Context(), "", many))(t)
	equal(t, all, []storage.HostDenial{deny("app.example", asStored), deny("other.example", t0)})
	all = must(store.HostDenials(t.Context(), "app.example", 1))(t)
	equal(t, all, []storage.HostDenial{deny("other.example", t0)})

	for id, c := range map[string]storage.Client{
		"document": {ID: "https://b.app.example/client", Origin: storage.OriginDocument, RedirectURIs: []string{"http://localhost/cb"}},
		"callback": {ID: "https://fine.example/client", Origin: storage.OriginDocument, RedirectURIs: []string{"https://fine.example/cb", "https://APP.example.:8443/cb"}},
		"scheme":   {ID: "scheme", Origin: storage.OriginRegistered, RedirectURIs: []string{"example.app.desktop:/cb"}},
		"one":      {ID: "one", Origin: storage.OriginRegistered, RedirectURIs: []string{"https://fine.example/cb", "https://app.example/cb"}},
	} {
		t.Run(id, func(t *testing.T) {
			fails(t, store.SaveClient(t.Context(), c), storage.ErrDenied)
			fails(t, errOf(store.Client(t.Context(), c.ID)), storage.ErrNotFound)
		})
	}
	ok(t, store.SaveClient(t.Context(), storage.Client{ID: "ours", RedirectURIs: []string{"https://app.example/cb"}})) // somebody answers for it

	fails(t, store.AllowHost(t.Context(), "app.example", t0), storage.ErrChanged)
	fails(t, store.AllowHost(t.Context(), "b.app.example", elsewhere), storage.ErrChanged)
	ok(t, store.AllowHost(t.Context(), "app.example", elsewhere))
	fails(t, store.AllowHost(t.Context(), "app.example", elsewhere), storage.ErrChanged)
	equal(t, of("b.app.example"), "")
	row := storage.Client{ID: "one", Origin: storage.OriginRegistered, RedirectURIs: []string{"https://app.example/cb"}, CreatedAt: t0}
	ok(t, store.SaveClient(t.Context(), row))
	ok(t, store.DenyHost(t.Context(), deny("app.example", t0)))
	row = must(store.Client(t.Context(), "one"))(t)
	ok(t, store.SaveClient(t.Context(), row)) // a row that is there can still be written

	s.pair(t, "DenialHasOneWinner", func(t *testing.T, stores []storage.Store) {
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.DenyHost(t.Context(), deny("app.example", t0.Add(time.Duration(i))))
		}), storage.ErrChanged)
		oneWins(t, race(stores, func(_ int, store storage.Store) error {
			d, err := store.HostDenial(t.Context(), "app.example")
			if err != nil {
				return storage.ErrChanged // another was faster
			}
			return store.AllowHost(t.Context(), "app.example", d.At)
		}), storage.ErrChanged)
	})
}

// unknownHosts tests that clients that nobody has registered are listed by their hosts, and what is
// counted of these.
func (s *suite) unknownHosts(t *testing.T) {
	store := s.store(t)
	save := func(id, origin string, at time.Time, uris ...string) {
		t.Helper()
		ok(t, store.SaveClient(t.Context(), storage.Client{ID: id, Origin: origin, RedirectURIs: uris, CreatedAt: at}))
	}
	allow := func(subject, client string, used time.Time, number byte) {
		t.Helper()
		ok(t, store.SaveConsent(t.Context(), storage.Consent{
			Subject: subject, ClientID: client, Decision: storage.Digest{number}, CreatedAt: t0, DecidedAt: t0, LastUsedAt: used,
		}, storage.ConsentBasis{}))
	}
	save("https://b.example/1", storage.OriginDocument, t0.Add(time.Hour), "https://cb.b.example/", "http://localhost/")
	save("https://b.example/2", storage.OriginDocument, t0, "http://127.0.0.1/")
	save("web", storage.OriginRegistered, t0, "https://b.example/cb", "https://C.example./cb", "http://localhost/")
	save("program", storage.OriginRegistered, t0, "http://[::1]/cb", "com.example.app:/cb")
	save("ours", "", t0, "https://a.example/cb", "http://localhost/cb")
	allow("alice", "https://b.example/1", t0.Add(2*time.Hour), 1)
	allow("alice", "web", time.Time{}, 2)
	allow("bob", "web", t0.Add(time.Minute), 3)
	allow("carol", "ours", t0, 4)
	ok(t, store.SaveConsent(t.Context(), storage.Consent{Subject: "dave", ClientID: "web", Decision: storage.Digest{5}, CreatedAt: t0}, storage.ConsentBasis{})) // nothing allowed

	b := storage.UnknownHost{Host: "b.example", FirstSeenAt: t0, Clients: 3, Documents: 2, People: 2, LastUsedAt: t0.Add(2 * time.Hour)}
	c := storage.UnknownHost{Host: "c.example", FirstSeenAt: t0, Clients: 1, People: 2, LastUsedAt: t0.Add(time.Minute)}
	device := storage.UnknownHost{Host: storage.DeviceHost, FirstSeenAt: t0, Clients: 1}
	for _, page := range []struct {
		after string
		limit int
		want  []storage.UnknownHost
	}{{"", many, []storage.UnknownHost{b, c, device}}, {"", 1, []storage.UnknownHost{b}}, {"b.example", 1, []storage.UnknownHost{c}}, {device.Host, many, nil}, {"", 0, nil}} {
		equal(t, must(store.UnknownHosts(t.Context(), page.after, page.limit))(t), page.want)
	}
	equal(t, must(storage.One(store.UnknownHosts(t.Context(), "", 1, "b.example")))(t), b)
	equal(t, must(storage.One(store.UnknownHosts(t.Context(), "", 1, "a.example")))(t), storage.UnknownHost{Host: "a.example"})
	equal(t, clientsAt(t, store, storage.ClientFilter{ListedHost: "b.example"}, "", many), []string{"https://b.example/1", "https://b.example/2", "web"})
	equal(t, clientsAt(t, store, storage.ClientFilter{ListedHost: "b.example"}, "https://b.example/1", 1), []string{"https://b.example/2"})
	equal(t, clientsAt(t, store, storage.ClientFilter{ListedHost: storage.DeviceHost}, "", many), []string{"program"})
	equal(t, clientsAt(t, store, storage.ClientFilter{ListedHost: "cb.b.example"}, "", many), nil)
	equal(t, clientsAt(t, store, storage.ClientFilter{ListedHost: "a.example"}, "", many), nil)

	s.test(t, "CountingHasABound", func(t *testing.T, store storage.Store) {
		for i := range storage.CountedClients + 1 {
			ok(t, store.SaveClient(t.Context(), storage.Client{
				ID: fmt.Sprint("web-", i), Origin: storage.OriginRegistered, RedirectURIs: []string{"https://b.example/cb"}, CreatedAt: t0.Add(time.Duration(i) * time.Second),
			}))
		}
		h := must(storage.One(store.UnknownHosts(t.Context(), "", 1, "b.example")))(t)
		equal(t, h, storage.UnknownHost{Host: "b.example", FirstSeenAt: t0, Clients: storage.CountedClients})
	})
}

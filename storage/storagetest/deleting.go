package storagetest

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// deleting tests applications that are being deleted.
func (s *developerSuite) deleting(t *testing.T) {
	mark := func(t *testing.T, store DeveloperStore, client string) {
		t.Helper()
		ok(t, store.MarkApplication(t.Context(), storage.Sandbox, client, storage.ApplicationMark{Deleting: true}))
	}
	s.test(t, "AreSavedByNobody", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "gone", "stays")
		before := must(store.Application(t.Context(), storage.Sandbox, "gone"))(t)
		equal(t, before.Deleting, false)
		before.Deleting = true // it is nobody's to say
		ok(t, store.SaveApplication(t.Context(), before))
		before = must(store.Application(t.Context(), storage.Sandbox, "gone"))(t)
		equal(t, before.Deleting, false)
		mark(t, store, "gone")
		mark(t, store, "gone")
		after := must(store.Application(t.Context(), storage.Sandbox, "gone"))(t)
		for _, a := range []storage.Application{before, after} {
			fails(t, store.SaveApplication(t.Context(), a), storage.ErrChanged)
			fails(t, store.SaveApplication(t.Context(), a, many), storage.ErrChanged)
			fails(t, store.DecideApplication(t.Context(), a, "operator"), storage.ErrChanged)
		}
		before.Deleting = true
		equal(t, after, before)
		stays := must(store.Application(t.Context(), storage.Sandbox, "stays"))(t)
		equal(t, stays.Deleting, false)
		ok(t, store.SaveApplication(t.Context(), stays))
	})
	s.test(t, "AreOfTheirOrganizationUntilTheyAreGone", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		mark(t, store, "client")
		fails(t, store.DeleteOrganization(t.Context(), "acme"), storage.ErrConflict)
		fails(t, store.CreateApplication(t.Context(), application("next", "acme"), 1), storage.ErrLimit)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
		ok(t, store.StartOrganization(t.Context(), "acme", t0, "operator"))
		ok(t, store.DeleteOrganization(t.Context(), "acme"))
	})
	s.test(t, "AreThere", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		for _, key := range [][2]string{{storage.Production, "client"}, {storage.Sandbox, "unknown"}, {"", ""}} {
			fails(t, store.MarkApplication(t.Context(), key[0], key[1], storage.ApplicationMark{Deleting: true}), storage.ErrNotFound)
		}
	})
	s.test(t, "AreFound", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "red", "blue", "green", "gone")
		for _, client := range []string{"red", "blue", "gone"} {
			mark(t, store, client)
		}
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "gone"))
		found, got, last := 0, "", storage.Application{}
		for page := 0; page == 0 || found == 1; page++ {
			list := must(store.Applications(t.Context(), storage.ApplicationFilter{
				Deleting: true, Limit: 1, AfterName: last.Name, After: last.ClientID, AfterEnvironment: last.Environment,
			}))(t)
			if found = len(list); found == 1 {
				last = list[0]
				got += last.ClientID + ","
			}
		}
		equal(t, got, "blue,red,")
	})
}

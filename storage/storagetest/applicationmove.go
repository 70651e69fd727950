package storagetest

import (
	"fmt"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// moves tests applications that get another organization.
func (s *developerSuite) moves(t *testing.T) {
	// prepared has an application of acme with two lines of its log, and one of other.
	prepared := func(t *testing.T) (store DeveloperStore, a storage.Application) {
		t.Helper()
		store = s.store(t)
		createApplications(t, store, "acme", "client")
		createApplications(t, store, "other", "of other")
		a = must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		a.PictureBytes, a.Document = 5, []byte(`{}`)
		ok(t, store.SaveApplication(t.Context(), a))
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line("client", ""), line("client", "")}))
		ok(t, store.AppendChange(t.Context(), storage.Change{OrganizationID: "acme", At: t0, UserID: "ann", Environment: storage.Sandbox, ClientID: "client", What: "saved"}))
		a = must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		return store, a
	}
	move := func(t *testing.T, store storage.Developers, version int64, to string, most int) error {
		t.Helper()
		return store.MoveApplication(t.Context(), storage.Sandbox, "client", version, to, most)
	}
	t.Run("TakeLogAndPicturesWithThem", func(t *testing.T) {
		store, want := prepared(t)
		ok(t, move(t, store, want.Version, "other", 2))
		got := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		if got.Version == want.Version {
			t.Error("the version stays")
		}
		want.OrganizationID, want.Version = "other", got.Version
		equal(t, got, want)
		equal(t, len(must(store.Log(t.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: "client"}))(t)), 2)
		for organization, n := range map[string]int{"acme": 1, "other": 0} {
			equal(t, len(must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: organization}))(t)), n)
		}
		other := must(store.Application(t.Context(), storage.Sandbox, "of other"))(t)
		other.PictureBytes = 1
		fails(t, store.SaveApplication(t.Context(), other, 5), storage.ErrLimit)
		ok(t, store.DeleteOrganization(t.Context(), "acme")) // which has none any more
	})
	t.Run("AreRefused", func(t *testing.T) {
		for name, c := range map[string]struct {
			before func(store storage.Developers) error
			to     string
			most   int
			want   error
		}{
			"OrganizationIsFull": {to: "other", most: 1, want: storage.ErrLimit},
			"NoOrganization":     {to: "none", most: many, want: storage.ErrNotFound},
			"OfWhatIsDeleted":    {to: "deleted", most: many, want: storage.ErrNotFound},
			"ItIsThere":          {to: "acme", most: many, want: storage.ErrConflict},
			"FromAStoppedOne": {
				before: func(store storage.Developers) error { return store.StopOrganization(t.Context(), "acme", stop(t0)) },
				to:     "other", most: many, want: storage.ErrOrganizationStopped,
			},
			"ToAStoppedOne": {
				before: func(store storage.Developers) error { return store.StopOrganization(t.Context(), "other", stop(t0)) },
				to:     "other", most: many, want: storage.ErrOrganizationStopped,
			},
			"ItIsBeingDeleted": {
				before: func(store storage.Developers) error {
					return store.MarkApplication(t.Context(), storage.Sandbox, "client", storage.ApplicationMark{Deleting: true})
				},
				to: "other", most: many, want: storage.ErrChanged,
			},
		} {
			t.Run(name, func(t *testing.T) {
				store, a := prepared(t)
				if c.before != nil {
					ok(t, c.before(store))
				}
				fails(t, move(t, store, a.Version, c.to, c.most), c.want)
				equal(t, must(store.Application(t.Context(), storage.Sandbox, "client"))(t).OrganizationID, "acme")
			})
		}
		store, a := prepared(t)
		fails(t, move(t, store, a.Version+1, "other", many), storage.ErrChanged)
		fails(t, store.MoveApplication(t.Context(), storage.Production, "client", a.Version, "other", many), storage.ErrNotFound)
	})
	s.pair(t, "ThereAndBackDoNotWaitForEachOther", func(t *testing.T, stores []DeveloperStore) {
		createApplications(t, stores[0], "acme")
		createApplications(t, stores[0], "other")
		homes := []string{"acme", "other"}
		for i := range contenders {
			ok(t, stores[0].CreateApplication(t.Context(), application(fmt.Sprint(i), homes[i%2]), many))
		}
		allWin(t, race(stores, func(i int, store DeveloperStore) error {
			a, err := store.Application(t.Context(), storage.Sandbox, fmt.Sprint(i))
			if err != nil {
				return err
			}
			return store.MoveApplication(t.Context(), storage.Sandbox, a.ClientID, a.Version, homes[(i+1)%2], many)
		}))
	})
	s.pair(t, "AtOnceHoldTheLimit", func(t *testing.T, stores []DeveloperStore) {
		createApplications(t, stores[0], "acme")
		createApplications(t, stores[0], "other")
		for i := range contenders {
			ok(t, stores[0].CreateApplication(t.Context(), application(fmt.Sprint(i), "acme"), many))
		}
		race(stores, func(i int, store DeveloperStore) error {
			a, err := store.Application(t.Context(), storage.Sandbox, fmt.Sprint(i))
			if err != nil {
				return err
			}
			return store.MoveApplication(t.Context(), storage.Sandbox, a.ClientID, a.Version, "other", 5)
		})
		equal(t, len(must(stores[0].Applications(t.Context(), storage.ApplicationFilter{OrganizationID: "other"}))(t)), 5)
	})
	s.test(t, "ListsOfStoppedAndOwnerless", func(t *testing.T, store DeveloperStore) {
		for _, organization := range []string{"running", "stopped", "ownerless"} {
			createApplications(t, store, organization, "of "+organization)
		}
		ok(t, store.StopOrganization(t.Context(), "stopped", stop(t0)))
		ok(t, store.EndMemberships(t.Context(), "owner of ownerless", "gone"))
		for want, match := range map[string]storage.ApplicationFilter{
			"of stopped": {Stopped: true}, "of ownerless": {Ownerless: true},
		} {
			got := must(store.Applications(t.Context(), match))(t)
			if len(got) != 1 || got[0].ClientID != want {
				t.Errorf("%+v finds %+v, want %s", match, got, want)
			}
		}
	})
}

package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// stop makes the stop of a test.
func stop(at time.Time) storage.Stop {
	return storage.Stop{At: at, Reason: "Ünïcode <b>\nand more", By: "operator"}
}

func (s *developerSuite) stops(t *testing.T) {
	s.test(t, "ComesBackWhole", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		want := must(store.Organization(t.Context(), "acme"))(t)
		equal(t, want.Stopped, storage.Stop{})
		before := want.Version
		ok(t, store.StopOrganization(t.Context(), "acme", stop(elsewhere)))
		got := must(store.Organization(t.Context(), "acme"))(t)
		want.Stopped, want.Version = stop(asStored), got.Version
		equal(t, got, want)
		equal(t, must(store.Memberships(t.Context(), "owner of acme"))(t)[0].Organization, want)
		fails(t, store.SaveOrganization(t.Context(), storage.Organization{ID: "acme", Name: "New", Version: before}), storage.ErrChanged)
		ok(t, store.SaveOrganization(t.Context(), storage.Organization{ID: "acme", Name: "New", Version: got.Version}))
		got = must(store.Organization(t.Context(), "acme"))(t)
		equal(t, got.Stopped, want.Stopped)
	})
	s.test(t, "IsOneAtATime", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		another := stop(elsewhere)
		another.Reason, another.By = "Another", "another"
		fails(t, store.StopOrganization(t.Context(), "acme", another), storage.ErrChanged)
		equal(t, must(store.Organization(t.Context(), "acme"))(t).Stopped, stop(t0))
	})
	s.test(t, "OfNobodyIsNotFound", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
		for _, id := range []string{"", "unknown", "deleted"} {
			fails(t, store.StopOrganization(t.Context(), id, stop(t0)), storage.ErrNotFound)
			fails(t, store.StartOrganization(t.Context(), id, t0, "operator"), storage.ErrNotFound)
		}
	})
	s.test(t, "EndsAsTheOneThatWasRead", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		fails(t, store.StartOrganization(t.Context(), "acme", t0, "operator"), storage.ErrChanged)
		fails(t, store.StartOrganization(t.Context(), "acme", time.Time{}, "operator"), storage.ErrChanged)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(elsewhere)))
		fails(t, store.StartOrganization(t.Context(), "acme", t0, "operator"), storage.ErrChanged)
		fails(t, store.StartOrganization(t.Context(), "acme", time.Time{}, "operator"), storage.ErrChanged)
		ok(t, store.StartOrganization(t.Context(), "acme", elsewhere, "operator"))
		equal(t, must(store.Organization(t.Context(), "acme"))(t).Stopped, storage.Stop{})
	})
	s.test(t, "EndsByNoMember", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		join(t, store, "acme", "ann", storage.RoleViewer, t0)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		for _, member := range []string{"owner of acme", "ann"} {
			fails(t, store.StartOrganization(t.Context(), "acme", t0, member), storage.ErrConflict)
		}
		ok(t, store.StartOrganization(t.Context(), "acme", t0, "owner of other"))
	})
	s.test(t, "AreListedByID", func(t *testing.T, store DeveloperStore) {
		listed := func(after string, limit int) (ids string) {
			t.Helper()
			for _, o := range must(store.Organizations(t.Context(), storage.OrganizationFilter{Stopped: true}, after, limit))(t) {
				ids += o.ID
				equal(t, o.Stopped, stop(t0))
			}
			return ids
		}
		for _, id := range []string{"c", "a", "d", "b"} {
			createOrganization(t, store, id)
			equal(t, listed("", many), "")
		}
		for _, id := range []string{"d", "b", "c"} {
			ok(t, store.StopOrganization(t.Context(), id, stop(t0)))
		}
		equal(t, listed("", many), "bcd")
		equal(t, listed("", 2), "bc")
		equal(t, listed("c", 2), "d")
		ok(t, store.StartOrganization(t.Context(), "c", t0, "operator"))
		equal(t, listed("", many), "bd")
	})
	s.test(t, "LeaveTheirOwnersNoOther", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		create := func(id, user string) error {
			return store.CreateOrganization(t.Context(), storage.Organization{ID: id, Name: id, CreatedAt: t0}, storage.Member{UserID: user, JoinedAt: t0}, many)
		}
		fails(t, create("next", "owner of acme"), storage.ErrOrganizationStopped)
		fails(t, store.DeleteOrganization(t.Context(), "acme"), storage.ErrOrganizationStopped)
		ok(t, create("hers", "ann")) // who does not answer for it
		ok(t, store.StartOrganization(t.Context(), "acme", t0, "operator"))
		ok(t, create("next", "owner of acme"))
	})
	s.test(t, "LeaveNothingToSaveOfWhatWasRead", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		createApplications(t, store, "other", "another")
		mine := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		others := must(store.Application(t.Context(), storage.Sandbox, "another"))(t)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		fails(t, store.SaveApplication(t.Context(), mine), storage.ErrChanged)
		fails(t, store.SaveApplication(t.Context(), mine, many), storage.ErrChanged)
		ok(t, store.SaveApplication(t.Context(), others))
	})
	s.test(t, "NameTheOperatorAsLongAsThereIsOne", func(t *testing.T, store DeveloperStore) {
		for _, id := range []string{"acme", "other"} {
			createOrganization(t, store, id)
			stopped := stop(t0)
			stopped.By = id
			ok(t, store.StopOrganization(t.Context(), id, stopped))
		}
		ok(t, store.EndMemberships(t.Context(), "acme", "gone"))
		for id, want := range map[string]string{"acme": "gone", "other": "other"} {
			equal(t, must(store.Organization(t.Context(), id))(t).Stopped.By, want)
		}
	})
	s.test(t, "RefuseWhatGivesTheOrganizationMore", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		createApplications(t, store, "other", "another")
		ok(t, store.CreateInvitation(t.Context(), invitation("waits", "acme"), many))
		a := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		stopped := map[string]func() error{
			"CreateApplication": func() error { return store.CreateApplication(t.Context(), application("new", "acme"), many) },
			"CreateInvitation":  func() error { return store.CreateInvitation(t.Context(), invitation("new", "acme"), many) },
			"AcceptInvitation": func() error {
				return errOf(store.AcceptInvitation(t.Context(), digest("waits"), "ann", t0, many))
			},
			"DecideApplication": func() error { return store.DecideApplication(t.Context(), a, "operator") },
		}
		for name, call := range stopped {
			if err := call(); err == nil {
				t.Errorf("%s goes on", name)
			} else {
				fails(t, err, storage.ErrOrganizationStopped)
			}
		}
		ok(t, store.CreateApplication(t.Context(), application("new", "other"), many))
		ok(t, store.CreateInvitation(t.Context(), invitation("elsewhere", "other"), many))
		ok(t, store.StartOrganization(t.Context(), "acme", t0, "operator"))
		fails(t, stopped["DecideApplication"](), storage.ErrChanged) // as it was read before
		a = must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		for _, name := range []string{"AcceptInvitation", "CreateInvitation", "DecideApplication"} {
			ok(t, stopped[name]())
		}
		fails(t, stopped["CreateApplication"](), storage.ErrConflict) // another organization has it
	})
	s.test(t, "LeaveWhatGivesItNothing", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "gone")
		ok(t, store.CreateInvitation(t.Context(), invitation("waits", "acme"), many))
		join(t, store, "acme", "ann", storage.RoleViewer, t0)
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		ok(t, store.RemoveInvitation(t.Context(), "acme", digest("waits")))
		ok(t, store.SetRole(t.Context(), "acme", "ann", storage.RoleOwner)) // who answers for it may change
		ok(t, store.RemoveMember(t.Context(), "acme", "owner of acme"))
		a := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		ok(t, store.SaveApplication(t.Context(), a))
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "gone"))
		equal(t, halts(t, store, "acme"), map[string]storage.Halt{"client": storage.HaltAsked})
	})
	s.test(t, "LeaveAnOperatorToAppointAnOwner", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.EndMemberships(t.Context(), "owner of acme", "gone"))
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		appoints := invitation("link", "acme")
		appoints.InvitedBy, appoints.Appoints, appoints.Role = "operator", true, storage.RoleOwner
		ok(t, store.CreateInvitation(t.Context(), appoints, many))
		ok(t, errOf(store.AcceptInvitation(t.Context(), appoints.Token, "ann", t0, many)))
	})
}

// stopRaces tests that every write at the time of a stop is either refused or stopped.
func (s *developerSuite) stopRaces(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, store DeveloperStore, id string) error{
		"Application": func(ctx context.Context, store DeveloperStore, id string) error {
			return store.CreateApplication(ctx, application("new of "+id, id), many)
		},
		"Decision": func(ctx context.Context, store DeveloperStore, id string) error {
			a, err := store.Application(ctx, storage.Sandbox, "client of "+id)
			if err != nil {
				return err
			}
			return store.DecideApplication(ctx, a, "operator")
		},
		"Invitation": func(ctx context.Context, store DeveloperStore, id string) error {
			return store.CreateInvitation(ctx, invitation("new of "+id, id), many)
		},
		"Member": func(ctx context.Context, store DeveloperStore, id string) error {
			return errOf(store.AcceptInvitation(ctx, digest("waits of "+id), "ann", t0, many))
		},
	} {
		s.pair(t, name+"MeetsAStop", func(t *testing.T, stores []DeveloperStore) {
			for round := range *rounds {
				id := string(rune('a' + round))
				createApplications(t, stores[0], id, "client of "+id)
				ok(t, stores[0].CreateInvitation(t.Context(), invitation("waits of "+id, id), many))
				called, stopped := make(chan error, 1), make(chan error, 1)
				go func() { called <- call(t.Context(), stores[0], id) }()
				go func() { stopped <- stores[1].StopOrganization(t.Context(), id, stop(t0)) }()
				if err := <-called; err != nil {
					fails(t, err, storage.ErrOrganizationStopped)
				}
				ok(t, <-stopped)
				for client, halt := range halts(t, stores[0], id) {
					if halt != storage.HaltAsked {
						t.Errorf("%s runs in an organization that is stopped: its halt is %q", client, halt)
					}
				}
			}
		})
	}
	s.pair(t, "StopsAndStartsLeaveOneOfBoth", func(t *testing.T, stores []DeveloperStore) {
		createApplications(t, stores[0], "acme", "red", "blue")
		for _, err := range race(stores, func(i int, store DeveloperStore) error {
			if i%2 == 0 {
				return store.StopOrganization(t.Context(), "acme", stop(t0))
			}
			return store.StartOrganization(t.Context(), "acme", t0, "operator")
		}) {
			if err != nil {
				fails(t, err, storage.ErrChanged)
			}
		}
		o := must(stores[0].Organization(t.Context(), "acme"))(t)
		for client, halt := range halts(t, stores[0], "acme") {
			if (halt == storage.HaltNone) != o.Stopped.At.IsZero() {
				t.Errorf("the halt of %s is %q, and the organization stopped at %v", client, halt, o.Stopped.At)
			}
		}
	})
	s.pair(t, "NobodyJoinsAndStarts", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := string(rune('a' + round))
			createOrganization(t, stores[0], id)
			ok(t, stores[0].EndMemberships(t.Context(), "owner of "+id, "gone"))
			appoints := invitation("link of "+id, id)
			appoints.InvitedBy, appoints.Appoints, appoints.Role = "operator", true, storage.RoleOwner
			ok(t, stores[0].CreateInvitation(t.Context(), appoints, many))
			ok(t, stores[0].StopOrganization(t.Context(), id, stop(t0)))
			joined, started := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := stores[0].AcceptInvitation(t.Context(), appoints.Token, "operator", t0, many)
				joined <- err
			}()
			go func() { started <- stores[1].StartOrganization(t.Context(), id, t0, "operator") }()
			ok(t, <-joined)
			if err := <-started; err != nil {
				fails(t, err, storage.ErrConflict)
			}
			fails(t, stores[0].StartOrganization(t.Context(), id, t0, "operator"), storage.ErrConflict) // a member by now
		}
	})
}

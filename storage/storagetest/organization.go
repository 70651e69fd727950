package storagetest

import (
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) organizations(t *testing.T) {
	s.test(t, "ComesBackWhole", func(t *testing.T, store DeveloperStore) {
		want := storage.Organization{ID: "acme", Name: `Äcme <b>& "Söhne"`, Contact: []byte{0, 0xff, 1}, CreatedAt: elsewhere, Version: 99}
		ok(t, store.CreateOrganization(t.Context(), want, storage.Member{
			OrganizationID: "another", UserID: "ann", Role: storage.RoleViewer, JoinedAt: elsewhere,
		}, 1))
		got := must(store.Organization(t.Context(), "acme"))(t)
		if got.Version == 0 || got.Version == want.Version {
			t.Errorf("an organization has the version %d", got.Version)
		}
		want.CreatedAt, want.Version = asStored, got.Version
		equal(t, got, want)
		owner := must(storage.One(store.Members(t.Context(), "acme", "ann")))(t)
		equal(t, owner, storage.Member{OrganizationID: "acme", UserID: "ann", Role: storage.RoleOwner, JoinedAt: asStored})
	})
	s.test(t, "ComesBackBare", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		got := must(store.Organization(t.Context(), "acme"))(t)
		equal(t, got, storage.Organization{ID: "acme", Name: "Name of acme", CreatedAt: t0, Version: got.Version})
	})
	s.test(t, "UnknownIsNotFound", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		for _, id := range []string{"", "Acme", "acme ", "acm%"} {
			fails(t, errOf(store.Organization(t.Context(), id)), storage.ErrNotFound)
		}
	})
	s.test(t, "IDIsGivenOnce", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		fails(t, store.CreateOrganization(t.Context(), storage.Organization{ID: "acme", Name: "Another", CreatedAt: t0},
			storage.Member{UserID: "bob", JoinedAt: t0}, many), storage.ErrConflict)
		equal(t, must(store.Organization(t.Context(), "acme"))(t).Name, "Name of acme")
		fails(t, errOf(storage.One(store.Members(t.Context(), "acme", "bob"))), storage.ErrNotFound)
	})
	s.test(t, "OwnersHaveALimit", func(t *testing.T, store DeveloperStore) {
		create := func(id string) error {
			return store.CreateOrganization(t.Context(), storage.Organization{ID: id, Name: id, CreatedAt: t0},
				storage.Member{UserID: "ann", JoinedAt: t0}, 2)
		}
		createOrganization(t, store, "of another")
		join(t, store, "of another", "ann", storage.RoleViewer, t0) // counts, too
		ok(t, create("first"))
		fails(t, create("second"), storage.ErrLimit)
		fails(t, errOf(store.Organization(t.Context(), "second")), storage.ErrNotFound)
		ok(t, store.RemoveMember(t.Context(), "of another", "ann"))
		ok(t, create("second"))
		fails(t, create("third"), storage.ErrLimit)
	})
	s.test(t, "AreFoundByNameAndID", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "gone", "client")
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client")) // whose rest has an organization, too
		ok(t, store.DeleteOrganization(t.Context(), "gone"))
		for id, name := range map[string]string{"a": "River & Söhne", "b": "riverside", "c": "100% Wool_", "d": "d"} {
			o := storage.Organization{ID: id, Name: name, CreatedAt: t0}
			ok(t, store.CreateOrganization(t.Context(), o, storage.Member{UserID: id, JoinedAt: t0}, many))
		}
		found := func(search, after string, limit int) (ids string) {
			t.Helper()
			for _, o := range must(store.Organizations(t.Context(), storage.OrganizationFilter{Search: search}, after, limit))(t) {
				ids += o.ID
				equal(t, o, must(store.Organization(t.Context(), o.ID))(t))
			}
			return ids
		}
		for search, want := range map[string]string{
			"River": "ab", "RIVER": "ab", "Söhne": "a", "b": "b", "%": "c", "_": "c", "none": "", "deleted": "", "": "abcd",
			strings.Repeat("a", 300): "",
		} {
			equal(t, found(search, "", many), want)
		}
		equal(t, found("r", "", 1), "a")
		equal(t, found("r", "a", many), "b")
		equal(t, found("", "", 0), "")
	})
	s.test(t, "SaveReplacesNameAndContact", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		read := must(store.Organization(t.Context(), "acme"))(t)
		changed := read
		changed.Name, changed.Contact, changed.CreatedAt = "New", []byte("sealed"), elsewhere
		ok(t, store.SaveOrganization(t.Context(), changed))
		got := must(store.Organization(t.Context(), "acme"))(t)
		if got.Version == read.Version {
			t.Error("another organization has the same version")
		}
		changed.CreatedAt, changed.Version = t0, got.Version
		equal(t, got, changed)

		fails(t, store.SaveOrganization(t.Context(), read), storage.ErrChanged)
		ok(t, store.DeleteOrganization(t.Context(), "acme"))
		fails(t, store.SaveOrganization(t.Context(), got), storage.ErrChanged)
		createOrganization(t, store, "acme")
		fails(t, store.SaveOrganization(t.Context(), got), storage.ErrChanged) // not the same again
	})
	s.test(t, "DeleteTakesWhatItHasAlong", func(t *testing.T, store DeveloperStore) {
		for _, id := range []string{"gone", "stays"} {
			createOrganization(t, store, id)
			ok(t, store.CreateInvitation(t.Context(), invitation("link to "+id, id), many))
			ok(t, store.SaveSandboxSettings(t.Context(), storage.SandboxSettings{OrganizationID: id, ClockOffset: 1}))
			ok(t, store.AppendMail(t.Context(), storage.SandboxMail{OrganizationID: id, At: t0, Content: []byte("sealed")}, many))
			ok(t, store.AppendChange(t.Context(), storage.Change{OrganizationID: id, At: t0, What: "made"}))
		}
		fails(t, store.DeleteOrganization(t.Context(), "unknown"), storage.ErrNotFound)
		ok(t, store.DeleteOrganization(t.Context(), "gone"))
		fails(t, store.DeleteOrganization(t.Context(), "gone"), storage.ErrNotFound)

		found := func(id string) (n int) {
			t.Helper()
			members := must(store.Members(t.Context(), id))(t)
			memberships := must(store.Memberships(t.Context(), "owner of "+id))(t)
			invitations := must(store.Invitations(t.Context(), storage.TokenFilter{OrganizationID: id, Now: t0}))(t)
			mails := must(store.Mails(t.Context(), id, many))(t)
			settings := must(store.SandboxSettings(t.Context(), id))(t)
			return len(members) + len(memberships) + len(invitations) + len(mails) + int(settings.ClockOffset)
		}
		equal(t, found("gone"), 0)
		equal(t, found("stays"), 5)
	})
	s.test(t, "WithApplicationsIsNotDeleted", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		fails(t, store.DeleteOrganization(t.Context(), "acme"), storage.ErrConflict)
		ok(t, errOf(storage.One(store.Members(t.Context(), "acme", "owner of acme"))))
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
		ok(t, store.DeleteOrganization(t.Context(), "acme"))
	})
	s.test(t, "MembershipsComeByNameInAnyCase", func(t *testing.T, store DeveloperStore) {
		for i, name := range []string{"beta", "Älpha", "Gamma", "alpha", "älpha 2"} {
			ok(t, store.CreateOrganization(t.Context(), storage.Organization{ID: name, Name: name, CreatedAt: t0.Add(time.Duration(i))},
				storage.Member{UserID: "owner of " + name, JoinedAt: t0}, many))
			if name != "Gamma" {
				join(t, store, name, "ann", storage.RoleDeveloper, t0)
			}
		}
		memberships := must(store.Memberships(t.Context(), "ann"))(t)
		var got []string
		for _, m := range memberships {
			got = append(got, m.Name+" "+string(m.Role))
		}
		equal(t, got, []string{"alpha developer", "beta developer", "Älpha developer", "älpha 2 developer"})
		equal(t, memberships[1].Organization, must(store.Organization(t.Context(), "beta"))(t))
		equal(t, len(must(store.Memberships(t.Context(), "nobody"))(t)), 0)
	})
}

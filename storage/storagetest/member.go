package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) members(t *testing.T) {
	t.Run("ComeInTheOrderInWhichTheyJoined", func(t *testing.T) {
		store := s.store(t)
		createOrganization(t, store, "acme")
		join(t, store, "acme", "zoe", storage.RoleViewer, t0.Add(time.Hour))
		join(t, store, "acme", "bob", storage.RoleOwner, t0.Add(2*time.Hour))
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0.Add(2*time.Hour))
		got, err := store.Members(t.Context(), "acme")
		ok(t, err)
		equal(t, got, []storage.Member{
			{OrganizationID: "acme", UserID: "owner of acme", Role: storage.RoleOwner, JoinedAt: t0},
			{OrganizationID: "acme", UserID: "zoe", Role: storage.RoleViewer, JoinedAt: t0.Add(time.Hour)},
			{OrganizationID: "acme", UserID: "ann", Role: storage.RoleDeveloper, JoinedAt: t0.Add(2 * time.Hour)},
			{OrganizationID: "acme", UserID: "bob", Role: storage.RoleOwner, JoinedAt: t0.Add(2 * time.Hour)},
		})
	})
	t.Run("OfAnotherOrganizationAreNone", func(t *testing.T) {
		store := s.store(t)
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		for _, user := range []string{"owner of other", "nobody", ""} {
			_, err := store.Member(t.Context(), "acme", user)
			fails(t, err, storage.ErrNotFound)
			fails(t, store.SetRole(t.Context(), "acme", user, storage.RoleOwner), storage.ErrNotFound)
			ok(t, store.RemoveMember(t.Context(), "acme", user))
		}
		fails(t, store.SetRole(t.Context(), "unknown", "owner of acme", storage.RoleOwner), storage.ErrNotFound)
		ok(t, store.RemoveMember(t.Context(), "unknown", "owner of acme"))
		_, err := store.Member(t.Context(), "other", "owner of other")
		ok(t, err)
	})
	t.Run("HaveTheRoleThatWasSet", func(t *testing.T) {
		store := s.store(t)
		createOrganization(t, store, "acme")
		join(t, store, "acme", "ann", storage.RoleViewer, t0)
		for _, role := range []storage.Role{storage.RoleDeveloper, storage.RoleOwner, storage.RoleOwner, storage.RoleViewer} {
			ok(t, store.SetRole(t.Context(), "acme", "ann", role))
			got, err := store.Member(t.Context(), "acme", "ann")
			ok(t, err)
			equal(t, got.Role, role)
		}
		if err := store.SetRole(t.Context(), "acme", "ann", "king"); err == nil {
			t.Error("a member has a role that there is not")
		}
	})
	t.Run("LastOwnerStays", func(t *testing.T) {
		store := s.store(t)
		createOrganization(t, store, "other")
		join(t, store, "other", "owner of acme", storage.RoleViewer, t0) // helps nobody at acme
		createOrganization(t, store, "acme")
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0)
		for _, role := range []storage.Role{storage.RoleDeveloper, storage.RoleViewer} {
			fails(t, store.SetRole(t.Context(), "acme", "owner of acme", role), storage.ErrConflict)
		}
		fails(t, store.RemoveMember(t.Context(), "acme", "owner of acme"), storage.ErrConflict)
		ok(t, store.SetRole(t.Context(), "acme", "owner of acme", storage.RoleOwner))
		got, err := store.Member(t.Context(), "acme", "owner of acme")
		ok(t, err)
		equal(t, got.Role, storage.RoleOwner)

		ok(t, store.SetRole(t.Context(), "acme", "ann", storage.RoleOwner))
		ok(t, store.RemoveMember(t.Context(), "acme", "owner of acme"))
		fails(t, store.SetRole(t.Context(), "acme", "ann", storage.RoleViewer), storage.ErrConflict)
		_, err = store.Member(t.Context(), "acme", "owner of acme")
		fails(t, err, storage.ErrNotFound)
	})
}

package storagetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) members(t *testing.T) {
	s.test(t, "ComeInTheOrderInWhichTheyJoined", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		join(t, store, "acme", "zoe", storage.RoleViewer, t0.Add(time.Hour))
		join(t, store, "acme", "bob", storage.RoleOwner, t0.Add(2*time.Hour))
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0.Add(2*time.Hour))
		equal(t, must(store.Members(t.Context(), "acme"))(t), []storage.Member{
			{OrganizationID: "acme", UserID: "owner of acme", Role: storage.RoleOwner, JoinedAt: t0},
			{OrganizationID: "acme", UserID: "zoe", Role: storage.RoleViewer, JoinedAt: t0.Add(time.Hour)},
			{OrganizationID: "acme", UserID: "ann", Role: storage.RoleDeveloper, JoinedAt: t0.Add(2 * time.Hour)},
			{OrganizationID: "acme", UserID: "bob", Role: storage.RoleOwner, JoinedAt: t0.Add(2 * time.Hour)},
		})
	})
	s.test(t, "OfAnotherOrganizationAreNone", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		for _, user := range []string{"owner of other", "nobody", ""} {
			fails(t, errOf(storage.One(store.Members(t.Context(), "acme", user))), storage.ErrNotFound)
			fails(t, store.SetRole(t.Context(), "acme", user, storage.RoleOwner), storage.ErrNotFound)
			ok(t, store.RemoveMember(t.Context(), "acme", user))
		}
		fails(t, store.SetRole(t.Context(), "unknown", "owner of acme", storage.RoleOwner), storage.ErrNotFound)
		ok(t, store.RemoveMember(t.Context(), "unknown", "owner of acme"))
		ok(t, errOf(storage.One(store.Members(t.Context(), "other", "owner of other"))))
	})
	s.test(t, "HaveTheRoleThatWasSet", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		join(t, store, "acme", "ann", storage.RoleViewer, t0)
		for _, role := range []storage.Role{storage.RoleDeveloper, storage.RoleOwner, storage.RoleOwner, storage.RoleViewer} {
			ok(t, store.SetRole(t.Context(), "acme", "ann", role))
			equal(t, must(storage.One(store.Members(t.Context(), "acme", "ann")))(t).Role, role)
		}
		if err := store.SetRole(t.Context(), "acme", "ann", "king"); err == nil {
			t.Error("a member has a role that there is not")
		}
	})
	s.test(t, "LastOwnerStays", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "other")
		join(t, store, "other", "owner of acme", storage.RoleViewer, t0) // helps nobody at acme
		createOrganization(t, store, "acme")
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0)
		for _, role := range []storage.Role{storage.RoleDeveloper, storage.RoleViewer} {
			fails(t, store.SetRole(t.Context(), "acme", "owner of acme", role), storage.ErrConflict)
		}
		fails(t, store.RemoveMember(t.Context(), "acme", "owner of acme"), storage.ErrConflict)
		ok(t, store.SetRole(t.Context(), "acme", "owner of acme", storage.RoleOwner))
		equal(t, must(storage.One(store.Members(t.Context(), "acme", "owner of acme")))(t).Role, storage.RoleOwner)

		ok(t, store.SetRole(t.Context(), "acme", "ann", storage.RoleOwner))
		ok(t, store.RemoveMember(t.Context(), "acme", "owner of acme"))
		fails(t, store.SetRole(t.Context(), "acme", "ann", storage.RoleViewer), storage.ErrConflict)
		fails(t, errOf(storage.One(store.Members(t.Context(), "acme", "owner of acme"))), storage.ErrNotFound)
	})
	s.test(t, "EndWithTheUser", func(t *testing.T, store DeveloperStore) {
		for _, id := range []string{"acme", "other", "third"} {
			createApplications(t, store, id, "client of "+id)
		}
		join(t, store, "other", "owner of acme", storage.RoleOwner, t0)
		waits := invitation("by the one who goes", "other")
		waits.InvitedBy = "owner of acme"
		ok(t, store.CreateInvitation(t.Context(), waits, many))
		ok(t, store.CreateInvitation(t.Context(), invitation("for anybody", "other"), many))
		for _, user := range []string{"owner of acme", "owner of other"} {
			ok(t, store.AppendChange(t.Context(), storage.Change{OrganizationID: "other", At: t0, UserID: user, What: "did"}))
		}
		for range 2 { // again after an interruption
			ok(t, store.EndMemberships(t.Context(), "owner of acme", "gone"))
		}
		equal(t, len(must(store.Memberships(t.Context(), "owner of acme"))(t)), 0)
		for id, members := range map[string]int{"acme": 0, "other": 1, "third": 1} {
			equal(t, len(must(store.Members(t.Context(), id))(t)), members)
		}
		for _, name := range []string{"by the one who goes", "for anybody"} { // an account made again with the ID inherits nothing
			fails(t, errOf(store.AcceptInvitation(t.Context(), digest(name), "owner of acme", t0, many)), storage.ErrNotFound)
		}
		changes := must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "other"}))(t)
		equal(t, changes[0].UserID+" "+changes[1].UserID, "owner of other gone")
		equal(t, must(store.Application(t.Context(), storage.Sandbox, "client of acme"))(t).CreatedBy, "gone")

		back := invitation("of an operator", "acme")
		back.InvitedBy, back.Appoints, back.Role = "operator", true, storage.RoleOwner
		ok(t, store.CreateInvitation(t.Context(), back, many))
		again := back
		again.Token = digest("of an operator, too")
		ok(t, store.CreateInvitation(t.Context(), again, many))
		ok(t, errOf(store.AcceptInvitation(t.Context(), back.Token, "ann", t0, many)))
		_, err := store.AcceptInvitation(t.Context(), again.Token, "bob", t0, many) // there is an owner by now
		fails(t, err, storage.ErrNotFound)
	})
	s.test(t, "WithoutAnOwnerAreFoundUntilOneIsAppointed", func(t *testing.T, store DeveloperStore) {
		for _, id := range []string{"acme", "both", "lost", "other"} {
			createApplications(t, store, id, "client of "+id)
		}
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0)
		join(t, store, "both", "ann", storage.RoleOwner, t0)
		for _, id := range []string{"acme", "both", "lost"} {
			ok(t, store.EndMemberships(t.Context(), "owner of "+id, "gone"))
		}
		found := func(after string, limit int) string {
			t.Helper()
			list := must(store.Ownerless(t.Context(), after, limit))(t)
			var s string
			for _, o := range list {
				s += fmt.Sprintf("%s (%s): %d of %d. ", o.ID, o.Name, o.Applications, o.Members)
			}
			return s
		}
		acme, lost := "acme (Name of acme): 1 of 1. ", "lost (Name of lost): 1 of 0. "
		equal(t, found("", many), acme+lost)
		equal(t, found("", 1), acme)
		equal(t, found("acme", many), lost)
		i := invitation("of an operator", "acme")
		i.InvitedBy, i.Appoints, i.Role = "operator", true, storage.RoleOwner
		ok(t, store.CreateInvitation(t.Context(), i, many))
		equal(t, must(store.AcceptInvitation(t.Context(), i.Token, "ann", t0, many))(t).Role, storage.RoleOwner) // and not what the member was
		equal(t, found("", many), lost)
		ok(t, store.EndMemberships(t.Context(), "ann", "gone"))
		equal(t, found("", many), strings.Replace(acme, "of 1", "of 0", 1)+"both (Name of both): 1 of 0. "+lost)
	})
}

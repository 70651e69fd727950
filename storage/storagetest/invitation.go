package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// invitation makes an invitation of an hour; its token is the digest of its name.
func invitation(name, organization string) storage.Invitation {
	return storage.Invitation{
		Token: digest(name), OrganizationID: organization, Role: storage.RoleDeveloper,
		InvitedBy: "owner of " + organization, CreatedAt: t0, ExpiresAt: t0.Add(time.Hour),
	}
}

func (s *developerSuite) invitations(t *testing.T) {
	hour := t0.Add(time.Hour)

	s.test(t, "ComesBackWhole", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		want := invitation("link", "acme")
		want.Email, want.CreatedAt = []byte{0, 0xff}, elsewhere
		ok(t, store.CreateInvitation(t.Context(), want, 1))
		want.CreatedAt = asStored
		equal(t, must(storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("link")})))(t), want)
		for _, unknown := range []storage.Digest{{}, digest("guess")} {
			fails(t, errOf(storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: unknown}))), storage.ErrNotFound)
		}
	})
	s.test(t, "NeedsTheOrganization", func(t *testing.T, store DeveloperStore) {
		fails(t, store.CreateInvitation(t.Context(), invitation("link", "unknown"), 1), storage.ErrNotFound)
	})
	s.test(t, "TokenIsGivenOnce", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many))
		fails(t, store.CreateInvitation(t.Context(), invitation("link", "other"), many), storage.ErrConflict)
	})
	s.test(t, "NeedsAnEnd", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		i := invitation("link", "acme")
		i.ExpiresAt = time.Time{}
		if err := store.CreateInvitation(t.Context(), i, many); err == nil {
			t.Error("there is an invitation without an end")
		}
	})
	s.test(t, "ThoseThatAreOpenHaveALimit", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		ok(t, store.CreateInvitation(t.Context(), invitation("of another", "other"), 2))
		for _, name := range []string{"1", "2"} {
			ok(t, store.CreateInvitation(t.Context(), invitation(name, "acme"), 2))
		}
		fails(t, store.CreateInvitation(t.Context(), invitation("3", "acme"), 2), storage.ErrLimit)
		fails(t, store.CreateInvitation(t.Context(), invitation("3", "acme"), 1), storage.ErrLimit)
		later := invitation("3", "acme")
		later.CreatedAt, later.ExpiresAt = hour, hour.Add(time.Hour)
		ok(t, store.CreateInvitation(t.Context(), later, 2)) // the others have expired
	})
	s.test(t, "ListHasThoseThatAreOpenTheLatestFirst", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		ok(t, store.CreateInvitation(t.Context(), invitation("of another", "other"), many))
		for n := range 4 {
			i := invitation(fmt.Sprint(n), "acme")
			i.Email = []byte(fmt.Sprint(n))
			i.CreatedAt = t0.Add(time.Duration(n) * time.Minute)
			i.ExpiresAt = i.CreatedAt.Add(time.Hour)
			ok(t, store.CreateInvitation(t.Context(), i, many))
		}
		open := func(now time.Time) (got string) {
			t.Helper()
			for _, i := range must(store.Invitations(t.Context(), storage.TokenFilter{OrganizationID: "acme", Now: now}))(t) {
				got += string(i.Email)
			}
			return got
		}
		equal(t, open(t0), "3210")
		equal(t, open(hour.Add(time.Minute-time.Microsecond)), "321")
		equal(t, open(hour.Add(time.Minute)), "32")
		ok(t, store.RemoveInvitation(t.Context(), "acme", digest("3")))
		equal(t, open(hour.Add(time.Minute)), "2")
		_, err := storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("0")}))
		ok(t, err) // expired ones included
	})
	s.test(t, "MakesAMember", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many))
		got := must(store.AcceptInvitation(t.Context(), digest("link"), "ann", hour.Add(-time.Microsecond), many))(t)
		equal(t, got, storage.Member{
			OrganizationID: "acme", UserID: "ann", Role: storage.RoleDeveloper, JoinedAt: hour.Add(-time.Microsecond),
		})
		equal(t, must(storage.One(store.Members(t.Context(), "acme", "ann")))(t), got)
		fails(t, errOf(store.AcceptInvitation(t.Context(), digest("link"), "bob", t0, many)), storage.ErrNotFound) // spent
		fails(t, errOf(storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("link")}))), storage.ErrNotFound)
	})
	s.test(t, "ExpiredOneMakesNobodyAMember", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many))
		fails(t, errOf(store.AcceptInvitation(t.Context(), digest("link"), "ann", hour, many)), storage.ErrNotFound)
		fails(t, errOf(storage.One(store.Members(t.Context(), "acme", "ann"))), storage.ErrNotFound)
		ok(t, errOf(storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("link")}))))
	})
	s.test(t, "GivesAMemberNoOtherRole", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many))
		got := must(store.AcceptInvitation(t.Context(), digest("link"), "owner of acme", t0.Add(time.Minute), many))(t)
		equal(t, got, storage.Member{OrganizationID: "acme", UserID: "owner of acme", Role: storage.RoleOwner, JoinedAt: t0})
		_, err := storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("link")}))
		fails(t, err, storage.ErrNotFound) // spent all the same
	})
	s.test(t, "IsWithdrawnByItsOrganizationAlone", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many))
		ok(t, store.RemoveInvitation(t.Context(), "other", digest("link")))
		ok(t, errOf(storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("link")}))))
		ok(t, store.RemoveInvitation(t.Context(), "acme", digest("link")))
		ok(t, store.RemoveInvitation(t.Context(), "acme", digest("link")))
		fails(t, errOf(store.AcceptInvitation(t.Context(), digest("link"), "ann", t0, many)), storage.ErrNotFound)
	})
	s.test(t, "NeedsAnOwnerWhoInvites", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		join(t, store, "acme", "dev", storage.RoleDeveloper, t0)
		for _, user := range []string{"dev", "nobody", "owner of other", ""} {
			i := invitation("link", "acme")
			i.InvitedBy = user
			fails(t, store.CreateInvitation(t.Context(), i, many), storage.ErrNotFound)
		}
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many)) // nothing was left
	})
	t.Run("GoesWithTheOneWhoHasMadeIt", func(t *testing.T) {
		for name, end := range map[string]func(storage.Developers) error{
			"Removed": func(d storage.Developers) error { return d.RemoveMember(t.Context(), "acme", "owner of acme") },
			"Demoted": func(d storage.Developers) error {
				return d.SetRole(t.Context(), "acme", "owner of acme", storage.RoleDeveloper)
			},
		} {
			s.test(t, name, func(t *testing.T, store DeveloperStore) {
				createOrganization(t, store, "acme")
				join(t, store, "acme", "ann", storage.RoleOwner, t0)
				ok(t, store.CreateInvitation(t.Context(), invitation("gone", "acme"), many))
				stays := invitation("stays", "acme")
				stays.InvitedBy = "ann"
				ok(t, store.CreateInvitation(t.Context(), stays, many))
				ok(t, end(store))
				fails(t, errOf(store.AcceptInvitation(t.Context(), digest("gone"), "bob", t0, many)), storage.ErrNotFound)
				fails(t, errOf(storage.One(store.Invitations(t.Context(), storage.TokenFilter{Token: digest("gone")}))), storage.ErrNotFound)
				ok(t, errOf(store.AcceptInvitation(t.Context(), digest("stays"), "bob", t0, many)))
			})
		}
	})
	s.test(t, "BringsNobodyBackWhoWasRemovedSince", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		join(t, store, "acme", "ann", storage.RoleDeveloper, t0)
		ok(t, store.CreateInvitation(t.Context(), invitation("before", "acme"), many))
		ok(t, store.CreateInvitation(t.Context(), invitation("of another", "other"), many))
		ok(t, store.RemoveMember(t.Context(), "acme", "ann"))
		ok(t, store.RemoveMember(t.Context(), "acme", "ann"))
		ok(t, store.CreateInvitation(t.Context(), invitation("after", "acme"), many))
		fails(t, errOf(store.AcceptInvitation(t.Context(), digest("before"), "ann", t0, many)), storage.ErrNotFound)
		for _, name := range []string{"after", "of another"} {
			ok(t, errOf(store.AcceptInvitation(t.Context(), digest(name), "ann", t0, many)))
		}
		ok(t, errOf(store.AcceptInvitation(t.Context(), digest("before"), "bob", t0, many)))
	})
	s.test(t, "OfAnOperatorHoldsWhereThereIsNoOwner", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		i := invitation("link", "acme")
		i.InvitedBy, i.Appoints = "operator", true
		fails(t, store.CreateInvitation(t.Context(), i, many), storage.ErrNotFound)
		join(t, store, "acme", "dev", storage.RoleDeveloper, t0)
		join(t, store, "acme", "operator", storage.RoleViewer, t0)
		ok(t, store.EndMemberships(t.Context(), "owner of acme", "gone"))
		ok(t, store.CreateInvitation(t.Context(), i, many))
		ok(t, store.RemoveMember(t.Context(), "acme", "operator")) // who has not invited as a member
		ok(t, errOf(store.AcceptInvitation(t.Context(), i.Token, "ann", t0, many)))
	})
	s.test(t, "WhoIsAMemberOfManyIsNoneOfOneMore", func(t *testing.T, store DeveloperStore) {
		for _, id := range []string{"first", "second", "third"} {
			createOrganization(t, store, id)
		}
		join(t, store, "first", "ann", storage.RoleViewer, t0)
		join(t, store, "second", "ann", storage.RoleViewer, t0)
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "third"), many))
		fails(t, errOf(store.AcceptInvitation(t.Context(), digest("link"), "ann", t0, 2)), storage.ErrLimit)
		fails(t, errOf(storage.One(store.Members(t.Context(), "third", "ann"))), storage.ErrNotFound)
		ok(t, errOf(store.AcceptInvitation(t.Context(), digest("link"), "ann", t0, 3)))
		ok(t, store.CreateInvitation(t.Context(), invitation("again", "first"), many))
		_, err := store.AcceptInvitation(t.Context(), digest("again"), "ann", t0, 3) // is one of three
		ok(t, err)
	})
	s.test(t, "IsSweptAfterAMonth", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		ok(t, store.CreateInvitation(t.Context(), invitation("link", "acme"), many))
		month := hour.Add(30 * 24 * time.Hour)
		for _, tc := range []struct {
			now     time.Time
			removed int
		}{{month.Add(-time.Microsecond), 0}, {month, 1}, {month, 0}} {
			removed := must(store.Sweep(t.Context(), tc.now, 10))(t)
			equal(t, removed, tc.removed)
		}
	})
}

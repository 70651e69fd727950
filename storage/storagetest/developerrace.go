package storagetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// races tests what many callers want and not all may have.
func (s *developerSuite) races(t *testing.T) {
	// won counts the calls that succeeded, and reports one that failed otherwise.
	won := func(t *testing.T, errs []error, loser error) (n int) {
		t.Helper()
		for _, err := range errs {
			if err == nil {
				n++
			} else {
				fails(t, err, loser)
			}
		}
		return n
	}
	owners := func(t *testing.T, store storage.Developers, organization string) (n int) {
		t.Helper()
		for _, m := range must(store.Members(t.Context(), organization))(t) {
			if m.Role == storage.RoleOwner {
				n++
			}
		}
		return n
	}
	s.pair(t, "OwnersWhoLeaveAtOnceLeaveOne", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		for i := range contenders {
			join(t, stores[0], "acme", fmt.Sprint(i), storage.RoleOwner, t0)
		}
		ok(t, stores[0].RemoveMember(t.Context(), "acme", "owner of acme"))
		errs := race(stores, func(i int, store DeveloperStore) error {
			if i%3 == 0 {
				return store.SetRole(t.Context(), "acme", fmt.Sprint(i), storage.RoleViewer)
			}
			return store.RemoveMember(t.Context(), "acme", fmt.Sprint(i))
		})
		equal(t, won(t, errs, storage.ErrConflict), contenders-1)
		equal(t, owners(t, stores[0], "acme"), 1)
	})
	s.pair(t, "LastTwoOwnersCannotBothLeave", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint(round)
			createOrganization(t, stores[0], id)
			join(t, stores[0], id, "ann", storage.RoleOwner, t0)
			errs := make(chan error, 2)
			for i, user := range []string{"ann", "owner of " + id} {
				go func() { errs <- stores[i].RemoveMember(t.Context(), id, user) }()
			}
			equal(t, won(t, []error{<-errs, <-errs}, storage.ErrConflict), 1)
			equal(t, owners(t, stores[0], id), 1)
		}
	})
	s.pair(t, "OwnerStaysWhileAnotherIsMadeAndUnmade", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		join(t, stores[0], "acme", "ann", storage.RoleOwner, t0)
		users := []string{"ann", "owner of acme"}
		roles := []storage.Role{storage.RoleOwner, storage.RoleViewer}
		won(t, race(stores, func(i int, store DeveloperStore) error {
			return store.SetRole(t.Context(), "acme", users[i/2%2], roles[i/4%2])
		}), storage.ErrConflict)
		if owners(t, stores[0], "acme") == 0 {
			t.Error("there is no owner")
		}
	})
	s.pair(t, "OrganizationsOfOneUserHoldTheLimit", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds { // the first of which meets a user who is new
			before := round * 3
			equal(t, won(t, race(stores, func(i int, store DeveloperStore) error {
				return store.CreateOrganization(t.Context(), storage.Organization{ID: fmt.Sprint(round, " ", i), Name: "x", CreatedAt: t0},
					storage.Member{UserID: "ann", JoinedAt: t0}, before+3)
			}), storage.ErrLimit), 3)
		}
		equal(t, len(must(stores[0].Memberships(t.Context(), "ann"))(t)), 3**rounds)
	})
	s.pair(t, "OrganizationOfAnIDHasOneWinner", func(t *testing.T, stores []DeveloperStore) {
		oneWins(t, race(stores, func(i int, store DeveloperStore) error {
			return store.CreateOrganization(t.Context(), storage.Organization{ID: "acme", Name: "x", CreatedAt: t0},
				storage.Member{UserID: fmt.Sprint(i), JoinedAt: t0}, many)
		}), storage.ErrConflict)
		equal(t, len(must(stores[0].Members(t.Context(), "acme"))(t)), 1)
	})
	s.contests(t)
	s.stopRaces(t)
	s.pair(t, "PicturesOfAnOrganizationHaveALimit", func(t *testing.T, stores []DeveloperStore) {
		ids := make([]string, contenders)
		for i := range ids {
			ids[i] = fmt.Sprint(i)
		}
		createApplications(t, stores[0], "acme", ids...)
		const most = 5
		for i, err := range race(stores, func(i int, store DeveloperStore) error {
			a, err := store.Application(t.Context(), storage.Sandbox, fmt.Sprint(i))
			if err != nil {
				return err
			}
			a.PictureBytes = 1
			return store.SaveApplication(t.Context(), a, most)
		}) {
			if err != nil && !errors.Is(err, storage.ErrLimit) {
				t.Errorf("%d: %v", i, err)
			}
		}
		found := must(stores[0].Applications(t.Context(), storage.ApplicationFilter{OrganizationID: "acme"}))(t)
		var bytes int64
		for _, a := range found {
			bytes += a.PictureBytes
		}
		equal(t, bytes, most)
	})
	s.pair(t, "InvitationMakesOneMember", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		ok(t, stores[0].CreateInvitation(t.Context(), invitation("link", "acme"), many))
		oneWins(t, race(stores, func(i int, store DeveloperStore) error {
			return errOf(store.AcceptInvitation(t.Context(), digest("link"), fmt.Sprint(i), t0, many))
		}), storage.ErrNotFound)
		equal(t, len(must(stores[0].Members(t.Context(), "acme"))(t)), 2)
	})
	s.pair(t, "OneOfManyWhoAreAppointedIsTheOwner", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		join(t, stores[0], "acme", "0", storage.RoleDeveloper, t0)
		ok(t, stores[0].EndMemberships(t.Context(), "owner of acme", "gone"))
		for i := range contenders {
			appoints := invitation(fmt.Sprint(i), "acme")
			appoints.InvitedBy, appoints.Appoints, appoints.Role = "operator", true, storage.RoleOwner
			ok(t, stores[0].CreateInvitation(t.Context(), appoints, many))
		}
		oneWins(t, race(stores, func(i int, store DeveloperStore) error {
			return errOf(store.AcceptInvitation(t.Context(), digest(fmt.Sprint(i)), fmt.Sprint(i), t0, many))
		}), storage.ErrNotFound)
		equal(t, owners(t, stores[0], "acme"), 1)
	})
	s.pair(t, "NobodyIsInvitedByWhoHasBeenRemoved", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint(round)
			createOrganization(t, stores[0], id)
			join(t, stores[0], id, "ann", storage.RoleOwner, t0)
			made := make(chan error, 1)
			i := invitation("made by one who goes "+id, id)
			i.InvitedBy = "ann"
			go func() { made <- stores[0].CreateInvitation(t.Context(), i, many) }()
			ok(t, stores[1].RemoveMember(t.Context(), id, "ann"))
			if err := <-made; err != nil {
				fails(t, err, storage.ErrNotFound)
			}
			fails(t, errOf(stores[0].AcceptInvitation(t.Context(), i.Token, "bob", t0, many)), storage.ErrNotFound)
		}
	})
	s.pair(t, "MembershipsOfOneUserHoldTheLimit", func(t *testing.T, stores []DeveloperStore) {
		for i := range contenders {
			createOrganization(t, stores[0], fmt.Sprint(i))
			ok(t, stores[0].CreateInvitation(t.Context(), invitation(fmt.Sprint(i), fmt.Sprint(i)), many))
		}
		equal(t, won(t, race(stores, func(i int, store DeveloperStore) error {
			return errOf(store.AcceptInvitation(t.Context(), digest(fmt.Sprint(i)), "ann", t0, 3))
		}), storage.ErrLimit), 3)
	})
	s.pair(t, "InvitationsHoldTheLimit", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint(round)
			createOrganization(t, stores[0], id)
			equal(t, won(t, race(stores, func(i int, store DeveloperStore) error {
				return store.CreateInvitation(t.Context(), invitation(fmt.Sprint(round, " ", i), id), 5)
			}), storage.ErrLimit), 5)
		}
	})
	s.pair(t, "ApplicationsHoldTheLimit", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint(round)
			createOrganization(t, stores[0], id)
			equal(t, won(t, race(stores, func(i int, store DeveloperStore) error {
				return store.CreateApplication(t.Context(), application(fmt.Sprint(round, " ", i), id), 5)
			}), storage.ErrLimit), 5)
			equal(t, len(must(stores[0].Applications(t.Context(), storage.ApplicationFilter{OrganizationID: id}))(t)), 5)
		}
	})
	s.pair(t, "RegistrationTokenRegistersAsManyAsItSays", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		ok(t, stores[0].CreateRegistrationToken(t.Context(), registrationToken("token", "acme"), many))
		equal(t, won(t, race(stores, func(i int, store DeveloperStore) error {
			return store.RegisterApplication(t.Context(), application(fmt.Sprint(i), "acme"), digest("token"), t0, many)
		}), storage.ErrNotFound), 2)
		equal(t, len(must(stores[0].Applications(t.Context(), storage.ApplicationFilter{OrganizationID: "acme"}))(t)), 2)
	})
	s.pair(t, "RegistrationTokensHoldTheLimit", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		equal(t, won(t, race(stores, func(i int, store DeveloperStore) error {
			return store.CreateRegistrationToken(t.Context(), registrationToken(fmt.Sprint(i), "acme"), 3)
		}), storage.ErrLimit), 3)
	})
	s.pair(t, "NothingIsRegisteredByWhoHasBeenRemoved", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint(round)
			createOrganization(t, stores[0], id)
			join(t, stores[0], id, "ann", storage.RoleOwner, t0)
			made := make(chan error, 1)
			token := registrationToken("made by one who goes "+id, id)
			token.MadeBy = "ann"
			go func() { made <- stores[0].CreateRegistrationToken(t.Context(), token, many) }()
			ok(t, stores[1].RemoveMember(t.Context(), id, "ann"))
			if err := <-made; err != nil {
				fails(t, err, storage.ErrNotFound)
			}
			fails(t, stores[0].RegisterApplication(t.Context(), application(id, id), token.Digest, t0, many), storage.ErrNotFound)
		}
	})
	s.pair(t, "DeletedOrganizationHasNoApplication", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint(round)
			createOrganization(t, stores[0], id)
			created, deleted := make(chan error, 1), make(chan error, 1)
			go func() { created <- stores[0].CreateApplication(t.Context(), application(id, id), many) }()
			go func() { deleted <- stores[1].DeleteOrganization(t.Context(), id) }()
			made, gone := <-created, <-deleted
			if (made == nil) == (gone == nil) {
				t.Errorf("an application is made (%v), and its organization deleted (%v)", made, gone)
			}
			if made != nil {
				fails(t, made, storage.ErrNotFound)
			} else {
				fails(t, gone, storage.ErrConflict)
			}
		}
	})
	s.pair(t, "DeletedOrganizationHasNoChange", func(t *testing.T, stores []DeveloperStore) {
		for round := range *rounds {
			id := fmt.Sprint("with changes ", round)
			createOrganization(t, stores[0], id)
			appended, deleted := make(chan error, 1), make(chan error, 1)
			go func() {
				appended <- stores[0].AppendChange(t.Context(), storage.Change{OrganizationID: id, At: t0, What: "did"})
			}()
			go func() { deleted <- stores[1].DeleteOrganization(t.Context(), id) }()
			made := <-appended
			ok(t, <-deleted)
			equal(t, changesOf(t, stores[0], id), "")
			want := 2 // the change, and whose it was
			if made != nil {
				fails(t, made, storage.ErrNotFound)
				want = 0
			}
			equal(t, removeChanges(t, stores[0], t0), want)
		}
	})
	s.pair(t, "LinesThatAreAppendedAtOnceAreAllCounted", func(t *testing.T, stores []DeveloperStore) {
		createApplications(t, stores[0], "acme", "red", "blue")
		allWin(t, race(stores, func(i int, store DeveloperStore) error {
			lines := []storage.LogEntry{line("red", ""), line("blue", ""), line("red", "")}
			if i%2 == 0 {
				lines = []storage.LogEntry{lines[1], lines[0], lines[2]}
			}
			return store.AppendLog(t.Context(), lines)
		}))
		for client, want := range map[string]int{"red": 2 * contenders, "blue": contenders} {
			days := must(stores[0].LogDays(t.Context(), storage.Sandbox, client, t0))(t)
			if len(days) != 1 || days[0].Count != want {
				t.Errorf("the days of %s are %+v, want %d lines", client, days, want)
			}
			equal(t, len(must(stores[0].Log(t.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: client, Limit: many}))(t)), want)
		}
	})
	s.pair(t, "WhoFollowsALogMissesNoLine", func(t *testing.T, stores []DeveloperStore) {
		createApplications(t, stores[0], "acme", "client")
		written := make(chan error, contenders)
		for i := range contenders {
			go func() {
				written <- stores[i%2].AppendLog(t.Context(), []storage.LogEntry{line("client", ""), line("client", "")})
			}()
		}
		match, seen, left := storage.LogFilter{Environment: storage.Sandbox, ClientID: "client", Limit: many}, 0, contenders
		for last := false; ; last = left == 0 {
			lines := must(stores[0].Log(t.Context(), match))(t)
			if seen += len(lines); len(lines) > 0 {
				match.AfterID = lines[0].ID
			}
			if last {
				break
			}
			if left > 0 {
				ok(t, <-written)
				left--
			}
		}
		equal(t, seen, 2*contenders)
	})
	s.pair(t, "LinesOfAnApplicationThatGoesAreNoFailure", func(t *testing.T, stores []DeveloperStore) {
		createApplications(t, stores[0], "acme", "stays", "goes")
		for i, err := range race(stores, func(i int, store DeveloperStore) error {
			if i == contenders/2 {
				return store.DeleteApplication(t.Context(), storage.Sandbox, "goes")
			}
			return store.AppendLog(t.Context(), []storage.LogEntry{line("goes", ""), line("stays", "")})
		}) {
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		}
		lines := must(stores[0].Log(t.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: "stays", Limit: many}))(t)
		equal(t, len(lines), contenders-1)
		_, err := stores[0].Application(t.Context(), storage.Sandbox, "goes")
		if !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("err = %v, want %v", err, storage.ErrNotFound)
		}
	})
	s.pair(t, "MailsThatComeAtOnceKeepTheLimit", func(t *testing.T, stores []DeveloperStore) {
		createOrganization(t, stores[0], "acme")
		allWin(t, race(stores, func(_ int, store DeveloperStore) error {
			return store.AppendMail(t.Context(), storage.SandboxMail{OrganizationID: "acme", At: t0, Content: []byte("x")}, 4)
		}))
		equal(t, len(must(stores[0].Mails(t.Context(), "acme", many))(t)), 4)
	})
}

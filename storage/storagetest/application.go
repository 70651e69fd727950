package storagetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) applications(t *testing.T) {
	s.test(t, "ComesBackWhole", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		want := storage.Application{
			Environment: storage.Production, ClientID: "client", OrganizationID: "acme", Name: "Ünïcode <b>",
			Kind: "native", Review: storage.ReviewRefused, Document: []byte(`{"a":"é\u0000"}`),
			CreatedBy: "ann", CreatedAt: t0, UpdatedAt: elsewhere, Version: 99,
		}
		ok(t, store.CreateApplication(t.Context(), want, 1))
		got := must(store.Application(t.Context(), storage.Production, "client"))(t)
		if got.Version == 0 || got.Version == want.Version {
			t.Errorf("an application has the version %d", got.Version)
		}
		want.UpdatedAt, want.Version = asStored, got.Version
		equal(t, got, want)
		want.Document = nil
		equal(t, must(store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: "acme"}))(t), []storage.Application{want})
	})
	s.test(t, "UnknownIsNotFound", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		for _, key := range [][2]string{{storage.Production, "client"}, {storage.Sandbox, "Client"}, {storage.Sandbox, ""}, {"", "client"}} {
			fails(t, errOf(store.Application(t.Context(), key[0], key[1])), storage.ErrNotFound)
		}
	})
	s.test(t, "IsOneForAClientInAnEnvironment", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		createOrganization(t, store, "other")
		a := application("client", "other")
		fails(t, store.CreateApplication(t.Context(), a, many), storage.ErrConflict)
		a.Environment = storage.Production
		ok(t, store.CreateApplication(t.Context(), a, many))
		equal(t, must(store.Application(t.Context(), storage.Sandbox, "client"))(t).OrganizationID, "acme")
	})
	s.test(t, "NeedsTheOrganization", func(t *testing.T, store DeveloperStore) {
		fails(t, store.CreateApplication(t.Context(), application("client", "unknown"), many), storage.ErrNotFound)
	})
	s.test(t, "NeedsAnEnvironmentAndAReviewThatThereAre", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		elsewhere, unheard := application("1", "acme"), application("2", "acme")
		elsewhere.Environment, unheard.Review = "moon", "maybe"
		for _, a := range []storage.Application{elsewhere, unheard} {
			if err := store.CreateApplication(t.Context(), a, many); err == nil {
				t.Errorf("there is %+v", a)
			}
		}
	})
	s.test(t, "OrganizationsHaveALimitInEachEnvironment", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "other", "of another")
		createApplications(t, store, "acme", "1")
		ok(t, store.CreateApplication(t.Context(), application("2", "acme"), 2))
		fails(t, store.CreateApplication(t.Context(), application("3", "acme"), 2), storage.ErrLimit)
		fails(t, store.CreateApplication(t.Context(), application("3", "acme"), 1), storage.ErrLimit)
		a := application("3", "acme")
		a.Environment = storage.Production
		ok(t, store.CreateApplication(t.Context(), a, 1))
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "1"))
		ok(t, store.CreateApplication(t.Context(), application("3", "acme"), 2))
	})
	s.test(t, "SaveReplacesTheOneThatWasRead", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		createOrganization(t, store, "other")
		read := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		changed := read
		changed.OrganizationID, changed.Name, changed.Kind = "other", "New", "spa"
		changed.Review, changed.Document, changed.PictureBytes, changed.UpdatedAt = storage.ReviewApproved, []byte(`{}`), 1<<40, elsewhere
		ok(t, store.SaveApplication(t.Context(), changed))
		got := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		if got.Version == read.Version {
			t.Error("another application has the same version")
		}
		changed.OrganizationID, changed.UpdatedAt, changed.Version = "acme", asStored, got.Version
		equal(t, got, changed)

		fails(t, store.SaveApplication(t.Context(), read), storage.ErrChanged)
		got.Environment = storage.Production
		fails(t, store.SaveApplication(t.Context(), got), storage.ErrChanged)
		got.Environment = storage.Sandbox
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
		fails(t, store.SaveApplication(t.Context(), got), storage.ErrChanged)
		ok(t, store.CreateApplication(t.Context(), application("client", "acme"), many))
		fails(t, store.SaveApplication(t.Context(), got), storage.ErrChanged) // not the same again
	})
	s.test(t, "PicturesOfAnOrganizationHaveALimit", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "other", "of another")
		createApplications(t, store, "acme", "1", "2")
		save := func(id string, bytes, most int64) error {
			t.Helper()
			a := must(store.Application(t.Context(), storage.Sandbox, id))(t)
			a.PictureBytes = bytes
			return store.SaveApplication(t.Context(), a, most)
		}
		has := func(id string, bytes int64) {
			t.Helper()
			equal(t, must(store.Application(t.Context(), storage.Sandbox, id))(t).PictureBytes, bytes)
		}
		ok(t, save("of another", 1<<40, 1<<40))
		ok(t, save("1", 60, 100))
		fails(t, save("2", 41, 100), storage.ErrLimit)
		has("2", 0)
		ok(t, save("2", 40, 100))
		fails(t, save("1", 61, 100), storage.ErrLimit)
		ok(t, save("1", 60, 10)) // it does not grow
		ok(t, save("1", 59, 10))
		has("1", 59)
		a := must(store.Application(t.Context(), storage.Sandbox, "1"))(t)
		a.PictureBytes = 1000
		ok(t, store.SaveApplication(t.Context(), a)) // has no limit
		fails(t, store.SaveApplication(t.Context(), a, 5000), storage.ErrChanged)
		a.Environment = storage.Production
		fails(t, store.SaveApplication(t.Context(), a, 5000), storage.ErrChanged)
	})
	s.test(t, "NobodyDecidesAboutTheirOwn", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		a := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		members := must(store.Members(t.Context(), "acme"))(t)
		a.Review, a.Document = storage.ReviewApproved, []byte(`{"a":1}`)
		fails(t, store.DecideApplication(t.Context(), a, members[0].UserID), storage.ErrConflict)
		ok(t, store.DecideApplication(t.Context(), a, "somebody else"))
		got := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		if got.Version == a.Version {
			t.Error("another application has the same version")
		}
		a.Version = got.Version
		equal(t, got, a)
		a.Version++
		fails(t, store.DecideApplication(t.Context(), a, "somebody else"), storage.ErrChanged)
		fails(t, store.DecideApplication(t.Context(), application("unknown", "acme"), "somebody else"), storage.ErrChanged)
	})
	s.test(t, "OwnersElsewhereDecide", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		createApplications(t, store, "third", "another")
		createOrganization(t, store, "other")
		a := application("client", "other")
		a.Environment = storage.Production
		ok(t, store.CreateApplication(t.Context(), a, many))
		for key, organization := range map[[2]string]string{
			{storage.Sandbox, "client"}: "acme", {storage.Production, "client"}: "other", {storage.Sandbox, "another"}: "third",
		} {
			for _, id := range []string{"acme", "other", "third"} {
				a := must(store.Application(t.Context(), key[0], key[1]))(t)
				err := store.DecideApplication(t.Context(), a, "owner of "+id)
				if id == organization {
					fails(t, err, storage.ErrConflict)
				} else {
					ok(t, err)
				}
			}
		}
	})
	s.test(t, "DeleteTakesLogAndFaultAlong", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "gone", "stays")
		for _, client := range []string{"gone", "stays"} {
			ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line(client, "x")}))
			ok(t, store.SetFault(t.Context(), storage.Fault{ClientID: client, Name: "slow", ExpiresAt: t0}))
		}
		ok(t, store.DeleteApplication(t.Context(), storage.Production, "gone")) // there is none
		equal(t, logged(t, store, storage.LogFilter{ClientID: "gone"}), "x")
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "gone"))
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "gone"))
		ok(t, store.CreateApplication(t.Context(), application("gone", "acme"), many))
		for client, want := range map[string]string{"gone": "", "stays": "x"} {
			equal(t, logged(t, store, storage.LogFilter{ClientID: client}), want)
			equal(t, len(must(store.LogDays(t.Context(), storage.Sandbox, client, t0))(t)), len(want))
			_, err := store.Fault(t.Context(), client)
			equal(t, err == nil, want != "")
		}
	})
}

func (s *developerSuite) applicationLists(t *testing.T) {
	// found returns the IDs of the applications that match, page by page.
	found := func(t *testing.T, store storage.Developers, match storage.ApplicationFilter) string {
		t.Helper()
		var ids []string
		for {
			page := must(store.Applications(t.Context(), match))(t)
			for _, a := range page {
				ids = append(ids, a.ClientID)
			}
			if len(page) < match.Limit || match.Limit <= 0 {
				return strings.Join(ids, " ")
			}
			last := page[len(page)-1]
			match.AfterName, match.After, match.AfterEnvironment = last.Name, last.ClientID, last.Environment
		}
	}
	create := func(t *testing.T, store storage.Developers, organization, environment, client, name string, review storage.Review) {
		t.Helper()
		a := application(client, organization)
		a.Environment, a.Name, a.Review = environment, name, review
		ok(t, store.CreateApplication(t.Context(), a, many))
	}
	s.test(t, "MatchAllThatIsGiven", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		create(t, store, "acme", storage.Sandbox, "1", "a", storage.ReviewNone)
		create(t, store, "acme", storage.Production, "2", "b", storage.ReviewAsked)
		create(t, store, "acme", storage.Production, "3", "c", storage.ReviewApproved)
		create(t, store, "other", storage.Production, "4", "d", storage.ReviewAsked)
		for _, tc := range []struct {
			match storage.ApplicationFilter
			want  string
		}{
			{storage.ApplicationFilter{}, "1 2 3 4"},
			{storage.ApplicationFilter{OrganizationID: "acme"}, "1 2 3"},
			{storage.ApplicationFilter{Environment: storage.Production}, "2 3 4"},
			{storage.ApplicationFilter{OrganizationID: "acme", Environment: storage.Production}, "2 3"},
			{storage.ApplicationFilter{Review: storage.ReviewAsked}, "2 4"},
			{storage.ApplicationFilter{Review: storage.ReviewApproved}, "3"},
			{storage.ApplicationFilter{OrganizationID: "acme", Review: storage.ReviewAsked}, "2"},
			{storage.ApplicationFilter{Environment: storage.Sandbox, Review: storage.ReviewAsked}, ""},
			{storage.ApplicationFilter{OrganizationID: "nobody"}, ""},
			{storage.ApplicationFilter{Limit: -1}, ""},
		} {
			if got := found(t, store, tc.match); got != tc.want {
				t.Errorf("%+v matches %q, want %q", tc.match, got, tc.want)
			}
		}
		whole := must(store.Applications(t.Context(), storage.ApplicationFilter{Search: "b"}))(t)
		one := must(store.Application(t.Context(), storage.Production, "2"))(t)
		equal(t, whole, []storage.Application{one})
	})
	s.test(t, "SearchIsForAPartOfTheNameOrAWholeID", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		for client, name := range map[string]string{
			"c1": "Web Shop", "c2": "SHOP 100% _new_", "c3": "Ärzte-Portal", "c4": `back\slash`, "c5": "c1 backup", "c6": "'; --",
		} {
			create(t, store, "acme", storage.Sandbox, client, name, storage.ReviewNone)
		}
		for search, want := range map[string]string{
			"shop": "c2 c1", "sHoP": "c2 c1", "b s": "c1", "ÄRZTE": "c3", "ärzte": "c3",
			"%": "c2", "_": "c2", "s_op": "", "sh%p": "", `\`: "c4", `k\s`: "c4", `\%`: "", "'": "c6",
			"c1": "c5 c1", "C1": "c5", "c": "c4 c5", "nothing": "", strings.Repeat("x", 1<<20): "",
		} {
			if got := found(t, store, storage.ApplicationFilter{OrganizationID: "acme", Search: search}); got != want {
				t.Errorf("%.20q finds %q, want %q", search, got, want)
			}
		}
	})
	s.test(t, "PagesGoByNameInLowerCaseThenID", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		for client, name := range map[string]string{
			"1": "b", "2": "B", "3": "a", "4": "Ä", "5": "_", "6": "B", "7": "ba", "8": "Z",
		} {
			create(t, store, "acme", storage.Sandbox, client, name, storage.ReviewNone)
			create(t, store, "acme", storage.Production, client, name, storage.ReviewAsked)
		}
		want := "5 3 1 2 6 7 8 4"
		twice := "5 5 3 3 1 1 2 2 6 6 7 7 8 8 4 4"
		for limit := 1; limit < 5; limit++ {
			equal(t, found(t, store, storage.ApplicationFilter{Environment: storage.Sandbox, OrganizationID: "acme", Limit: limit}), want)
			equal(t, found(t, store, storage.ApplicationFilter{Review: storage.ReviewAsked, Limit: limit}), want)
			equal(t, found(t, store, storage.ApplicationFilter{OrganizationID: "acme", Limit: limit}), twice)
			equal(t, found(t, store, storage.ApplicationFilter{OrganizationID: "acme", Search: "b", Limit: limit}), "1 1 2 2 6 6 7 7")
		}
	})
	s.test(t, "RenamedOneIsFoundByItsNewName", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		a := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
		a.Name = "Another"
		ok(t, store.SaveApplication(t.Context(), a))
		equal(t, found(t, store, storage.ApplicationFilter{Search: "name of"}), "")
		equal(t, found(t, store, storage.ApplicationFilter{Search: "another"}), "client")
	})
	s.test(t, "PageWithoutALimitHasAHundred", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		for i := range 101 {
			ok(t, store.CreateApplication(t.Context(), application(fmt.Sprint(i), "acme"), many))
		}
		equal(t, len(must(store.Applications(t.Context(), storage.ApplicationFilter{}))(t)), 100)
	})
}

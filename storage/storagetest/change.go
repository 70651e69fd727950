package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) changes(t *testing.T) {
	s.test(t, "ComeBackWholeLatestFirst", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		first := storage.Change{
			ID: 99, OrganizationID: "acme", At: elsewhere, UserID: "ann", Environment: storage.Production, ClientID: "client",
			What: "application.saved", Fields: []storage.ChangedField{{Name: "name", Before: `<"é`, After: "b"}, {Name: "logo"}},
		}
		second := storage.Change{OrganizationID: "acme", At: t0, UserID: "bob", What: "member.removed"}
		ok(t, store.AppendChange(t.Context(), first))
		ok(t, store.AppendChange(t.Context(), second))
		got := must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "acme"}))(t)
		if len(got) != 2 || got[0].ID <= got[1].ID {
			t.Fatalf("the changes are %+v", got)
		}
		first.At = asStored
		second.ID, first.ID = got[0].ID, got[1].ID // given by the store
		equal(t, got, []storage.Change{second, first})
	})
	t.Run("OfADeedAreInItsStep", s.changesOfDeeds)
	s.test(t, "MatchAllThatIsGiven", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		createOrganization(t, store, "other")
		for i, c := range []storage.Change{
			{OrganizationID: "acme", Environment: storage.Sandbox, ClientID: "red"},
			{OrganizationID: "acme", Environment: storage.Production, ClientID: "red"},
			{OrganizationID: "acme", Environment: storage.Sandbox, ClientID: "blue"},
			{OrganizationID: "acme"},
			{OrganizationID: "other", Environment: storage.Sandbox, ClientID: "red"},
		} {
			c.At, c.What = t0, fmt.Sprint(i)
			ok(t, store.AppendChange(t.Context(), c))
		}
		for _, tc := range []struct {
			match storage.ChangeFilter
			want  string
		}{
			{storage.ChangeFilter{OrganizationID: "acme"}, "3210"},
			{storage.ChangeFilter{OrganizationID: "acme", Environment: storage.Sandbox}, "20"},
			{storage.ChangeFilter{OrganizationID: "acme", ClientID: "red"}, "10"},
			{storage.ChangeFilter{OrganizationID: "acme", Environment: storage.Sandbox, ClientID: "red"}, "0"},
			{storage.ChangeFilter{OrganizationID: "acme", Limit: 3}, "321"},
			{storage.ChangeFilter{OrganizationID: "acme", Limit: -1}, ""},
			{storage.ChangeFilter{OrganizationID: "other"}, "4"},
			{storage.ChangeFilter{ClientID: "red"}, ""}, // of no organization
		} {
			got := must(store.Changes(t.Context(), tc.match))(t)
			found := ""
			for _, c := range got {
				found += c.What
			}
			if found != tc.want {
				t.Errorf("%+v matches %q, want %q", tc.match, found, tc.want)
			}
		}
	})
	s.test(t, "PagesGoBack", func(t *testing.T, store DeveloperStore) {
		createOrganization(t, store, "acme")
		for i := range 103 {
			ok(t, store.AppendChange(t.Context(), storage.Change{
				OrganizationID: "acme", At: t0.Add(time.Duration(i) * time.Second), What: fmt.Sprint(i),
			}))
		}
		first := must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "acme"}))(t)
		if len(first) != 100 {
			t.Fatalf("a page has %d changes, want 100", len(first))
		}
		second := must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "acme", BeforeID: first[99].ID}))(t)
		var got []string
		for _, c := range second {
			got = append(got, c.What)
		}
		equal(t, got, []string{"2", "1", "0"})
	})
}

// made appends changes to the log of an organization, one an hour from t0 on.
func made(t *testing.T, store storage.Developers, organization string, whats string) {
	t.Helper()
	for i, what := range whats {
		ok(t, store.AppendChange(t.Context(), storage.Change{
			OrganizationID: organization, At: t0.Add(time.Duration(i) * time.Hour), UserID: "ann", What: string(what),
		}))
	}
}

// changesOf returns what the log of an organization has, the latest first.
func changesOf(t *testing.T, store storage.Developers, organization string) (whats string) {
	t.Helper()
	for _, c := range must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: organization}))(t) {
		whats += c.What
	}
	return whats
}

func removeChanges(t *testing.T, store storage.Developers, before time.Time) int {
	t.Helper()
	return trimAll(t, store, storage.Trim{Kind: storage.OldChanges, Before: before}, 3)
}

func (s *developerSuite) removalOfChanges(t *testing.T) {
	var never time.Time
	filled := func(t *testing.T, organizations ...string) DeveloperStore {
		t.Helper()
		store := s.store(t)
		for _, id := range organizations {
			createOrganization(t, store, id)
			made(t, store, id, "abcdefgh")
		}
		return store
	}
	t.Run("OfOldOnes", func(t *testing.T) {
		store := filled(t, "acme", "other")
		equal(t, removeChanges(t, store, never), 0)
		equal(t, removeChanges(t, store, t0), 0)
		equal(t, removeChanges(t, store, t0.Add(3*time.Hour)), 6)
		equal(t, changesOf(t, store, "acme"), "hgfed")
		equal(t, removeChanges(t, store, t0.Add(3*time.Hour+time.Microsecond)), 2)
		equal(t, changesOf(t, store, "other"), "hgfe")
	})
	t.Run("OfOldOnesInAnyOrder", func(t *testing.T) {
		store := filled(t)
		createOrganization(t, store, "acme")
		for i, at := range []time.Time{t0.AddDate(20, 0, 0), t0, t0.AddDate(0, 0, 2), t0} {
			ok(t, store.AppendChange(t.Context(), storage.Change{OrganizationID: "acme", At: at, What: fmt.Sprint(i)}))
		}
		equal(t, removeChanges(t, store, t0.AddDate(0, 0, 1)), 2)
		equal(t, changesOf(t, store, "acme"), "20")
	})
	t.Run("OfADeletedOrganization", func(t *testing.T) {
		store := filled(t, "acme", "other")
		ok(t, store.DeleteOrganization(t.Context(), "acme"))
		equal(t, changesOf(t, store, "acme"), "") // at once
		fails(t, store.AppendChange(t.Context(), storage.Change{OrganizationID: "acme", At: t0, What: "late"}), storage.ErrNotFound)
		equal(t, removeChanges(t, store, never), 9) // and that it has been
		equal(t, removeChanges(t, store, never), 0)
		equal(t, changesOf(t, store, "other"), "hgfedcba")
	})
	t.Run("NotOfAnotherThatGetsTheID", func(t *testing.T) {
		store := filled(t, "acme")
		for range 2 {
			ok(t, store.DeleteOrganization(t.Context(), "acme"))
			createOrganization(t, store, "acme")
			equal(t, changesOf(t, store, "acme"), "")
			made(t, store, "acme", "xy")
			equal(t, changesOf(t, store, "acme"), "yx")
		}
		equal(t, removeChanges(t, store, never), 11)
		equal(t, changesOf(t, store, "acme"), "yx")
	})
	t.Run("OfNoneWithoutALimit", func(t *testing.T) {
		store := filled(t, "acme", "other")
		ok(t, store.DeleteOrganization(t.Context(), "other"))
		for _, limit := range []int{0, -1} {
			equal(t, must(store.Trim(t.Context(), storage.Trim{Kind: storage.OldChanges, Before: t0.Add(time.Hour)}, limit))(t), 0)
		}
		equal(t, changesOf(t, store, "acme"), "hgfedcba")
	})
}

// changesOfDeeds tests that the changes of a deed are recorded with its write, and only with it.
func (s *developerSuite) changesOfDeeds(t *testing.T) {
	store := s.store(t)
	createOrganization(t, store, "acme")
	createOrganization(t, store, "zeal")
	carry := func(what string, of []string, write func(ctx context.Context) error) error {
		d := &storage.Deed{IfChanged: true}
		for _, id := range of {
			d.Changes = append(d.Changes, storage.Change{OrganizationID: id, At: t0, UserID: "ann", What: what})
		}
		err := write(storage.WithDeed(t.Context(), d))
		equal(t, d.IsDone(), err == nil)
		return err
	}
	fails(t, carry("failed", []string{"acme"}, func(ctx context.Context) error {
		return store.SaveOrganization(ctx, storage.Organization{ID: "acme", Name: "Acme", Version: 9})
	}), storage.ErrChanged)
	ok(t, carry("nothing", []string{"acme"}, func(ctx context.Context) error {
		return errOf(store.DeleteAccount(ctx, "nobody", "someone", nil))
	}))
	ok(t, carry("client", []string{"zeal", "acme", "none"}, func(ctx context.Context) error {
		return store.SaveClient(ctx, storage.Client{ID: "client"})
	}))
	ok(t, carry("begin", []string{"new"}, func(ctx context.Context) error {
		return store.CreateOrganization(ctx, storage.Organization{ID: "new", CreatedAt: t0}, storage.Member{UserID: "ann", JoinedAt: t0}, many)
	}))
	ok(t, carry("end", []string{"zeal"}, func(ctx context.Context) error { return store.DeleteOrganization(ctx, "zeal") }))
	for id, want := range map[string]string{"acme": "client", "zeal": "", "none": "", "new": "begin"} {
		found := must(store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: id}))(t)
		got := ""
		for _, c := range found {
			got += c.What
		}
		if got != want {
			t.Errorf("%s has %q, want %q", id, got, want)
		}
	}
}

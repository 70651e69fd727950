package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *developerSuite) changes(t *testing.T) {
	t.Run("ComeBackWholeLatestFirst", func(t *testing.T) {
		store := s.store(t)
		first := storage.Change{
			ID: 99, OrganizationID: "acme", At: elsewhere, UserID: "ann", Environment: storage.Production, ClientID: "client",
			What: "application.saved", Fields: []storage.ChangedField{{Name: "name", Before: `<"é`, After: "b"}, {Name: "logo"}},
		}
		second := storage.Change{OrganizationID: "acme", At: t0, UserID: "bob", What: "member.removed"}
		ok(t, store.AppendChange(t.Context(), first))
		ok(t, store.AppendChange(t.Context(), second))
		got, err := store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "acme"})
		ok(t, err)
		if len(got) != 2 || got[0].ID <= got[1].ID {
			t.Fatalf("the changes are %+v", got)
		}
		first.At = asStored
		second.ID, first.ID = got[0].ID, got[1].ID // given by the store
		equal(t, got, []storage.Change{second, first})
	})
	t.Run("MatchAllThatIsGiven", func(t *testing.T) {
		store := s.store(t)
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
			got, err := store.Changes(t.Context(), tc.match)
			ok(t, err)
			found := ""
			for _, c := range got {
				found += c.What
			}
			if found != tc.want {
				t.Errorf("%+v matches %q, want %q", tc.match, found, tc.want)
			}
		}
	})
	t.Run("PagesGoBack", func(t *testing.T) {
		store := s.store(t)
		for i := range 103 {
			ok(t, store.AppendChange(t.Context(), storage.Change{
				OrganizationID: "acme", At: t0.Add(time.Duration(i) * time.Second), What: fmt.Sprint(i),
			}))
		}
		first, err := store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "acme"})
		ok(t, err)
		if len(first) != 100 {
			t.Fatalf("a page has %d changes, want 100", len(first))
		}
		second, err := store.Changes(t.Context(), storage.ChangeFilter{OrganizationID: "acme", BeforeID: first[99].ID})
		ok(t, err)
		var got []string
		for _, c := range second {
			got = append(got, c.What)
		}
		equal(t, got, []string{"2", "1", "0"})
	})
}

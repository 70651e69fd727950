package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) events(t *testing.T) {
	s.test(t, "ComeBackWholeLatestFirst", func(t *testing.T, store storage.Store) {
		first := storage.Event{
			ID: 99, At: elsewhere, Name: "signin", Subject: "subject", ClientID: "client",
			Address: "192.0.2.1", Detail: "wrong password", Actor: "staff:sue", Matter: "matter",
		}
		second := storage.Event{At: t0, Name: "signout"}
		ok(t, store.AppendEvent(t.Context(), first))
		ok(t, store.AppendEvent(t.Context(), second))
		got := must(store.Events(t.Context(), storage.EventFilter{}))(t)
		if len(got) != 2 {
			t.Fatalf("%d events, want 2", len(got))
		}
		if got[0].ID <= got[1].ID {
			t.Errorf("the identifier does not grow: %d, then %d", got[1].ID, got[0].ID)
		}
		first.At = asStored
		second.ID, first.ID = got[0].ID, got[1].ID // given by the store
		equal(t, got, []storage.Event{second, first})
	})
	s.test(t, "MatchAllThatIsGiven", func(t *testing.T, store storage.Store) {
		for i, e := range []storage.Event{
			{Name: "signin", Subject: "ann", ClientID: "red", Detail: "1", Actor: "staff:sue", Matter: "m1"},
			{Name: "signin", Subject: "ann", ClientID: "blue", Detail: "2", Address: "192.0.2.0"},
			{Name: "signin", Subject: "bob", ClientID: "red", Detail: "3", Actor: "host", Matter: "m2"},
			{Name: "signout", Subject: "ann", ClientID: "red", Detail: "4", Actor: "staff:sue", Matter: "m2"},
		} {
			e.At = t0.Add(time.Duration(i) * time.Hour)
			ok(t, store.AppendEvent(t.Context(), e))
		}
		for _, tc := range []struct {
			match storage.EventFilter
			want  string
		}{
			{storage.EventFilter{}, "4321"},
			{storage.EventFilter{Name: "signin"}, "321"},
			{storage.EventFilter{Subject: "ann"}, "421"},
			{storage.EventFilter{ClientID: "red"}, "431"},
			{storage.EventFilter{Name: "signin", Subject: "ann", ClientID: "red"}, "1"},
			{storage.EventFilter{Name: "signin", Limit: 2}, "32"},
			{storage.EventFilter{Subject: "nobody"}, ""},
			{storage.EventFilter{From: t0.Add(time.Hour)}, "432"},
			{storage.EventFilter{Until: t0.Add(time.Hour)}, "1"},
			{storage.EventFilter{From: t0.Add(time.Hour), Until: t0.Add(3 * time.Hour)}, "32"},
			{storage.EventFilter{From: t0.Add(time.Microsecond), Subject: "ann", Limit: 1}, "4"},
		} {
			got := must(store.Events(t.Context(), tc.match))(t)
			details := ""
			for _, e := range got {
				details += e.Detail
			}
			if details != tc.want {
				t.Errorf("%+v matches %q, want %q", tc.match, details, tc.want)
			}
		}
	})
	s.test(t, "PagesGoBack", func(t *testing.T, store storage.Store) {
		for i := range 105 {
			ok(t, store.AppendEvent(t.Context(), storage.Event{
				At: t0.Add(time.Duration(i) * time.Second), Name: "signin", Detail: fmt.Sprint(i),
			}))
		}
		first := must(store.Events(t.Context(), storage.EventFilter{}))(t)
		if len(first) != 100 {
			t.Fatalf("a page has %d events, want 100", len(first))
		}
		second := must(store.Events(t.Context(), storage.EventFilter{BeforeID: first[99].ID}))(t)
		var got []string
		for _, e := range second {
			got = append(got, e.Detail)
		}
		equal(t, got, []string{"4", "3", "2", "1", "0"})
	})
}

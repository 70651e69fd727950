package storagetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// eventFilters tests filters over events of which some are in blocks, against a loop over all
// of them, page by page.
func (s *suite) eventFilters(t *testing.T) {
	store := s.store(t)
	all := fillEvents(t, store)
	for _, match := range eventFilters() {
		var want []string
		for _, e := range slices.Backward(all) {
			if wanted(e, match) {
				want = append(want, e.Detail)
			}
		}
		for _, limit := range []int{3, 100} {
			match.Limit = limit
			if got := detailsOf(t, store, match); !slices.Equal(got, want) {
				t.Errorf("%+v finds %v, want %v", match, got, want)
			}
		}
	}
	t.Run("AddressNeedsATimeOrAnOwner", func(t *testing.T) {
		if _, err := store.Events(t.Context(), storage.EventFilter{Address: "192.0.2.1"}); err == nil {
			t.Error("an address was searched for in all events")
		}
	})
}

// fillEvents records events of one an hour: of two clocks one leaps a year ahead, and one
// falls a year behind. The last ones are in no block.
func fillEvents(t *testing.T, store storage.Store) (all []storage.Event) {
	names := []string{"sign_in", "sign_in", "sign_in", "consent", "sign_out", "account_disabled", "sign_in_failed", "matter_opened"}
	for i := range 80 {
		e := storage.Event{
			At: t0.Add(time.Duration(i) * time.Hour), Name: names[i%len(names)], Subject: fmt.Sprint("subject ", i%5), ClientID: fmt.Sprint("client ", i%3),
			Address: fmt.Sprint("192.0.2.", i%4), Detail: fmt.Sprint(i),
		}
		switch {
		case i == 17:
			e.At = e.At.AddDate(1, 0, 0)
		case i == 33:
			e.At = e.At.AddDate(-1, 0, 0)
		case i%8 == 5:
			e.Actor, e.Matter = "staff:sue", fmt.Sprint("matter ", i%3)
		case i > 40 && i < 60 && e.Name == "consent":
			e.Name = "sign_in" // which no block of theirs has
		}
		ok(t, store.AppendEvent(t.Context(), e))
		all = append(all, e)
		if i%7 == 6 && i < 70 {
			sealed(t, store, 7)
		}
	}
	return all
}

func eventFilters() (filters []storage.EventFilter) {
	day := func(n int) time.Time { return t0.Add(time.Duration(n) * 10 * time.Hour) }
	for _, of := range []storage.EventFilter{
		{},
		{Name: "sign_in"}, {Name: "consent"}, {Name: "account_disabled"}, {Name: "none"},
		{Names: []string{"account_disabled", "matter_opened", "none", "matter_opened"}},
		{Names: []string{"account_disabled", "consent"}},
		{Name: "consent", Names: []string{"account_disabled", "consent"}},
		{Name: "sign_in", Names: []string{"account_disabled", "consent"}},
		{Subject: "subject 2"}, {ClientID: "client 1"}, {Actor: "staff:sue"}, {Matter: "matter 1"},
		{Subject: "subject 2", Name: "sign_in"}, {Actor: "staff:sue", Names: []string{"account_disabled", "sign_out"}},
		{ClientID: "client 1", Address: "192.0.2.1"}, {Actor: "staff:sam"},
	} {
		for _, span := range [][2]time.Time{
			{}, {day(1), {}}, {{}, day(3)}, {day(2), day(5)}, {day(7), day(9)}, {day(20), {}}, {{}, day(-2)}, {day(3), day(3)},
		} {
			of.From, of.Until = span[0], span[1]
			filters = append(filters, of)
		}
	}
	return append(filters,
		storage.EventFilter{Address: "192.0.2.1", From: day(1), Until: day(4)},
		storage.EventFilter{Address: "192.0.2.1", Name: "account_disabled", From: day(1)},
		storage.EventFilter{Address: "192.0.2.9", From: day(1)})
}

// wanted is what the comment of storage.EventFilter says.
func wanted(e storage.Event, match storage.EventFilter) bool {
	for _, field := range [][2]string{
		{match.Name, e.Name}, {match.Subject, e.Subject}, {match.ClientID, e.ClientID}, {match.Actor, e.Actor},
		{match.Matter, e.Matter}, {match.Address, e.Address},
	} {
		if field[0] != "" && field[0] != field[1] {
			return false
		}
	}
	return (len(match.Names) == 0 || slices.Contains(match.Names, e.Name)) &&
		(match.From.IsZero() || !e.At.Before(match.From)) && (match.Until.IsZero() || e.At.Before(match.Until))
}

// detailsOf reads all pages of a filter.
func detailsOf(t *testing.T, store storage.Store, match storage.EventFilter) (details []string) {
	t.Helper()
	for {
		page := must(store.Events(t.Context(), match))(t)
		for _, e := range page {
			details = append(details, e.Detail)
		}
		if len(page) < match.Limit {
			return details
		}
		match.BeforeID = page[len(page)-1].ID
	}
}

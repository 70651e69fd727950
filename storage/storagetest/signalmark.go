package storagetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// readTo reads the events behind a mark, a page at a time, to the one with this detail, and returns the
// last of their details and the mark behind them. An event waits for steps that were begun before it,
// whoever makes them.
func readTo(t *testing.T, store storage.Signals, m storage.Mark, last string, limit int) (text string, next storage.Mark) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.HasSuffix(text, last); {
		events, next, err := store.EventsAfter(t.Context(), m, limit)
		ok(t, err)
		for _, e := range events {
			text += e.Detail
		}
		if len(events) > limit || time.Now().After(end) {
			t.Fatalf("read %q, want all to %q, %d at a time", text, last, limit)
		}
		m = next
	}
	return text, m
}

func (s *signalSuite) marks(t *testing.T) {
	s.test(t, "AreReadInOrder", func(t *testing.T, store SignalStore) {
		appendEvents(t, store, 3)
		m := takeMark(t, store)
		appendEvents(t, store, 8)
		text, next := readTo(t, store, m, "7", 3)
		if !strings.HasSuffix(text, "01234567") {
			t.Errorf("read %q", text)
		}
		events, end, err := store.EventsAfter(t.Context(), next, 3)
		ok(t, err)
		equal(t, len(events), 0)
		equal(t, end, next)
	})
	s.test(t, "SurviveAndBelongToOne", func(t *testing.T, store SignalStore) {
		m := takeMark(t, store)
		appendEvents(t, store, 2)
		_, next := readTo(t, store, m, "0", 1)
		next.Until = turnEnd
		ok(t, store.MoveMark(t.Context(), m, next, nil))
		fails(t, store.MoveMark(t.Context(), m, next, nil), storage.ErrChanged) // is elsewhere
		fails(t, errOf(store.TakeMark(t.Context(), "reader", "two", turnEnd.Add(-time.Microsecond), turnEnd)), storage.ErrConflict)
		ok(t, errOf(store.TakeMark(t.Context(), "reader", "one", t0, turnEnd)))
		ok(t, errOf(store.TakeMark(t.Context(), "another", "two", t0, turnEnd)))
		taken := must(store.TakeMark(t.Context(), "reader", "two", turnEnd, turnEnd.Add(time.Minute)))(t)
		text, last := readTo(t, store, taken, "1", 9)
		equal(t, text, "1")
		fails(t, store.MoveMark(t.Context(), next, next, nil), storage.ErrChanged) // is another's
		ok(t, store.MoveMark(t.Context(), taken, last, nil))
	})
	s.test(t, "SayWhatIsUnread", func(t *testing.T, store SignalStore) {
		takeMark(t, store)
		equal(t, must(store.Marks(t.Context()))(t)[0].Unread, time.Time{})
		appendEvents(t, store, 2)
		marks := must(store.Marks(t.Context()))(t)
		equal(t, []any{len(marks), marks[0].Reader, marks[0].Unread}, []any{1, "reader", t0})
	})
	t.Run("SpareWhatIsUnreadForAMonth", func(t *testing.T) {
		store, now := s.store(t), t0.Add(time.Hour)
		m := takeMark(t, store)
		appendEvents(t, store, 5)
		sealed(t, store, 3)
		equal(t, removeEvents(t, store, now, now), "43210")
		month := t0.AddDate(0, 0, 30).Add(time.Hour)
		equal(t, removeEvents(t, store, month, month), "43")
		events, next, err := store.EventsAfter(t.Context(), m, 9)
		fails(t, err, storage.ErrEnded)
		equal(t, len(events), 0)
		appendEvents(t, store, 1)
		text, _ := readTo(t, store, next, "0", 9)
		equal(t, text, "0")
	})
	t.Run("ThatHavePassedLoseNothing", func(t *testing.T) {
		store, now := s.store(t), t0.Add(time.Hour)
		m := takeMark(t, store)
		appendEvents(t, store, 5)
		_, next := readTo(t, store, m, "2", 1) // a page of more may come short and the next go further
		ok(t, store.MoveMark(t.Context(), m, next, nil))
		sealed(t, store, 3)
		equal(t, removeEvents(t, store, now, now), "43")
		text, _ := readTo(t, store, next, "4", 9)
		equal(t, text, "34")
	})
}

func (s *signalSuite) listeners(t *testing.T) {
	s.test(t, "AreThoseOfGrants", func(t *testing.T, store SignalStore) {
		saveClient(t, store, "client")
		saveClient(t, store, "other")
		for name, change := range map[string]func(*storage.Grant){
			"first":   func(g *storage.Grant) { g.Groups = []string{"student"} },
			"again":   func(g *storage.Grant) { g.Groups = []string{"student"} },
			"ended":   func(g *storage.Grant) { g.ClientID = "other" },
			"expired": func(g *storage.Grant) { g.ClientID, g.ExpiresAt = "other", t0 },
			"bob's":   func(g *storage.Grant) { g.Subject = "bob" },
		} {
			g := grant(name, "client", "ann")
			change(&g)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}))
		}
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: grant("ended", "", "").ID}, t0.Add(time.Minute))))
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: grant("again", "", "").ID}, t0.Add(time.Minute))))
		found := func(since time.Time, subjects ...string) map[string]time.Time {
			t.Helper()
			all := map[string]time.Time{}
			for _, l := range must(store.Listeners(t.Context(), subjects, since))(t) {
				all[fmt.Sprint(l.Subject, l.ClientID, l.Groups)] = l.EndedAt
			}
			return all
		}
		equal(t, found(t0, "ann", "nobody"), map[string]time.Time{"annclient[student]": {}, "annother[]": t0.Add(time.Minute)})
		equal(t, found(t0.Add(time.Hour), "ann"), map[string]time.Time{"annclient[student]": {}})
		equal(t, found(t0, "ann", "bob")["bobclient[]"], time.Time{})
		equal(t, len(found(t0)), 0)
	})
}

package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// line makes a line of an application of the sandbox, known by its cause.
func line(client, cause string) storage.LogEntry {
	return storage.LogEntry{At: t0, Environment: storage.Sandbox, ClientID: client, Event: "token", Outcome: "ok", Cause: cause}
}

// logged returns the causes of the lines that match, of the sandbox unless it says so.
func logged(t *testing.T, store storage.Developers, match storage.LogFilter) (causes string) {
	t.Helper()
	if match.Environment == "" {
		match.Environment = storage.Sandbox
	}
	for _, l := range must(store.Log(t.Context(), match))(t) {
		causes += l.Cause
	}
	return causes
}

func (s *developerSuite) requestLog(t *testing.T) {
	s.test(t, "ComesBackWholeLatestFirst", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		first := storage.LogEntry{
			ID: 99, At: elsewhere, Environment: storage.Sandbox, ClientID: "client",
			Event: "authorize", Outcome: "error", Error: "invalid_request", Cause: "redirect_uri_mismatch",
			Details:   map[string]string{"sent": `https://a.example/?"é`, "registered": ""},
			RequestID: "request", Flow: "flow", User: "pseudonym", Address: "192.0.2.0/24",
		}
		second := line("client", "")
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{first, second}))
		got := must(store.Log(t.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: "client"}))(t)
		if len(got) != 2 || got[0].ID <= got[1].ID {
			t.Fatalf("the lines are %+v", got)
		}
		first.At = asStored
		second.ID, first.ID = got[0].ID, got[1].ID // given by the store
		equal(t, got, []storage.LogEntry{second, first})
	})
	s.test(t, "IsFoundByRequestAndSecond", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		first, second, later := line("client", "first"), line("other", "second"), line("other", "later")
		first.RequestID, second.RequestID, later.RequestID = "request", "request", "request"
		second.At, later.At = t0.Add(time.Second), t0.Add(time.Minute)
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{first, second, later, line("client", "another")}))
		got, err := store.Log(t.Context(), storage.LogFilter{RequestID: "request", From: t0.Add(-2 * time.Second), To: t0.Add(2 * time.Second), Limit: 10})
		ok(t, err)
		if len(got) != 2 || got[0].Cause != "first" || got[0].ClientID != "client" || got[1].ClientID != "other" || got[1].Environment != storage.Sandbox {
			t.Errorf("got %+v", got)
		}
		for _, none := range []storage.LogFilter{{RequestID: "no request"}, {RequestID: "request", Environment: storage.Sandbox}} {
			none.From, none.To = t0.Add(-2*time.Second), t0.Add(2*time.Second)
			got = must(store.Log(t.Context(), none))(t)
			equal(t, len(got), 0)
		}
	})
	s.test(t, "MatchesAllThatIsGiven", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		a := application("client", "acme")
		a.Environment = storage.Production
		ok(t, store.CreateApplication(t.Context(), a, many))
		elsewhere := line("client", "p")
		elsewhere.Environment = storage.Production
		lines := []storage.LogEntry{line("other", "o"), elsewhere}
		for i, l := range []storage.LogEntry{
			{Event: "authorize", Outcome: "ok", RequestID: "r0", Flow: "f"},
			{Event: "authorize", Outcome: "error", Error: "invalid_request", RequestID: "r1", User: "u"},
			{Event: "token", Outcome: "error", Error: "invalid_grant", RequestID: "r1", Flow: "g", User: "u"},
			{Event: "token", Outcome: "denied", Error: "access_denied", RequestID: "r3", User: "v"},
			{Event: "token", Outcome: "ok", RequestID: "r4", Flow: "f", User: "u"},
		} {
			l.At, l.Environment, l.ClientID, l.Cause = t0.Add(time.Duration(i)*time.Hour), storage.Sandbox, "client", fmt.Sprint(i)
			lines = append(lines, l)
		}
		ok(t, store.AppendLog(t.Context(), lines))
		for _, tc := range []struct {
			match storage.LogFilter
			want  string
		}{
			{storage.LogFilter{}, "43210"},
			{storage.LogFilter{Environment: storage.Production}, "p"},
			{storage.LogFilter{Event: "token"}, "432"},
			{storage.LogFilter{Outcome: "ok"}, "40"},
			{storage.LogFilter{Outcome: "error"}, "21"},
			{storage.LogFilter{Outcome: "denied"}, "3"},
			{storage.LogFilter{Error: "invalid_grant"}, "2"},
			{storage.LogFilter{RequestID: "r1"}, "21"},
			{storage.LogFilter{Event: "token", Outcome: "error"}, "2"},
			{storage.LogFilter{Flow: "f"}, "40"},
			{storage.LogFilter{Flow: "f", OldestFirst: true}, "04"},
			{storage.LogFilter{Flow: "f", Outcome: "error"}, ""},
			{storage.LogFilter{User: "u"}, "421"},
			{storage.LogFilter{User: "u", Event: "token", Outcome: "error", Error: "invalid_grant"}, "2"},
			{storage.LogFilter{Flow: "g", User: "v"}, ""},
			{storage.LogFilter{From: t0.Add(2 * time.Hour)}, "432"},
			{storage.LogFilter{To: t0.Add(2 * time.Hour)}, "10"},
			{storage.LogFilter{From: t0.Add(time.Hour), To: t0.Add(3 * time.Hour), User: "u"}, "21"},
			{storage.LogFilter{OldestFirst: true, Limit: 2}, "01"},
			{storage.LogFilter{Event: "authorize", Outcome: "error", Error: "invalid_request", RequestID: "r1"}, "1"},
			{storage.LogFilter{Event: "authorize", Error: "invalid_grant"}, ""},
			{storage.LogFilter{Limit: 2}, "43"},
			{storage.LogFilter{Limit: -1}, ""},
		} {
			tc.match.ClientID = "client"
			if got := logged(t, store, tc.match); got != tc.want {
				t.Errorf("%+v matches %q, want %q", tc.match, got, tc.want)
			}
		}
		equal(t, logged(t, store, storage.LogFilter{}), "") // of no application
	})
	s.test(t, "PagesGoBackAndForth", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		for i := range 105 {
			ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line("client", fmt.Sprint(i, ",")), line("other", "o")}))
		}
		match := storage.LogFilter{Environment: storage.Sandbox, ClientID: "client"}
		first := must(store.Log(t.Context(), match))(t)
		if len(first) != 100 {
			t.Fatalf("a page has %d lines, want 100", len(first))
		}
		match.BeforeID = first[99].ID
		equal(t, logged(t, store, match), "4,3,2,1,0,")
		match.BeforeID, match.AfterID = 0, first[2].ID
		equal(t, logged(t, store, match), "104,103,")
		match.BeforeID = first[0].ID
		equal(t, logged(t, store, match), "103,")
		match.AfterID = first[0].ID
		equal(t, logged(t, store, match), "")
	})
	s.test(t, "LeavesOutWhatBelongsToNoApplication", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		elsewhere := line("client", "p")
		elsewhere.Environment = storage.Production
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line("unknown", "u"), line("client", "c"), elsewhere}))
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line("unknown", "u")}))
		ok(t, store.AppendLog(t.Context(), nil))
		equal(t, logged(t, store, storage.LogFilter{ClientID: "client"}), "c")
		ok(t, store.CreateApplication(t.Context(), application("unknown", "acme"), many))
		equal(t, logged(t, store, storage.LogFilter{ClientID: "unknown"}), "")
	})
	s.test(t, "IsAppendedAllOrNothing", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		nameless := line("client", "")
		nameless.Event = ""
		if err := store.AppendLog(t.Context(), []storage.LogEntry{line("client", "c"), nameless}); err == nil {
			t.Error("a line has no event")
		}
		equal(t, logged(t, store, storage.LogFilter{ClientID: "client"}), "")
		equal(t, len(must(store.LogDays(t.Context(), storage.Sandbox, "client", t0))(t)), 0)
	})
	s.test(t, "IsCountedByDay", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		day := time.Date(2026, time.March, 14, 0, 0, 0, 0, time.UTC)
		at := func(at time.Time, event, outcome, code string) storage.LogEntry {
			return storage.LogEntry{At: at, Environment: storage.Sandbox, ClientID: "client", Event: event, Outcome: outcome, Error: code}
		}
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{
			at(day, "token", "ok", ""),
			at(day.Add(24*time.Hour-time.Microsecond), "token", "ok", ""),
			at(day.Add(time.Hour).In(time.FixedZone("", 12*60*60)), "token", "error", "invalid_grant"),
			at(day.Add(-time.Microsecond), "token", "ok", ""),
			line("other", ""),
		}))
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{at(day, "token", "ok", ""), at(day.Add(24*time.Hour), "authorize", "ok", "")}))
		want := []storage.LogDay{
			{Day: day.AddDate(0, 0, -1), Event: "token", Outcome: "ok", Count: 1},
			{Day: day, Event: "token", Outcome: "error", Error: "invalid_grant", Count: 1},
			{Day: day, Event: "token", Outcome: "ok", Count: 3},
			{Day: day.AddDate(0, 0, 1), Event: "authorize", Outcome: "ok", Count: 1},
		}
		for i, from := range []time.Time{day.AddDate(0, 0, -1), day.Add(23 * time.Hour), day.AddDate(0, 0, 1), day.AddDate(0, 0, 2)} {
			equal(t, must(store.LogDays(t.Context(), storage.Sandbox, "client", from))(t), [][]storage.LogDay{want, want[1:], want[3:], nil}[i])
		}
		equal(t, len(must(store.LogDays(t.Context(), storage.Production, "client", day))(t)), 0)
	})
}

func (s *developerSuite) removalOfLog(t *testing.T) {
	never := time.Time{}
	day := time.Date(2026, time.March, 14, 0, 0, 0, 0, time.UTC)
	// filled has a line on each of ten days, for each of two applications.
	filled := func(t *testing.T) DeveloperStore {
		store := s.store(t)
		createApplications(t, store, "acme", "client", "other")
		for i := range 10 {
			for _, client := range []string{"client", "other"} {
				l := line(client, fmt.Sprint(i))
				l.At = day.AddDate(0, 0, i)
				ok(t, store.AppendLog(t.Context(), []storage.LogEntry{l}))
			}
		}
		return store
	}
	left := func(t *testing.T, store storage.Developers, client string) string {
		t.Helper()
		days := must(store.LogDays(t.Context(), storage.Sandbox, client, day))(t)
		return logged(t, store, storage.LogFilter{ClientID: client}) + fmt.Sprint(" and ", len(days))
	}
	t.Run("OfLinesAndOfDays", func(t *testing.T) {
		store := filled(t)
		for _, tc := range []struct {
			lines, days    time.Time
			limit, removed int
		}{
			{never, never, 4, 0}, {day, day, 4, 0}, {day.AddDate(0, 0, 7), never, 0, 0}, {day.AddDate(0, 0, 7), never, -1, 0},
			{day.AddDate(0, 0, 7), never, 10, 10}, {day.AddDate(0, 0, 7), never, 10, 4}, {day.AddDate(0, 0, 7), never, 10, 0},
			{day.AddDate(0, 0, 7).Add(time.Microsecond), never, 10, 2},
			{never, day.AddDate(0, 0, 2), 10, 4},
			{never, day.AddDate(0, 0, 2).Add(time.Hour), 10, 0}, // the day has not passed
			{day.AddDate(0, 0, 9), day.AddDate(0, 0, 3), 10, 4},
		} {
			removed := must(store.Trim(t.Context(), storage.Trim{Kind: storage.OldLog, Before: tc.lines, DaysBefore: tc.days}, tc.limit))(t)
			equal(t, removed, tc.removed)
		}
		equal(t, left(t, store, "client"), "9 and 7")
		equal(t, left(t, store, "other"), "9 and 7")
	})
	s.test(t, "WhateverTheOrderInWhichLinesCame", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		for i, at := range []time.Time{day.AddDate(20, 0, 0), day, day.AddDate(0, 0, 2), day} {
			l := line("client", fmt.Sprint(i))
			l.At = at
			ok(t, store.AppendLog(t.Context(), []storage.LogEntry{l}))
		}
		equal(t, must(store.Trim(t.Context(), storage.Trim{Kind: storage.OldLog, Before: day.AddDate(0, 0, 1), DaysBefore: never}, 10))(t), 2)
		equal(t, logged(t, store, storage.LogFilter{ClientID: "client"}), "20")
	})
	t.Run("OfADeletedApplicationTakesItsTime", func(t *testing.T) {
		s.test(t, "WithManyLines", func(t *testing.T, store DeveloperStore) {
			createApplications(t, store, "acme", "client")
			for range 10 {
				ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line("client", "")}))
			}
			ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
			equal(t, trimAll(t, store, storage.Trim{Kind: storage.OldLog}, 5), 10+1+1) // with their day, and what is left of the application
		})
		t.Run("WithManyDays", func(t *testing.T) {
			store := filled(t)
			equal(t, trimAll(t, store, storage.Trim{Kind: storage.OldLog, Before: day.AddDate(1, 0, 0)}, 5), 20)
			ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
			equal(t, trimAll(t, store, storage.Trim{Kind: storage.OldLog}, 5), 10+1)
		})
	})
	t.Run("OfADeletedApplication", func(t *testing.T) {
		store := filled(t)
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "client"))
		equal(t, left(t, store, "client"), " and 0") // at once
		ok(t, store.CreateApplication(t.Context(), application("client", "acme"), many))
		equal(t, left(t, store, "client"), " and 0") // nor does another get it
		found := must(store.Applications(t.Context(), storage.ApplicationFilter{}))(t)
		equal(t, len(found), 2)
		found = must(store.Applications(t.Context(), storage.ApplicationFilter{Environment: storage.Sandbox, Search: "e"}))(t)
		equal(t, len(found), 2)
		equal(t, trimAll(t, store, storage.Trim{Kind: storage.OldLog}, 3), 21) // lines, days, and what they belonged to
		equal(t, left(t, store, "other"), "9876543210 and 10")
	})
	s.test(t, "OfWhatIsMoreThanKept", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		outcomes := []string{"ok", "error", "ok", "denied", "ok", "error", "ok", "denied"}
		for i, outcome := range outcomes {
			for _, client := range []string{"client", "other"} {
				l := line(client, fmt.Sprint(i))
				l.Outcome = outcome
				ok(t, store.AppendLog(t.Context(), []storage.LogEntry{l}))
			}
		}
		for _, tc := range []struct {
			client                             string
			successes, failures, limit, remove int
			left                               string
		}{
			{"client", 4, 4, 10, 0, "76543210"}, {"client", 1, 1, 0, 0, "76543210"}, {"nobody", 0, 0, 10, 0, "76543210"},
			{"client", 1, 3, 10, 4, "7653"},
			{"client", 1, 1, 1, 1, ""}, {"client", 1, 1, 1, 1, "76"}, {"client", 1, 1, 1, 0, "76"},
		} {
			removed, err := store.Trim(t.Context(), storage.Trim{Kind: storage.SurplusLog, Environment: storage.Sandbox, ClientID: tc.client, Successes: tc.successes, Failures: tc.failures}, tc.limit)
			ok(t, err)
			equal(t, removed, tc.remove)
			if left := logged(t, store, storage.LogFilter{ClientID: "client"}); tc.left != "" && left != tc.left {
				t.Errorf("%+v leaves %s", tc, left)
			}
		}
		equal(t, logged(t, store, storage.LogFilter{ClientID: "other"}), "76543210")
		days := must(store.LogDays(t.Context(), storage.Sandbox, "client", t0))(t)
		total := 0
		for _, d := range days {
			total += d.Count
		}
		equal(t, total, len(outcomes))
	})
	s.test(t, "WhatIsOnlyCounted", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		counted := line("client", "")
		counted.Requests, counted.OnlyCounted = 41, true
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{counted, line("client", "c")}))
		equal(t, logged(t, store, storage.LogFilter{ClientID: "client"}), "c")
		equal(t, must(store.LogDays(t.Context(), storage.Sandbox, "client", t0))(t)[0].Count, 42)
	})
	s.test(t, "LinesThatCount", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client")
		counting := line("client", "")
		counting.Requests = 41
		ok(t, store.AppendLog(t.Context(), []storage.LogEntry{line("client", ""), counting}))
		lines := must(store.Log(t.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: "client"}))(t)
		equal(t, [2]int{lines[0].Requests, lines[1].Requests}, [2]int{41, 0})
		equal(t, must(store.LogDays(t.Context(), storage.Sandbox, "client", t0))(t)[0].Count, 42)
	})
}

package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// The size of the dashboard's database in BenchmarkDevelopers. Half of the lines are of
// one application, the others of all.
const (
	benchApplications = 10_000
	benchLines        = 1_000_000
	benchBatch        = 500
)

// benchDay is the first day of the log, which has thirty.
var benchDay = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

// BenchmarkDevelopers measures what a page of the dashboard reads, and what the log costs.
func BenchmarkDevelopers(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	fillDevelopers(b, store)

	for _, list := range []struct {
		name  string
		match storage.ApplicationFilter
	}{
		{"first-page", storage.ApplicationFilter{OrganizationID: "acme", Environment: storage.Sandbox, Limit: 50}},
		{"page-in-the-midst", storage.ApplicationFilter{OrganizationID: "acme", Environment: storage.Sandbox, AfterName: "Application 5", After: "client-5", Limit: 50}},
		{"search-rare", storage.ApplicationFilter{OrganizationID: "acme", Search: "ION 4711", Limit: 50}},
		{"search-none", storage.ApplicationFilter{OrganizationID: "acme", Search: "nothing", Limit: 50}},
		{"search-id", storage.ApplicationFilter{OrganizationID: "acme", Search: "client-4711", Limit: 50}},
		{"review", storage.ApplicationFilter{Review: storage.ReviewAsked, Limit: 50}},
		{"review-search", storage.ApplicationFilter{Review: storage.ReviewAsked, Search: "nothing", Limit: 50}},
		{"operator", storage.ApplicationFilter{Limit: 50}},
		{"operator-search", storage.ApplicationFilter{Search: "nothing", Limit: 50}},
	} {
		b.Run("applications="+list.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := store.Applications(b.Context(), list.match); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, log := range []struct {
		name  string
		match storage.LogFilter
	}{
		{"first-page", storage.LogFilter{}},
		{"page-in-the-midst", storage.LogFilter{BeforeID: benchLines / 2}},
		{"new", storage.LogFilter{AfterID: benchLines - 10}},
		{"event-rare", storage.LogFilter{Event: "introspect"}},
		{"outcome", storage.LogFilter{Outcome: "denied"}},
		{"error-none", storage.LogFilter{Error: "server_error"}},
		{"request", storage.LogFilter{RequestID: "request-4711"}},
		{"event-and-outcome", storage.LogFilter{Event: "token", Outcome: "denied"}},
		{"event-and-outcome-none", storage.LogFilter{Event: "userinfo", Outcome: "denied"}},
		{"event-and-error-none", storage.LogFilter{Event: "userinfo", Error: "invalid_grant"}},
	} {
		match := log.match
		match.Environment, match.ClientID, match.Limit = storage.Sandbox, "client-0", 50
		b.Run("log="+log.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := store.Log(b.Context(), match); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("days", func(b *testing.B) {
		for b.Loop() {
			if _, err := store.LogDays(b.Context(), storage.Sandbox, "client-0", benchDay); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, changes := range []struct {
		name  string
		match storage.ChangeFilter
	}{
		{"organization", storage.ChangeFilter{}},
		{"application", storage.ChangeFilter{ClientID: "client-4711"}},
		{"environment", storage.ChangeFilter{Environment: storage.Production}},
	} {
		match := changes.match
		match.OrganizationID, match.Limit = "acme", 50
		b.Run("changes="+changes.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := store.Changes(b.Context(), match); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	created := 0 // also when the benchmark runs again
	b.Run("create-application", func(b *testing.B) {
		for ; b.Loop(); created++ {
			a := storage.Application{
				Environment: storage.Sandbox, ClientID: fmt.Sprint("new-", created), OrganizationID: "acme",
				Name: "New", Kind: "web", CreatedAt: benchDay,
			}
			if err := store.CreateApplication(b.Context(), a, 1<<30); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("save-organization", func(b *testing.B) { // what any write costs
		for b.Loop() {
			o, err := store.Organization(b.Context(), "acme")
			if err == nil {
				err = store.SaveOrganization(b.Context(), o)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append-100-lines", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if err := store.AppendLog(b.Context(), benchEntries(n*100, 100)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("remove-step", func(b *testing.B) {
		for b.Loop() {
			if _, err := store.Trim(b.Context(), storage.Trim{Kind: storage.OldLog, Before: benchDay.AddDate(0, 0, 15), DaysBefore: benchDay.AddDate(0, 0, 15)}, 250); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// fillDevelopers makes the organization "acme" with all applications, and the log.
func fillDevelopers(b *testing.B, store *sqlite.Store) {
	b.Helper()
	err := store.CreateOrganization(b.Context(), storage.Organization{ID: "acme", Name: "Acme", CreatedAt: benchDay},
		storage.Member{UserID: "ann", JoinedAt: benchDay}, 1)
	if err != nil {
		b.Fatal(err)
	}
	inParallel(b, benchApplications, func(n int) error {
		a := storage.Application{
			Environment: storage.Sandbox, ClientID: fmt.Sprint("client-", n), OrganizationID: "acme",
			Name: fmt.Sprint("Application ", n), Kind: "web", CreatedBy: "ann", CreatedAt: benchDay,
			Document: []byte(`{"description":"what else the dashboard keeps about an application, some hundred bytes of it"}`),
		}
		if n%100 == 0 {
			a.Review = storage.ReviewAsked
		}
		if err := store.CreateApplication(b.Context(), a, benchApplications); err != nil {
			return err
		}
		return store.AppendChange(b.Context(), storage.Change{
			OrganizationID: "acme", At: benchDay, UserID: "ann", Environment: storage.Sandbox, ClientID: a.ClientID,
			What: "application.created", Fields: []storage.ChangedField{{Name: "name", After: a.Name}},
		})
	})
	inParallel(b, benchLines/benchBatch, func(n int) error {
		return store.AppendLog(b.Context(), benchEntries(n*benchBatch, benchBatch))
	})
}

// benchEntries makes lines from the nth on.
func benchEntries(first, count int) []storage.LogEntry {
	events := []string{"token", "authorize", "token", "userinfo"}
	entries := make([]storage.LogEntry, count)
	for i := range entries {
		n := first + i
		e := storage.LogEntry{
			At: benchDay.Add(time.Duration(n) * (30 * 24 * time.Hour / benchLines)), Environment: storage.Sandbox,
			ClientID: "client-0", Event: events[n/2%4], Outcome: "ok", RequestID: fmt.Sprint("request-", n),
			User: "3kTMd9sHq7", Address: "192.0.2.0/24",
		}
		if n%2 == 1 {
			e.ClientID = fmt.Sprint("client-", n%benchApplications)
		}
		switch {
		case n%100_000 == 0:
			e.Event = "introspect"
		case n%100 == 0:
			e.Outcome, e.Error, e.Cause = "denied", "invalid_grant", "code_expired"
			e.Details = map[string]string{"sent": "https://app.example/callback", "registered": "https://app.example/cb"}
		}
		entries[i] = e
	}
	return entries
}

// inParallel makes n calls, which share commits.
func inParallel(b *testing.B, n int, call func(i int) error) {
	b.Helper()
	calls, errs := make(chan int), make(chan error, 64)
	for range cap(errs) {
		go func() {
			for i := range calls {
				if err := call(i); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for i := range n {
		calls <- i
	}
	close(calls)
	for range cap(errs) {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
}

package storagetest

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// halts returns the halts of an organization's applications by client ID.
func halts(t *testing.T, store storage.Developers, organization string) map[string]storage.Halt {
	t.Helper()
	found := must(store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: organization, Limit: many}))(t)
	all := map[string]storage.Halt{}
	for _, a := range found {
		all[a.ClientID] = a.Halt
	}
	return all
}

// halting tests how a stop and its end change the halts of applications.
func (s *developerSuite) halting(t *testing.T) {
	all := []storage.Halt{storage.HaltNone, storage.HaltAsked, storage.HaltBegun, storage.HaltDone, storage.HaltIdle, storage.HaltOver}
	// in makes an application with each halt in an organization that is stopped.
	in := func(t *testing.T, store storage.Developers, from ...storage.Halt) {
		t.Helper()
		createApplications(t, store, "acme")
		for _, halt := range from {
			ok(t, store.CreateApplication(t.Context(), application("from "+string(halt), "acme"), many))
		}
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		for _, halt := range from {
			ok(t, store.MarkApplication(t.Context(), storage.Sandbox, "from "+string(halt), storage.ApplicationMark{From: storage.HaltAsked, To: halt}))
		}
	}
	s.test(t, "OfAnApplicationThatIsStoppedAlone", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme")
		ok(t, store.CreateApplication(t.Context(), storage.Application{
			Environment: storage.Production, ClientID: "live", OrganizationID: "acme", CreatedAt: t0, UpdatedAt: t0,
		}, many))
		save := func(review storage.Review) {
			a := must(store.Application(t.Context(), storage.Production, "live"))(t)
			a.Review = review
			ok(t, store.SaveApplication(t.Context(), a))
		}
		for _, next := range []struct {
			review storage.Review
			set    storage.Halt // before
			want   storage.Halt
		}{
			{storage.ReviewApproved, "", ""}, {storage.ReviewRefused, "", "alone"}, {storage.ReviewRefused, "alone", "alone"},
			{storage.ReviewRefused, "", "alone"}, {storage.ReviewAsked, "alone", "over"}, {storage.ReviewRefused, "over", "alone"},
			{storage.ReviewNone, "", "over"}, {storage.ReviewRefused, "begun", "begun"}, {storage.ReviewNone, "done", "done"},
		} {
			now := halts(t, store, "acme")["live"]
			if now != next.set {
				ok(t, store.MarkApplication(t.Context(), storage.Production, "live", storage.ApplicationMark{From: now, To: next.set}))
			}
			save(next.review)
			equal(t, halts(t, store, "acme")["live"], next.want)
		}
		equal(t, len(must(store.Applications(t.Context(), storage.ApplicationFilter{Halting: true}))(t)), 0)
	})
	s.test(t, "IsAskedOfAllApplications", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "red", "blue")
		createApplications(t, store, "other", "green")
		a := application("live", "acme")
		a.Environment, a.Halt = storage.Production, storage.HaltDone // it is nobody's to say
		ok(t, store.CreateApplication(t.Context(), a, many))
		equal(t, halts(t, store, "acme"), map[string]storage.Halt{"red": "", "blue": "", "live": ""})
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		equal(t, halts(t, store, "acme"), map[string]storage.Halt{"red": "asked", "blue": "asked", "live": "asked"})
		equal(t, halts(t, store, "other"), map[string]storage.Halt{"green": ""})
	})
	s.test(t, "EndsForThoseThatTheStopDisabled", func(t *testing.T, store DeveloperStore) {
		in(t, store, "asked", "begun", "done", "idle")
		ok(t, store.StartOrganization(t.Context(), "acme", t0, "operator"))
		equal(t, halts(t, store, "acme"), map[string]storage.Halt{"from asked": "", "from begun": "over", "from done": "over", "from idle": ""})
		// Stopped again before they are in use again: they were, and it is known.
		ok(t, store.StopOrganization(t.Context(), "acme", stop(t0)))
		equal(t, halts(t, store, "acme"), map[string]storage.Halt{"from asked": "asked", "from begun": "begun", "from done": "begun", "from idle": "asked"})
	})
	s.test(t, "IsReplacedAsTheOneThatWasRead", func(t *testing.T, store DeveloperStore) {
		createApplications(t, store, "acme", "client", "other")
		now := storage.HaltNone
		for _, next := range append(all[1:], storage.HaltNone) {
			for _, another := range all {
				if another != now {
					fails(t, store.MarkApplication(t.Context(), storage.Sandbox, "client", storage.ApplicationMark{From: another, To: next}), storage.ErrChanged)
				}
			}
			before := must(store.Application(t.Context(), storage.Sandbox, "client"))(t)
			ok(t, store.MarkApplication(t.Context(), storage.Sandbox, "client", storage.ApplicationMark{From: now, To: next}))
			now = next
			equal(t, halts(t, store, "acme"), map[string]storage.Halt{"client": now, "other": ""})
			before.Halt = storage.HaltNone // which saves none
			ok(t, store.SaveApplication(t.Context(), before))
			equal(t, halts(t, store, "acme")["client"], now)
		}
		fails(t, store.MarkApplication(t.Context(), storage.Production, "client", storage.ApplicationMark{From: "", To: "asked"}), storage.ErrChanged)
		fails(t, store.MarkApplication(t.Context(), storage.Sandbox, "unknown", storage.ApplicationMark{From: "", To: "asked"}), storage.ErrChanged)
		if store.MarkApplication(t.Context(), storage.Sandbox, "client", storage.ApplicationMark{From: "", To: "unheard of"}) == nil {
			t.Error("there is a halt that nobody knows")
		}
	})
	s.test(t, "IsFoundAsLongAsThereIsSomethingToDo", func(t *testing.T, store DeveloperStore) {
		in(t, store, all...)
		createApplications(t, store, "other", "another")
		ok(t, store.StopOrganization(t.Context(), "other", stop(t0)))
		gone := application("gone", "acme")
		for match, want := range map[string]string{"acme": "from asked,from begun,from over,", "": "another,from asked,from begun,from over,", gone.ClientID: ""} {
			got, last := "", storage.Application{}
			for {
				page := must(store.Applications(t.Context(), storage.ApplicationFilter{
					Halting: true, OrganizationID: match, Limit: 2, AfterName: last.Name, After: last.ClientID, AfterEnvironment: last.Environment,
				}))(t)
				for _, a := range page {
					got += a.ClientID + ","
					last = a
				}
				if len(page) < 2 {
					break
				}
			}
			equal(t, got, want)
		}
		ok(t, store.DeleteApplication(t.Context(), storage.Sandbox, "from asked"))
		left := must(store.Applications(t.Context(), storage.ApplicationFilter{Halting: true, OrganizationID: "acme"}))(t)
		equal(t, len(left), 2)
		left = must(store.Applications(t.Context(), storage.ApplicationFilter{Halting: true}))(t)
		equal(t, len(left), 3) // a deleted one is none of them
	})
}

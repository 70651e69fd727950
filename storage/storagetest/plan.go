package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func planIDs(plans []storage.Plan) (ids []string) {
	for _, p := range plans {
		ids = append(ids, p.ID)
	}
	return ids
}

// planNow reads a plan.
func planNow(t *testing.T, store storage.Plans, id string) storage.Plan {
	t.Helper()
	return must(storage.One(store.Plans(t.Context(), storage.PlanFilter{ID: new(id)})))(t)
}

func (s *deskSuite) plans(t *testing.T) {
	s.test(t, "ComeBackAsStored", func(t *testing.T, store DeskStore) {
		whole, bare := plan("whole"), plan("bare")
		whole.Content, bare.ProposedAs = []byte("sealed"), ""
		bare.ProposedAt, bare.ExpiresAt = elsewhere, elsewhere
		ok(t, store.CreatePlan(t.Context(), whole, targets("ann", "bob")))
		ok(t, store.CreatePlan(t.Context(), bare, nil))
		fails(t, store.CreatePlan(t.Context(), whole, nil), storage.ErrConflict)
		whole.Targets, bare.ProposedAt, bare.ExpiresAt = 2, asStored, asStored
		for _, want := range []storage.Plan{whole, bare} {
			equal(t, planNow(t, store, want.ID), want)
		}
		fails(t, errOf(storage.One(store.Plans(t.Context(), storage.PlanFilter{ID: new("none")}))), storage.ErrNotFound)
	})
	s.test(t, "AreListedByWhatMatches", func(t *testing.T, store DeskStore) {
		for i := range 4 {
			p := plan(fmt.Sprint(i))
			if i == 2 {
				p.ProposedBy = "sid"
			}
			ok(t, store.CreatePlan(t.Context(), p, targets("ann")))
		}
		ok(t, store.MovePlan(t.Context(), "3", planApproval("3")))
		for name, c := range map[string]struct {
			match storage.PlanFilter
			want  []string
		}{
			"All":        {storage.PlanFilter{}, []string{"3", "2", "1", "0"}},
			"State":      {storage.PlanFilter{State: storage.PlanProposed}, []string{"2", "1", "0"}},
			"ProposedBy": {storage.PlanFilter{ProposedBy: "sue"}, []string{"3", "1", "0"}},
			"Both":       {storage.PlanFilter{State: storage.PlanRunning, ProposedBy: "sid"}, nil},
			"Page":       {storage.PlanFilter{BeforeID: "3", Limit: 2}, []string{"2", "1"}},
			"One":        {storage.PlanFilter{ID: new("1")}, []string{"1"}},
			"OfNoID":     {storage.PlanFilter{ID: new("")}, nil},
		} {
			got := must(store.Plans(t.Context(), c.match))(t)
			t.Run(name, func(t *testing.T) { equal(t, planIDs(got), c.want) })
		}
	})
	s.test(t, "AreDueWhenTheyMayRun", func(t *testing.T, store DeskStore) {
		for _, id := range []string{"a", "b", "c"} {
			createPlan(t, store, id, "ann")
		}
		later := planApproval("a")
		later.NotBefore = t0.Add(time.Hour)
		ok(t, store.MovePlan(t.Context(), "a", later))
		ok(t, store.MovePlan(t.Context(), "c", planApproval("c")))
		for at, want := range map[time.Time][]string{
			{}:                                   {"c"},
			t0:                                   {"c"},
			t0.Add(time.Hour - time.Microsecond): {"c"},
			t0.Add(time.Hour):                    {"a", "c"},
		} {
			equal(t, planIDs(must(store.Plans(t.Context(), storage.PlanFilter{DueAt: &at}))(t)), want)
		}
		for after, want := range map[string][]string{"": {"a"}, "a": {"c"}, "c": nil} {
			equal(t, planIDs(must(store.Plans(t.Context(), storage.PlanFilter{DueAt: new(t0.Add(time.Hour)), AfterID: after, Limit: 1}))(t)), want)
		}
	})
}

func (s *deskSuite) planDecisions(t *testing.T) {
	s.test(t, "ApprovalIsAnothers", func(t *testing.T, store DeskStore) {
		createPlan(t, store, "p", "ann")
		want := planNow(t, store, "p")
		for name, c := range map[string]struct {
			change func(*storage.PlanMove)
			want   error
		}{
			"SameStaff":     {func(a *storage.PlanMove) { a.Staff, a.As = "sue", "user sam" }, storage.ErrForbidden},
			"SameUser":      {func(a *storage.PlanMove) { a.As = "user sue" }, storage.ErrForbidden},
			"AnotherDigest": {func(a *storage.PlanMove) { a.Digest = digest("another") }, storage.ErrChanged},
			"Late":          {func(a *storage.PlanMove) { a.At = t0.Add(24 * time.Hour) }, storage.ErrEnded},
		} {
			a := planApproval("p")
			c.change(&a)
			t.Run(name, func(t *testing.T) {
				fails(t, store.MovePlan(t.Context(), "p", a), c.want)
				equal(t, planNow(t, store, "p"), want)
			})
		}
		fails(t, store.MovePlan(t.Context(), "none", planApproval("none")), storage.ErrNotFound)
		a := planApproval("p")
		a.NotBefore = t0.Add(72 * time.Hour)
		ok(t, store.MovePlan(t.Context(), "p", a))
		want.State, want.ApprovedBy, want.ApprovedAs, want.DecidedAt, want.NotBefore = storage.PlanRunning, "sam", "user sam", t0, a.NotBefore
		equal(t, planNow(t, store, "p"), want)
		fails(t, store.MovePlan(t.Context(), "p", planApproval("p")), storage.ErrSpent)
	})
	s.test(t, "StaffWhoAreNoUsersAreToldApartByName", func(t *testing.T, store DeskStore) {
		p, a := plan("p"), planApproval("p")
		p.ProposedAs, a.As = "", ""
		ok(t, store.CreatePlan(t.Context(), p, targets("ann")))
		ok(t, store.MovePlan(t.Context(), "p", a))
	})
	s.test(t, "EndBeforeAnApprovalIsARefusal", func(t *testing.T, store DeskStore) {
		for _, staff := range []string{"sam", "sue"} {
			createPlan(t, store, staff, "ann")
			ok(t, store.MovePlan(t.Context(), staff, planEnd(staff, t0.Add(time.Hour))))
			got := planNow(t, store, staff)
			equal(t, got.State, storage.PlanRefused)
			equal(t, got.ApprovedBy, staff)
			equal(t, got.EndedAt, t0.Add(time.Hour))
			fails(t, store.MovePlan(t.Context(), staff, planEnd("sam", t0)), storage.ErrSpent)
			fails(t, store.MovePlan(t.Context(), staff, planApproval(staff)), storage.ErrSpent)
		}
		fails(t, store.MovePlan(t.Context(), "none", planEnd("sam", t0)), storage.ErrNotFound)
	})
	s.test(t, "EndAfterwardsStopsIt", func(t *testing.T, store DeskStore) {
		runPlan(t, store, "p", "ann")
		want := planNow(t, store, "p")
		ok(t, store.MovePlan(t.Context(), "p", planEnd("sue", t0.Add(time.Hour))))
		want.State, want.EndedAt = storage.PlanStopped, t0.Add(time.Hour)
		equal(t, planNow(t, store, "p"), want)
		fails(t, store.SkipTarget(t.Context(), storage.TargetID{Plan: "p", Number: 1}, "stopped"), storage.ErrSpent)
		fails(t, done(t.Context(), store, "p", 1), storage.ErrSpent)
		fails(t, store.MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0}), storage.ErrSpent)
	})
}

func (s *deskSuite) planTargets(t *testing.T) {
	s.test(t, "KeepTheirOrder", func(t *testing.T, store DeskStore) {
		ids := make([]string, 1234)
		for i := range ids {
			ids[i] = fmt.Sprint("person ", i*7%len(ids))
		}
		createPlan(t, store, "p", ids...)
		createPlan(t, store, "q", "ann")
		want := targets(ids...)
		for after := 0; after < len(want); after += 500 {
			equal(t, must(store.PlanTargets(t.Context(), "p", "", after, 500))(t), want[after:min(after+500, len(want))])
		}
	})
	s.test(t, "AreDoneOrSkippedOnce", func(t *testing.T, store DeskStore) {
		runPlan(t, store, "p", "ann", "bob", "cid")
		one, two := storage.TargetID{Plan: "p", Number: 1}, storage.TargetID{Plan: "p", Number: 2}
		ok(t, done(t.Context(), store, "p", 1))
		ok(t, store.SkipTarget(t.Context(), two, "changed"))
		for _, target := range []storage.TargetID{one, two, {Plan: "p", Number: 4}, {Plan: "none", Number: 1}} {
			fails(t, store.SkipTarget(t.Context(), target, "again"), storage.ErrSpent)
			fails(t, done(t.Context(), store, target.Plan, target.Number), storage.ErrSpent)
		}
		want := targets("ann", "bob", "cid")
		want[0].State = storage.TargetDone
		want[1].State, want[1].Why = storage.TargetSkipped, "changed"
		for state, want := range map[storage.TargetState][]storage.PlanTarget{
			"": want, storage.TargetDone: want[:1], storage.TargetSkipped: want[1:2], storage.TargetWaiting: want[2:],
		} {
			equal(t, must(store.PlanTargets(t.Context(), "p", state, 0, many))(t), want)
		}
		got := planNow(t, store, "p")
		equal(t, []int{got.Targets, got.Done, got.Skipped}, []int{3, 1, 1})
	})
	s.test(t, "AreBegunBeforeTheyAreDone", func(t *testing.T, store DeskStore) {
		runPlan(t, store, "p", "ann", "bob", "cid")
		finish := func(number int) error {
			return store.FinishDeed(t.Context(), &storage.Deed{Target: storage.TargetID{Plan: "p", Number: number}})
		}
		fails(t, finish(1), storage.ErrSpent) // which is not begun
		for number := range 3 {
			ok(t, beginTarget(t.Context(), store, "p", number+1, time.Time{}))
			fails(t, beginTarget(t.Context(), store, "p", number+1, time.Time{}), storage.ErrSpent)
			fails(t, beginTarget(t.Context(), store, "p", number+1, t0.Add(time.Second)), storage.ErrSpent)
			ok(t, beginTarget(t.Context(), store, "p", number+1, t0))
		}
		want := targets("ann", "bob", "cid")
		for i := range want {
			want[i].BegunAt = t0
		}
		equal(t, must(store.PlanTargets(t.Context(), "p", storage.TargetWaiting, 0, many))(t), want)
		equal(t, planNow(t, store, "p").Done, 0)
		fails(t, store.MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0}), storage.ErrSpent)
		ok(t, finish(1))
		fails(t, finish(1), storage.ErrSpent)
		fails(t, beginTarget(t.Context(), store, "p", 1, t0), storage.ErrSpent)
		ok(t, store.SkipTarget(t.Context(), storage.TargetID{Plan: "p", Number: 2}, "failed"))
		fails(t, finish(2), storage.ErrSpent)
		ok(t, store.MovePlan(t.Context(), "p", planEnd("sam", t0)))
		fails(t, beginTarget(t.Context(), store, "p", 3, t0), storage.ErrSpent)
		ok(t, finish(3)) // it was under way
		p := planNow(t, store, "p")
		equal(t, []int{p.Done, p.Skipped}, []int{2, 1})
	})
	s.test(t, "OfAProposedPlanWait", func(t *testing.T, store DeskStore) {
		createPlan(t, store, "p", "ann")
		fails(t, store.SkipTarget(t.Context(), storage.TargetID{Plan: "p", Number: 1}, "early"), storage.ErrSpent)
		fails(t, done(t.Context(), store, "p", 1), storage.ErrSpent)
	})
	s.test(t, "KeepAPlanFromItsEnd", func(t *testing.T, store DeskStore) {
		createPlan(t, store, "p", "ann")
		fails(t, store.MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0}), storage.ErrSpent)
		ok(t, store.MovePlan(t.Context(), "p", planApproval("p")))
		fails(t, store.MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0}), storage.ErrSpent)
		ok(t, done(t.Context(), store, "p", 1))
		ok(t, store.MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0.Add(time.Hour)}))
		got := planNow(t, store, "p")
		equal(t, got.State, storage.PlanDone)
		equal(t, got.EndedAt, t0.Add(time.Hour))
		fails(t, store.MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0}), storage.ErrSpent)
		fails(t, store.MovePlan(t.Context(), "none", storage.PlanMove{To: storage.PlanDone, At: t0}), storage.ErrSpent)
	})
	s.test(t, "HaveThePseudonymOfWhoIsDeleted", func(t *testing.T, store DeskStore) {
		createAccount(t, store, "ann")
		createPlan(t, store, "p", "bob", "ann")
		applications := plan("q")
		applications.Kind = "application"
		ok(t, store.CreatePlan(t.Context(), applications, targets("ann")))
		makeBreak(t, store, "b", "ann")
		ok(t, errOf(store.DeleteAccount(t.Context(), "ann", "someone", nil)))
		for plan, want := range map[string][]string{"p": {"bob", "someone"}, "q": {"ann"}} {
			got := must(store.PlanTargets(t.Context(), plan, "", 0, many))(t)
			var ids []string
			for _, target := range got {
				ids = append(ids, target.ID)
			}
			equal(t, ids, want)
		}
		equal(t, must(storage.One(store.Breaks(t.Context(), storage.BreakFilter{ID: new("b")})))(t).Target, "someone")
	})
}

func (s *deskSuite) removalOfPlans(t *testing.T) {
	store := s.store(t)
	day := t0.Add(24 * time.Hour)
	createPlan(t, store, "expired", "ann", "bob", "cid")
	createPlan(t, store, "refused", "ann")
	ok(t, store.MovePlan(t.Context(), "refused", planEnd("sam", t0)))
	runPlan(t, store, "running", "ann")
	runPlan(t, store, "done")
	ok(t, store.MovePlan(t.Context(), "done", storage.PlanMove{To: storage.PlanDone, At: t0.Add(time.Hour)}))
	left := func(before time.Time) (ids []string) {
		t.Helper()
		trimAll(t, store, storage.Trim{Kind: storage.OldPlans, Before: before}, 1)
		all := must(store.Plans(t.Context(), storage.PlanFilter{}))(t)
		return planIDs(all)
	}
	equal(t, left(t0), []string{"running", "refused", "expired", "done"})
	equal(t, left(t0.Add(time.Hour)), []string{"running", "expired", "done"})
	equal(t, left(day), []string{"running", "expired"})
	equal(t, left(day.Add(time.Hour)), []string{"running"})
	got := must(store.PlanTargets(t.Context(), "expired", "", 0, many))(t)
	equal(t, len(got), 0)
	got = must(store.PlanTargets(t.Context(), "running", "", 0, many))(t)
	equal(t, len(got), 1)
}

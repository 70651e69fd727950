package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// DeskStore is a store that keeps what those need who run the service, beside all that they
// look after.
type DeskStore = storage.Roles

// RunDesk tests everything that the comments of storage.Desk promise, as [Run] does for
// storage.Store.
func RunDesk(t *testing.T, newDatabase func(t *testing.T) (open func() DeskStore)) {
	suite := &deskSuite{newDatabase}
	t.Run("Plans", suite.plans)
	t.Run("PlanDecisions", suite.planDecisions)
	t.Run("PlanTargets", suite.planTargets)
	t.Run("RemovalOfPlans", suite.removalOfPlans)
	t.Run("Breaks", suite.breaks)
	t.Run("Answers", suite.answers)
	t.Run("Reports", suite.reports)
	t.Run("Deeds", suite.deeds)
	t.Run("DeedRaces", suite.deedRaces)
	t.Run("Neighbours", suite.neighbours)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

type deskSuite struct{ databases[DeskStore] }

// plan is one that sue proposes, for a day.
func plan(id string) storage.Plan {
	return storage.Plan{
		ID: id, Action: "lock", Kind: storage.KindPerson, Reason: "incident", Digest: digest(id),
		State: storage.PlanProposed, ProposedBy: "sue", ProposedAs: "user sue",
		ProposedAt: t0, ExpiresAt: t0.Add(24 * time.Hour),
	}
}

// targets are those of a plan, as they are read.
func targets(ids ...string) (all []storage.PlanTarget) {
	for i, id := range ids {
		all = append(all, storage.PlanTarget{Number: i + 1, ID: id, Revision: "revision of " + id, State: storage.TargetWaiting})
	}
	return all
}

func createPlan(t *testing.T, store storage.Plans, id string, ids ...string) {
	t.Helper()
	ok(t, store.CreatePlan(t.Context(), plan(id), targets(ids...)))
}

// approval is sam's.
func planApproval(id string) storage.PlanMove {
	return storage.PlanMove{To: storage.PlanRunning, Digest: digest(id), Staff: "sam", As: "user sam", At: t0}
}

func planEnd(staff string, at time.Time) storage.PlanMove {
	return storage.PlanMove{To: storage.PlanStopped, Staff: staff, At: at}
}

// runPlan creates a plan that runs.
func runPlan(t *testing.T, store storage.Plans, id string, ids ...string) {
	t.Helper()
	createPlan(t, store, id, ids...)
	ok(t, store.MovePlan(t.Context(), id, planApproval(id)))
}

// withDeed makes a write that changes nothing and carries a deed.
func withDeed(ctx context.Context, store storage.Store, d *storage.Deed) error {
	return store.CloseMatter(storage.WithDeed(ctx, d), "none", "nobody", t0)
}

// done does a target of a plan.
func done(ctx context.Context, store storage.Store, plan string, number int) error {
	return withDeed(ctx, store, &storage.Deed{Target: storage.TargetID{Plan: plan, Number: number}})
}

// beginTarget begins a target of a plan at t0.
func beginTarget(ctx context.Context, store storage.Store, plan string, number int, again time.Time) error {
	return withDeed(ctx, store, &storage.Deed{
		Target: storage.TargetID{Plan: plan, Number: number}, InParts: true, Again: again, On: storage.DeedBasis{At: t0},
	})
}

// makeBreak records a break of sue.
func makeBreak(t *testing.T, store storage.Store, id, target string) storage.Break {
	t.Helper()
	b := storage.Break{ID: id, Staff: "sue", Action: "lock", Target: target, Sentence: []byte("sealed"), At: t0, Done: true}
	ok(t, withDeed(t.Context(), store, &storage.Deed{Break: &b}))
	return b
}

// availability tests that a store that cannot read never answers that there is nothing to do.
func (s *deskSuite) availability(t *testing.T) {
	prepared := func(t *testing.T) DeskStore {
		store := s.store(t)
		createPlan(t, store, "p", "ann")
		makeBreak(t, store, "b", "ann")
		ok(t, withDeed(t.Context(), store, &storage.Deed{Answer: new(answer("client", "key"))}))
		return store
	}
	availability(t, prepared, map[string]func(context.Context, DeskStore) error{
		"Plans": func(ctx context.Context, store DeskStore) error { return errOf(store.Plans(ctx, storage.PlanFilter{})) },
		"PlanTargets": func(ctx context.Context, store DeskStore) error {
			return errOf(store.PlanTargets(ctx, "p", "", 0, many))
		},
		"Trim": func(ctx context.Context, store DeskStore) error {
			return errOf(store.Trim(ctx, storage.Trim{Kind: storage.OldPlans, Before: t0}, many))
		},
		"Breaks": func(ctx context.Context, store DeskStore) error {
			return errOf(store.Breaks(ctx, storage.BreakFilter{Open: true, Limit: many}))
		},
		"MarkBreak": func(ctx context.Context, store DeskStore) error {
			return store.MarkBreak(ctx, "b", storage.BreakMark{Told: true})
		},
		"FinishDeed": func(ctx context.Context, store DeskStore) error { return store.FinishDeed(ctx, &storage.Deed{}) },
		"Answer": func(ctx context.Context, store DeskStore) error {
			return errOf(store.Answer(ctx, "client", digest("key"), t0))
		},
		"Report": func(ctx context.Context, store DeskStore) error { _, err := store.Report(ctx, t0); return err },
	})
}

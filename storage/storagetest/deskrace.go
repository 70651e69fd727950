package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// races tests what several members of the staff decide at once.
func (s *deskSuite) races(t *testing.T) {
	hold(t, s.stores, map[string]contest[DeskStore]{
		"NewPlan": func(_ *testing.T, _ DeskStore, id string) (func(int, DeskStore) error, error) {
			return func(_ int, s DeskStore) error {
				return s.CreatePlan(context.Background(), plan(id), targets("ann"))
			}, storage.ErrConflict
		},
		"ReleaseOfAMatter": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			m := matter(id, "sue", "ann", t0)
			m.WithheldUntil = late
			openMatter(t, store, m)
			return func(_ int, s DeskStore) error { return s.ReleaseMatter(t.Context(), id, t0) }, storage.ErrEnded
		},
		"PlanApproval": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			createPlan(t, store, id, "ann")
			return func(i int, s DeskStore) error {
				a := planApproval(id)
				a.Staff, a.As = fmt.Sprint("staff ", i), ""
				return s.MovePlan(t.Context(), id, a)
			}, storage.ErrSpent
		},
		"RefusalOfAPlan": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			createPlan(t, store, id, "ann")
			return func(i int, s DeskStore) error {
				return s.MovePlan(t.Context(), id, planEnd(fmt.Sprint("staff ", i), t0))
			}, storage.ErrSpent
		},
		"PlanTarget": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			runPlan(t, store, id, "ann", "bob")
			return func(i int, s DeskStore) error {
				if i%2 == 0 {
					return done(t.Context(), s, id, 1)
				}
				return s.SkipTarget(t.Context(), storage.TargetID{Plan: id, Number: 1}, "changed")
			}, storage.ErrSpent
		},
		"BegunTarget": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			runPlan(t, store, id, "ann")
			return func(_ int, s DeskStore) error { return beginTarget(t.Context(), s, id, 1, time.Time{}) }, storage.ErrSpent
		},
		"EndOfADeed": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			runPlan(t, store, id, "ann")
			ok(t, beginTarget(t.Context(), store, id, 1, time.Time{}))
			return func(_ int, s DeskStore) error {
				return s.FinishDeed(t.Context(), &storage.Deed{Target: storage.TargetID{Plan: id, Number: 1}})
			}, storage.ErrSpent
		},
		"EndOfAPlan": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			runPlan(t, store, id)
			return func(i int, s DeskStore) error {
				if i%2 == 0 {
					return s.MovePlan(t.Context(), id, storage.PlanMove{To: storage.PlanDone, At: t0})
				}
				return s.MovePlan(t.Context(), id, planEnd("sam", t0))
			}, storage.ErrSpent
		},
		"SignOff": func(t *testing.T, store DeskStore, id string) (func(int, DeskStore) error, error) {
			makeBreak(t, store, id, "ann")
			return func(i int, s DeskStore) error {
				return s.MarkBreak(t.Context(), id, storage.BreakMark{SignedOffBy: fmt.Sprint("staff ", i), SignedOffAt: t0})
			}, storage.ErrSpent
		},
		"AnswerOfAKey": func(_ *testing.T, _ DeskStore, id string) (func(int, DeskStore) error, error) {
			return func(_ int, s DeskStore) error {
				return withDeed(context.Background(), s, &storage.Deed{Answer: new(answer("client", id)), On: storage.DeedBasis{At: t0}})
			}, storage.ErrConflict
		},
	})
	s.pair(t, "TargetsAreCountedAsTheyAreDone", func(t *testing.T, stores []DeskStore) {
		ids := make([]string, contenders)
		for i := range ids {
			ids[i] = fmt.Sprint("person ", i)
		}
		runPlan(t, stores[0], "p", ids...)
		allWin(t, race(stores, func(i int, store DeskStore) error {
			if i%4 == 0 {
				return store.SkipTarget(t.Context(), storage.TargetID{Plan: "p", Number: i + 1}, "changed")
			}
			return done(t.Context(), store, "p", i+1)
		}))
		got := planNow(t, stores[0], "p")
		equal(t, []int{got.Done, got.Skipped}, []int{contenders * 3 / 4, contenders / 4})
		ok(t, stores[0].MovePlan(t.Context(), "p", storage.PlanMove{To: storage.PlanDone, At: t0}))
	})
}

// neighbours tests that no write changes more than it names.
func (s *deskSuite) neighbours(t *testing.T) {
	leave(t, s.store, fillDesk, lookDesk, map[string]deed[DeskStore]{
		"MovePlan": doing(func(ctx context.Context, s DeskStore) error {
			return s.MovePlan(ctx, "proposed ann", planApproval("proposed ann"))
		}, "plan proposed ann"),
		"EndPlan": doing(func(ctx context.Context, s DeskStore) error {
			return s.MovePlan(ctx, "proposed ann", planEnd("sam", t0))
		}, "plan proposed ann"),
		"StopPlan": doing(func(ctx context.Context, s DeskStore) error {
			return s.MovePlan(ctx, "running ann", planEnd("sam", t0))
		}, "plan running ann"),
		"SkipTarget": doing(func(ctx context.Context, s DeskStore) error {
			return s.SkipTarget(ctx, storage.TargetID{Plan: "running ann", Number: 1}, "changed")
		}, "plan running ann", "target running ann 1"),
		"FinishPlan": doing(func(ctx context.Context, s DeskStore) error {
			return s.MovePlan(ctx, "empty ann", storage.PlanMove{To: storage.PlanDone, At: t0})
		}, "plan empty ann"),
		"FinishDeed": doing(func(ctx context.Context, s DeskStore) error {
			if err := beginTarget(ctx, s, "running ann", 1, time.Time{}); err != nil {
				return err
			}
			return s.FinishDeed(ctx, &storage.Deed{Target: storage.TargetID{Plan: "running ann", Number: 1}})
		}, "plan running ann", "target running ann 1"),
		"TellBreak": doing(func(ctx context.Context, s DeskStore) error {
			return s.MarkBreak(ctx, "break ann", storage.BreakMark{Told: true})
		}, "break ann"),
		"SignOffBreak": doing(func(ctx context.Context, s DeskStore) error {
			return s.MarkBreak(ctx, "break ann", storage.BreakMark{SignedOffBy: "sam", SignedOffAt: t0})
		}, "break ann"),
		"UseMatter":     doing(func(ctx context.Context, s DeskStore) error { return s.UseMatter(ctx, "matter ann", "sue", t0, late) }, "matter ann"),
		"CloseMatter":   doing(func(ctx context.Context, s DeskStore) error { return s.CloseMatter(ctx, "matter ann", "sue", t0) }, "matter ann"),
		"ReleaseMatter": doing(func(ctx context.Context, s DeskStore) error { return s.ReleaseMatter(ctx, "matter ann", t0) }, "matter ann"),
		"ProveCaller": doing(func(ctx context.Context, s DeskStore) error {
			return errOf(s.ProveCaller(ctx, "matter ann", "sue", digest("code of ann"), t0, late))
		}, "matter ann"),
		"DeleteAccount": doing(func(ctx context.Context, s DeskStore) error {
			return found(s.DeleteAccount(ctx, "ann", "someone", nil))
		}, "matter ann", "break ann", "target proposed ann", "target running ann"),
	})
}

// fillDesk makes two records of each kind.
func fillDesk(t *testing.T, store DeskStore) {
	t.Helper()
	for _, who := range people {
		createAccount(t, store, who)
		m := matter("matter "+who, "sue", who, t0)
		m.WithheldUntil, m.Note = late, []byte("sealed")
		openMatter(t, store, m)
		ok(t, store.SaveCallerCode(t.Context(), callerCode(who, "code of "+who, storage.MailboxProof)))
		createPlan(t, store, "proposed "+who, who)
		runPlan(t, store, "running "+who, who, who)
		runPlan(t, store, "empty "+who)
		makeBreak(t, store, "break "+who, who)
	}
}

// lookDesk reads every record of fillDesk, by name.
func lookDesk(ctx context.Context, store DeskStore) map[string]string {
	all := map[string]string{}
	for _, who := range people {
		all["matter "+who] = seen(storage.One(store.Matters(ctx, storage.MatterFilter{ID: new("matter " + who)})))
		all["break "+who] = seen(storage.One(store.Breaks(ctx, storage.BreakFilter{ID: new("break " + who)})))
		for _, kind := range []string{"proposed ", "running ", "empty "} {
			all["plan "+kind+who] = seen(storage.One(store.Plans(ctx, storage.PlanFilter{ID: new(kind + who)})))
			targets, err := store.PlanTargets(ctx, kind+who, "", 0, many)
			for _, target := range targets {
				all[fmt.Sprint("target ", kind, who, " ", target.Number)] = seen(target, err)
			}
		}
	}
	return all
}

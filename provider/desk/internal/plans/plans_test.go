package plans

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestPlanIsProposedApprovedAndRun(t *testing.T) {
	w := newPlace(t, 3)
	p := w.running("p1", "p2", "p3")
	w.OK(w.CarryOn(t.Context()))
	got := w.plan(p.ID)
	if got.State != storage.PlanDone || got.Done != 3 || got.Skipped != 0 {
		t.Errorf("plan is %s, done %d, skipped %d", got.State, got.Done, got.Skipped)
	}
	want := []string{
		"staff_looked  by staff:olga", "plan_proposed  by staff:olga", "plan_approved  by staff:oleg",
		"account_disabled p1 by staff:olga", "account_disabled p2 by staff:olga", "account_disabled p3 by staff:olga",
		"plan_done  by staff:oleg",
	}
	if diff := cmp.Diff(want, w.lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Limit: 10}))(w.T)
	for _, e := range events {
		if e.Actor != "" && e.Matter != p.ID && e.Name != event.StaffLooked {
			t.Errorf("%s is not found by its plan", e.Name)
		}
	}
}

func TestDraft(t *testing.T) {
	w := newPlace(t, 4)
	w.OK(w.Accounts().SetDisabled(t.Context(), "p2", true))
	d := w.drafted(Request{Action: action.Lock, Targets: []string{"p1", "p1", " p2 ", "", "gone", "olga", "oleg", "p3"}})
	var ids []string
	for _, one := range d.Targets {
		ids = append(ids, one.ID)
	}
	if diff := cmp.Diff([]string{"p1", "oleg", "p3"}, ids); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Left{{WhyGone, 1}, {"locked", 1}, {WhySelf, 1}}, d.Left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]action.Fact{{Name: "sessions", Value: "6"}}, d.Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if again := w.drafted(d.Request); again.Digest != d.Digest {
		t.Error("the same draft has another digest")
	}
	if other := w.drafted(Request{Action: action.Lock, Targets: []string{"p3", "oleg", "p1"}}); other.Digest == d.Digest {
		t.Error("another order has the same digest")
	}
}

func TestDraftIsRefused(t *testing.T) {
	w := newPlace(t, 1)
	many := make([]string, MaxTargets+1)
	for i := range many {
		many[i] = "x" + strconv.Itoa(i)
	}
	tests := map[string]struct {
		by    string
		r     Request
		err   error
		field string
	}{
		"SupportForMany":       {"sam", Request{Action: action.Lock, Targets: []string{"p1", "p2"}}, ErrForbidden, ""},
		"SupportForTwo":        {"sam", Request{Action: action.ChangeEmail, Targets: []string{"p1"}, Values: map[string]string{"email": "a@example.com"}}, ErrForbidden, ""},
		"NobodyAtAll":          {"p1", Request{Action: action.Lock, Targets: []string{"p1"}}, ErrForbidden, ""},
		"UnknownAction":        {"olga", Request{Action: "promote", Targets: []string{"p1"}}, ErrForbidden, ""},
		"WhatIsNotForMany":     {"olga", Request{Action: action.Unlock, Targets: []string{"p1", "p2"}}, ErrNotPlanned, ""},
		"WhatOneDoesAlone":     {"olga", Request{Action: action.Unlock, Targets: []string{"p1"}}, ErrNotPlanned, ""},
		"WhatIsShown":          {"olga", Request{Action: action.ShowValue, Targets: []string{"oleg"}, Values: map[string]string{"handle": "x"}}, ErrNotPlanned, ""},
		"NoTarget":             {"olga", Request{Action: action.Lock, Targets: []string{" "}}, nil, "targets"},
		"MoreThanTenThousand":  {"olga", Request{Action: action.Lock, Targets: many}, nil, "targets"},
		"MissingValue":         {"olga", Request{Action: action.ChangeEmail, Targets: []string{"p1"}}, nil, "email"},
		"ValueOfAnotherAction": {"olga", Request{Action: action.Lock, Targets: []string{"p1"}, Values: map[string]string{"approved_by": "oleg"}}, nil, "approved_by"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := w.Draft(t.Context(), w.member(tt.by), tt.r)
			var wrong *provider.FieldError
			if tt.err != nil && !errors.Is(err, tt.err) || tt.field != "" && (!errors.As(err, &wrong) || wrong.Field != tt.field) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("StaffIsPlannedByOperators", func(t *testing.T) {
		w.drafted(Request{Action: action.Unlock, Targets: []string{"oleg"}})
	})
}

// Attack 2: nobody approves what they have proposed, whatever they come with.
func TestOwnPlanIsNotApproved(t *testing.T) {
	w := newPlace(t, 2)
	w.staff["p2"] = action.Staff{ID: "olga", Roles: []action.Role{action.Operator}} // olga's second account
	p := w.proposed("p1")
	for name, by := range map[string]Member{
		"Herself":                w.member("olga"),
		"SecondAccount":          {Name: "staff:olga", As: "p2", Staff: w.staff["p2"]},
		"SecondNameOfTheAccount": {Name: "staff:olga2", As: "olga", Staff: w.staff["olga"]},
		"ClientOfTheAPI":         {Name: "client:olga", Staff: w.staff["olga"]},
		"Support":                w.member("sam"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.Approve(t.Context(), by, p.ID, p.Digest)
			if !errors.Is(err, ErrOwn) && !errors.Is(err, ErrForbidden) {
				t.Errorf("approve: %v", err)
			}
		})
	}
	if got := w.plan(p.ID); got.State != storage.PlanProposed {
		t.Errorf("the plan is %s", got.State)
	}
}

// Attack 3: a plan that was altered, or whose people have lost their roles.
func TestAlteredPlan(t *testing.T) {
	t.Run("OtherDigestIsRefused", func(t *testing.T) {
		w := newPlace(t, 1)
		p := w.proposed("p1")
		_, err := w.Approve(t.Context(), w.member("oleg"), p.ID, storage.Digest{1})
		if !errors.Is(err, ErrMoved) {
			t.Errorf("approve: %v", err)
		}
	})
	for name, statement := range map[string]string{
		"Action":   `UPDATE plans SET action = 'change_email'`,
		"Reason":   `UPDATE plans SET reason = 'other'`,
		"Proposer": `UPDATE plans SET proposed_by = 'staff:otto'`,
		"Targets":  `DELETE FROM plan_targets WHERE number = 2`,
		"Revision": `UPDATE plan_targets SET revision = '1~AAAA' WHERE number = 2`,
	} {
		t.Run(name+"IsRefused", func(t *testing.T) {
			w := newPlace(t, 2)
			p := w.proposed("p1", "p2")
			w.MustExec(statement)
			if _, err := w.Approve(t.Context(), w.member("oleg"), p.ID, p.Digest); !errors.Is(err, ErrMoved) {
				t.Errorf("approve: %v", err)
			}
		})
		t.Run(name+"StopsARunningOne", func(t *testing.T) {
			w := newPlace(t, 2)
			p := w.running("p1", "p2")
			w.MustExec(statement)
			w.OK(w.CarryOn(t.Context()))
			if got := w.plan(p.ID); got.State != storage.PlanStopped || w.acts.Load() != 0 {
				t.Errorf("the plan is %s, %d acts", got.State, w.acts.Load())
			}
		})
	}
	t.Run("OtherTargetIsSkipped", func(t *testing.T) {
		w := newPlace(t, 3)
		p := w.running("p1", "p2")
		w.MustExec(`UPDATE plan_targets SET id = 'p3' WHERE number = 2`)
		w.OK(w.CarryOn(t.Context()))
		if diff := cmp.Diff(map[string]string{"p3": "gone"}, w.whys(p.ID)); diff != "" {
			t.Errorf("skipped (-want +got):\n%s", diff)
		}
	})
}

func TestRunner(t *testing.T) {
	t.Run("SkipsAndSaysWhy", func(t *testing.T) {
		w := newPlace(t, 6)
		p := w.running("p1", "p2", "p3", "p4", "p5", "p6")
		w.OK(w.People().EndSessions(t.Context(), "p1", ""))
		w.OK(w.Accounts().Delete(t.Context(), "p2"))
		w.staff["p3"] = action.Staff{ID: "oleg", Roles: []action.Role{action.Operator}}
		w.staff["p4"] = action.Staff{Roles: []action.Role{action.Support}}
		w.fails["p5"] = &provider.FieldError{Field: "x", Err: errors.New("no")}
		w.MustExec(`UPDATE accounts SET epoch = epoch + 1 WHERE id = 'p1'`)
		w.OK(w.CarryOn(t.Context()))
		whys := w.whys(p.ID)
		var got []string
		for _, why := range whys {
			got = append(got, why)
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{"changed", "gone", "refused", "self"}, got); diff != "" {
			t.Errorf("skipped %v (-want +got):\n%s", whys, diff)
		}
		if p := w.plan(p.ID); p.State != storage.PlanDone || p.Done != 2 || p.Skipped != 4 {
			t.Errorf("plan is %s, done %d, skipped %d", p.State, p.Done, p.Skipped)
		}
	})
	for name, err := range map[string]error{"Fails": errors.New("no luck"), "TheStoreCannotDo": storage.ErrUnavailable} {
		t.Run("TriesLastAndAgainWhat"+name, func(t *testing.T) {
			w := newPlace(t, 3)
			p := w.running("p1", "p2", "p3")
			w.fails["p1"] = err
			rounds := 0
			for ; w.plan(p.ID).State == storage.PlanRunning && rounds < 100; rounds++ {
				if got := w.plan(p.ID); rounds > 0 && got.Done != 2 {
					t.Fatalf("%d are done beside one that fails", got.Done)
				}
				w.OK(w.CarryOn(t.Context()))
			}
			if diff := cmp.Diff(map[string]string{"p1": "failed"}, w.whys(p.ID)); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if got := w.plan(p.ID); got.State != storage.PlanDone || got.Done != 2 || rounds != 1<<(maxAttempts-1) {
				t.Errorf("the plan is %s, %d done, after %d rounds", got.State, got.Done, rounds)
			}
		})
	}
	t.Run("PlansThatFailHoldUpNoOther", func(t *testing.T) {
		w := newPlace(t, 2)
		for range duePage + 1 {
			w.running("p1")
		}
		last := w.running("p2")
		w.fails["p1"] = storage.ErrUnavailable
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(last.ID); got.State != storage.PlanDone {
			t.Errorf("the last plan is %s", got.State)
		}
	})
	t.Run("ProposersWhomTheHostDoesNotKnowHoldUpNoOther", func(t *testing.T) {
		w := newPlace(t, 2)
		for range duePage + 1 {
			d := testkit.Must(w.Draft(t.Context(), w.member("otto"), Request{Action: action.Lock, Targets: []string{"p1"}}))(w.T)
			p := testkit.Must(w.Propose(t.Context(), w.member("otto"), d))(w.T)
			testkit.Must(w.Approve(t.Context(), w.member("oleg"), p.ID, p.Digest))(w.T)
		}
		last := w.running("p2")
		w.unknown = "otto"
		if err := w.CarryOn(t.Context()); err == nil {
			t.Error("nobody says that the host cannot be asked")
		}
		if got := w.plan(last.ID); got.State != storage.PlanDone {
			t.Errorf("the last plan is %s", got.State)
		}
	})
	for _, who := range []string{"olga", "oleg"} {
		t.Run("StopsWhenARoleIsLost/"+who, func(t *testing.T) {
			w := newPlace(t, 1)
			p := w.running("p1")
			delete(w.staff, who)
			w.OK(w.CarryOn(t.Context()))
			if got := w.plan(p.ID); got.State != storage.PlanStopped || w.acts.Load() != 0 {
				t.Errorf("the plan is %s, %d acts", got.State, w.acts.Load())
			}
		})
	}
	t.Run("WaitsWhileTheHostCannotSay", func(t *testing.T) {
		w := newPlace(t, 1)
		p := w.running("p1")
		w.host = errors.New("down")
		if err := w.CarryOn(t.Context()); err == nil {
			t.Error("nobody says that the host cannot be asked")
		}
		if got := w.plan(p.ID); got.State != storage.PlanRunning {
			t.Errorf("the plan is %s", got.State)
		}
		w.host = nil
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.State != storage.PlanDone {
			t.Errorf("the plan is %s", got.State)
		}
	})
	t.Run("GoesOnAfterProcessesThatEndInBetween", func(t *testing.T) {
		w := newPlace(t, 5)
		p := w.running("p1", "p2", "p3", "p4", "p5")
		w.fails["p3"] = storage.ErrUnavailable
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.Done != 4 {
			t.Errorf("%d done before it ended", got.Done)
		}
		clear(w.fails)
		w.OK(w.another().CarryOn(t.Context()))
		if got := w.plan(p.ID); got.State != storage.PlanDone || got.Done != 5 || w.acts.Load() != 5 {
			t.Errorf("the plan is %s, %d done, %d acts", got.State, got.Done, w.acts.Load())
		}
	})
	t.Run("OfTwoProcessesOneActs", func(t *testing.T) {
		const people = 20
		w := newPlace(t, people)
		var ids []string
		for n := range people {
			ids = append(ids, "p"+strconv.Itoa(n+1))
		}
		p := w.running(ids...)
		var working sync.WaitGroup
		for range 4 {
			working.Go(func() {
				if err := w.another().CarryOn(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		working.Wait()
		w.OK(w.CarryOn(t.Context()))
		got := w.plan(p.ID)
		if got.State != storage.PlanDone || got.Done != people || got.Skipped != 0 {
			t.Errorf("the plan is %s, %d done, %d skipped: %v", got.State, got.Done, got.Skipped, w.whys(p.ID))
		}
		events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.AccountDisabled, Limit: 100})
		if w.OK(err); len(events) != people {
			t.Errorf("%d lines for %d people", len(events), people)
		}
	})
	t.Run("KnowsWhatRunsBeforeItKnowsTheTime", func(t *testing.T) {
		w := newPlace(t, 2)
		running, proposed := w.running("p1"), w.proposed("p2")
		w.MustExec(`DELETE FROM clock`)
		w.OK(w.CarryOn(t.Context()))
		if done, left := w.plan(running.ID), w.plan(proposed.ID); done.State != storage.PlanDone || left.State != storage.PlanProposed || w.acts.Load() != 1 {
			t.Errorf("the plans are %s and %s, %d acts", done.State, left.State, w.acts.Load())
		}
	})
	t.Run("StopsInBetween", func(t *testing.T) {
		w := newPlace(t, 3)
		p := w.running("p1", "p2", "p3")
		w.OK(w.End(t.Context(), w.member("otto"), p.ID))
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.State != storage.PlanStopped || w.acts.Load() != 0 {
			t.Errorf("the plan is %s, %d acts", got.State, w.acts.Load())
		}
	})
}

func TestDecision(t *testing.T) {
	t.Run("OfManyOneApproves", func(t *testing.T) {
		w := newPlace(t, 1)
		p := w.proposed("p1")
		var approved atomic.Int64
		var deciding sync.WaitGroup
		for i := range 20 {
			deciding.Go(func() {
				_, err := w.Approve(t.Context(), w.member([]string{"oleg", "otto"}[i%2]), p.ID, p.Digest)
				switch {
				case err == nil:
					approved.Add(1)
				case !errors.Is(err, ErrOver):
					t.Error(err)
				}
			})
		}
		deciding.Wait()
		if approved.Load() != 1 {
			t.Errorf("%d have approved it", approved.Load())
		}
	})
	t.Run("EndsAfterADay", func(t *testing.T) {
		w := newPlace(t, 1)
		p := w.proposed("p1")
		w.Advance(approval)
		if _, err := w.Approve(t.Context(), w.member("oleg"), p.ID, p.Digest); !errors.Is(err, ErrOver) {
			t.Errorf("approve: %v", err)
		}
	})
	t.Run("IsNotOfTheTarget", func(t *testing.T) {
		w := newPlace(t, 1)
		p := w.proposed("oleg")
		if _, err := w.Approve(t.Context(), w.member("oleg"), p.ID, p.Digest); !errors.Is(err, ErrOwn) {
			t.Errorf("approve: %v", err)
		}
		_, err := w.Approve(t.Context(), w.member("otto"), p.ID, p.Digest)
		w.OK(err)
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.Done != 1 {
			t.Errorf("skipped: %v", w.whys(p.ID))
		}
	})
	t.Run("IsTakenBack", func(t *testing.T) {
		w := newPlace(t, 1)
		p := w.proposed("p1")
		w.OK(w.End(t.Context(), w.member("olga"), p.ID))
		if _, err := w.Approve(t.Context(), w.member("oleg"), p.ID, p.Digest); !errors.Is(err, ErrOver) {
			t.Errorf("approve: %v", err)
		}
		if err := w.End(t.Context(), w.member("olga"), p.ID); !errors.Is(err, ErrOver) {
			t.Errorf("taken back again: %v", err)
		}
	})
	t.Run("OfAnAddressWaitsThreeDays", func(t *testing.T) {
		w := newPlace(t, 1)
		d := w.drafted(Request{Action: action.ChangeEmail, Targets: []string{"p1"}, Values: map[string]string{"email": "new@example.com"}})
		p, err := w.Propose(t.Context(), w.member("olga"), d)
		w.OK(err)
		_, err = w.Approve(t.Context(), w.member("oleg"), p.ID, p.Digest)
		w.OK(err)
		if mails := w.Mails.Since(0); len(mails) != 1 || mails[0].To != "p1@example.com" || mails[0].Kind != "email_will_change" {
			t.Errorf("mails: %+v", mails)
		}
		w.AgreeOnTime()
		for _, ahead := range lab.Leaps { // of this process, alone
			w.Advance(ahead)
			w.OK(w.CarryOn(t.Context()))
			w.Advance(-ahead)
		}
		w.Advance(72*time.Hour - 10*time.Minute)
		w.AgreeOnTime()
		w.OK(w.CarryOn(t.Context()))
		if w.acts.Load() != 0 {
			t.Error("the address has changed too early")
		}
		w.Advance(10 * time.Minute)
		w.AgreeOnTime()
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.State != storage.PlanDone || got.Done != 1 {
			t.Errorf("the plan is %s: %v", got.State, w.whys(p.ID))
		}
	})
}

// inParts has acts go on after their first write, and returns whom the second part was for. It fails
// while down is set.
func (w *place) inParts(down *bool) *[]string {
	w.T.Helper()
	var done []string
	w.parts = func(target string) error {
		if *down {
			return errors.New("connection refused")
		}
		done = append(done, target)
		return nil
	}
	w.Service = w.another()
	return &done
}

// What fails after its first write has begun, and is done again until it is done.
func TestActInParts(t *testing.T) {
	t.Run("IsDoneAtItsEnd", func(t *testing.T) {
		w, down := newPlace(t, 3), true
		done := w.inParts(&down)
		p := w.running("p1", "p2", "p3")
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.State != storage.PlanRunning || got.Done != 0 || w.acts.Load() != 3 {
			t.Errorf("the plan is %s, %d done of %d acts that failed half-way", got.State, got.Done, w.acts.Load())
		}
		w.OK(w.another().CarryOn(t.Context())) // another process gives this one time
		if w.acts.Load() != 3 {
			t.Error("another process has done at once what is under way")
		}
		down = false
		w.OK(w.CarryOn(t.Context()))
		if got := w.plan(p.ID); got.State != storage.PlanDone || got.Done != 3 || len(*done) != 3 {
			t.Errorf("the plan is %s, %d done, %v in force", got.State, got.Done, *done)
		}
	})
	t.Run("GoesOnAtAnotherProcess", func(t *testing.T) {
		w, down := newPlace(t, 1), true
		done := w.inParts(&down)
		p := w.running("p1")
		w.OK(w.CarryOn(t.Context()))
		down = false
		w.Advance(underway)
		w.OK(w.another().CarryOn(t.Context()))
		if got := w.plan(p.ID); got.Done != 1 || len(*done) != 1 {
			t.Errorf("the plan is %s, %d done, %v in force", got.State, got.Done, *done)
		}
	})
	t.Run("IsSkippedInTheEndAndNeverDone", func(t *testing.T) {
		w, down := newPlace(t, 1), true
		w.inParts(&down)
		p := w.running("p1")
		for range 1 << (maxAttempts - 1) {
			w.OK(w.CarryOn(t.Context()))
		}
		if diff := cmp.Diff(map[string]string{"p1": "failed"}, w.whys(p.ID)); diff != "" || w.plan(p.ID).Done != 0 {
			t.Errorf("skipped (-want +got):\n%s", diff)
		}
	})
	t.Run("OfABreak", func(t *testing.T) {
		w, down := newPlace(t, 1), true
		w.inParts(&down)
		for _, failed := range []bool{true, false} {
			down = failed
			e, err := w.check(t.Context(), action.Order{Target: "p1"})
			w.OK(err)
			_, err = w.Break(t.Context(), w.member("olga"), Alone{Action: action.Lock, Target: "p1", Revision: e.Revision, Sentence: "Nobody else is here tonight."})
			if (err != nil) != failed {
				t.Fatal(err)
			}
			all, err := w.store.Breaks(t.Context(), storage.BreakFilter{Open: true, Limit: 1})
			if w.OK(err); len(all) != 1 || all[0].Done == failed {
				t.Errorf("a break that failed (%v): %+v", failed, all)
			}
			w.Advance(time.Second)
		}
	})
}

package storagetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// actsOfStaff are writes of several roles.
var actsOfStaff = map[string]func(context.Context, DeskStore) error{
	"SetDisabled": func(ctx context.Context, s DeskStore) error { return s.SetDisabled(ctx, "ann", true, t0) },
	"EndIssued":   func(ctx context.Context, s DeskStore) error { return s.EndIssued(ctx, "ann", t0) },
	"DeleteAccount": func(ctx context.Context, s DeskStore) error {
		return errOf(s.DeleteAccount(ctx, "ann", "someone", erasing))
	},
	"SetStatus": func(ctx context.Context, s DeskStore) error {
		return s.SetStatus(ctx, "ann", storage.Status{Group: "g"}, storage.AnyRevision)
	},
	"RevokeConsent": func(ctx context.Context, s DeskStore) error { return s.RevokeConsent(ctx, "ann", "client", t0) },
	"SaveClient": func(ctx context.Context, s DeskStore) error {
		return s.SaveClient(ctx, storage.Client{ID: "red", CreatedAt: t0})
	},
	"AppendEvent": func(ctx context.Context, s DeskStore) error {
		return s.AppendEvent(ctx, storage.Event{At: t0, Name: "support_looked"})
	},
}

// fullDeed is a deed of sue about ann, with all that a deed can have.
func fullDeed() *storage.Deed {
	return &storage.Deed{
		Events: []storage.Event{
			{At: t0, Name: "account_disabled", Subject: "ann", Actor: "staff:sue", Matter: "m"},
			{At: t0, Name: "break_made", Actor: "staff:sue", Detail: "lock"},
		},
		On: storage.DeedBasis{
			Matter: "m", Staff: "sue", Subject: "ann", Proof: storage.MailboxProof, At: t0, Account: "ann",
		},
		Target: storage.TargetID{Plan: "p", Number: 1},
		Break:  &storage.Break{ID: "b", Staff: "sue", Action: "lock", Target: "ann", Sentence: []byte("sealed"), At: t0},
		Answer: new(answer("client", "key")),
	}
}

// fillActs makes what the deed rests on.
func fillActs(t *testing.T, store DeskStore) {
	createAccount(t, store, "ann")
	ok(t, store.OpenMatter(t.Context(), storage.Matter{
		ID: "m", Staff: "sue", Role: "support", Subject: "ann", Reason: "caller", OpenedAt: t0, EndsAt: t0.Add(time.Hour),
		Proof: storage.MailboxProof, ProvedUntil: t0.Add(5 * time.Minute),
	}))
	runPlan(t, store, "p", "ann", "bob")
}

// deedTraces describes what is there of a deed, and of ann.
func deedTraces(t *testing.T, store DeskStore) string {
	t.Helper()
	events := must(store.Events(t.Context(), storage.EventFilter{}))(t)
	left := must(store.PlanTargets(t.Context(), "p", storage.TargetWaiting, 0, 9))(t)
	breaks := must(store.Breaks(t.Context(), storage.BreakFilter{Open: true, Limit: 9}))(t)
	_, answered := store.Answer(t.Context(), "client", digest("key"), t0)
	p := must(storage.One(store.Plans(t.Context(), storage.PlanFilter{ID: new("p")})))(t)
	account, err := store.Account(t.Context(), "ann")
	if err != nil {
		fails(t, err, storage.ErrNotFound)
	}
	person := must(store.Person(t.Context(), "ann"))(t)
	_, noClient := store.Client(t.Context(), "red")
	state := must(json.Marshal(map[string]any{
		"events": len(events), "waiting": len(left), "done": p.Done, "breaks": len(breaks), "answered": answered == nil,
		"ann": []any{account.ID, account.Disabled, account.Epoch, len(person.Statuses)}, "client": noClient == nil,
	}))(t)
	return string(state)
}

// deeds tests that a deed is carried out with a write, and only with it.
func (s *deskSuite) deeds(t *testing.T) {
	for name, act := range actsOfStaff {
		s.test(t, "IsInTheStepOf"+name, func(t *testing.T, store DeskStore) {
			fillActs(t, store)
			d := fullDeed()
			ctx := storage.WithDeed(t.Context(), d)
			ok(t, act(ctx, store))
			equal(t, d.IsDone(), true)
			more := 0
			if name == "AppendEvent" {
				more = 1
			}
			events := must(store.Events(t.Context(), storage.EventFilter{Actor: "staff:sue"}))(t)
			equal(t, []string{events[0].Name, events[1].Name, events[1].Matter}, []string{"break_made", "account_disabled", "m"})
			left := must(store.PlanTargets(t.Context(), "p", storage.TargetWaiting, 0, 9))(t)
			equal(t, []int{left[0].Number, len(left)}, []int{2, 1})
			ok(t, store.AppendEvent(ctx, storage.Event{At: t0, Name: "sign_in"})) // and once
			events = must(store.Events(t.Context(), storage.EventFilter{}))(t)
			equal(t, len(events), 3+more)
			equal(t, must(storage.One(store.Breaks(t.Context(), storage.BreakFilter{ID: new("b")})))(t).Sentence, []byte("sealed"))
			ok(t, errOf(store.Answer(t.Context(), "client", digest("key"), t0)))
		})
	}
	t.Run("ThatDoesNotHoldChangesNothing", s.deedsRefused)
	s.test(t, "OfAWriteThatFailsLeavesNothing", func(t *testing.T, store DeskStore) {
		fillActs(t, store)
		before := deedTraces(t, store)
		d := fullDeed()
		err := store.SetEmail(storage.WithDeed(t.Context(), d), "ann", "not hers", "new", "new", true)
		fails(t, err, storage.ErrChanged)
		if errors.As(err, new(*storage.DeedError)) {
			t.Error("the error of the write is called one of the deed")
		}
		equal(t, deedTraces(t, store), before)
		equal(t, d.IsDone(), false)
	})
	t.Run("IfChanged", func(t *testing.T) {
		for _, who := range []string{"ann", "nobody"} {
			store := s.store(t)
			createAccount(t, store, "ann")
			d := &storage.Deed{IfChanged: true, Events: []storage.Event{{At: t0, Name: "account_deleted"}}}
			found := must(store.DeleteAccount(storage.WithDeed(t.Context(), d), who, "someone", nil))(t)
			events := must(store.Events(t.Context(), storage.EventFilter{}))(t)
			equal(t, []bool{found, len(events) == 1}, []bool{who == "ann", who == "ann"})
		}
	})
}

// deedsRefused tests each part of a deed that does not hold.
func (s *deskSuite) deedsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		alter func(*storage.Deed)
		want  error
	}{
		"MatterOfAnotherStaff":  {func(d *storage.Deed) { d.On.Staff = "sam" }, storage.ErrEnded},
		"MatterOfAnotherPerson": {func(d *storage.Deed) { d.On.Subject = "bob" }, storage.ErrEnded},
		"NoMatter":              {func(d *storage.Deed) { d.On.Matter = "none" }, storage.ErrEnded},
		"MatterThatIsOver":      {func(d *storage.Deed) { d.On.At = t0.Add(time.Hour) }, storage.ErrEnded},
		"LesserProof":           {func(d *storage.Deed) { d.On.Proof = storage.SessionProof }, storage.ErrProof},
		"ProofThatIsOver":       {func(d *storage.Deed) { d.On.At = t0.Add(5 * time.Minute) }, storage.ErrProof},
		"ProofWithoutAMatter":   {func(d *storage.Deed) { d.On.Matter = "" }, storage.ErrProof},
		"AnotherEpoch":          {func(d *storage.Deed) { d.On.Epoch = 9 }, storage.ErrChanged},
		"OtherFactors":          {func(d *storage.Deed) { d.On.FactorsVersion = 9 }, storage.ErrChanged},
		"NoAccount":             {func(d *storage.Deed) { d.On.Account = "nobody" }, storage.ErrNotFound},
		"NoTarget":              {func(d *storage.Deed) { d.Target.Number = 3 }, storage.ErrSpent},
		"NoPlan":                {func(d *storage.Deed) { d.Target.Plan = "none" }, storage.ErrSpent},
		"BreakThatIsThere":      {func(d *storage.Deed) { d.Break.ID = "there" }, storage.ErrConflict},
		"AnswerThatIsThere":     {func(d *storage.Deed) { d.Answer.Key = digest("there") }, storage.ErrConflict},
	} {
		s.test(t, name, func(t *testing.T, store DeskStore) {
			fillActs(t, store)
			makeBreak(t, store, "there", "bob")
			ok(t, withDeed(t.Context(), store, &storage.Deed{Answer: new(answer("client", "there"))}))
			before := deedTraces(t, store)
			d := fullDeed()
			tc.alter(d)
			for write, act := range actsOfStaff {
				err := act(storage.WithDeed(t.Context(), d), store)
				fails(t, err, tc.want)
				if !errors.As(err, new(*storage.DeedError)) {
					t.Errorf("%s: %v is not called an error of the deed", write, err)
				}
			}
			equal(t, deedTraces(t, store), before)
			equal(t, d.IsDone(), false)
		})
	}
}

// deedRaces tests deeds beside what ends their basis.
func (s *deskSuite) deedRaces(t *testing.T) {
	s.pair(t, "NobodyActsInAMatterThatIsClosed", func(t *testing.T, stores []DeskStore) {
		for round := range *rounds {
			store, id := stores[0], fmt.Sprint("matter ", round)
			ok(t, store.OpenMatter(t.Context(), storage.Matter{ID: id, Staff: "sue", Subject: "ann", OpenedAt: t0, EndsAt: t0.Add(time.Hour)}))
			errs := race(stores, func(i int, s DeskStore) error {
				if i == contenders/2 {
					if err := s.CloseMatter(t.Context(), id, "sue", t0); err != nil {
						return err
					}
					return s.AppendEvent(t.Context(), storage.Event{At: t0, Name: "matter_closed", Matter: id})
				}
				return s.EndIssued(storage.WithDeed(t.Context(), &storage.Deed{
					On:     storage.DeedBasis{Matter: id, Staff: "sue", Subject: "ann", At: t0},
					Events: []storage.Event{{At: t0, Name: "session_ended", Matter: id}},
				}), "ann", t0)
			})
			acted := 0
			for i, err := range errs {
				switch {
				case i == contenders/2:
					ok(t, err)
				case err == nil:
					acted++
				default:
					fails(t, err, storage.ErrEnded)
				}
			}
			events := must(store.Events(t.Context(), storage.EventFilter{Matter: id}))(t)
			equal(t, []string{events[0].Name, fmt.Sprint(len(events) - 1)}, []string{"matter_closed", fmt.Sprint(acted)}) // nothing comes after
			fails(t, withDeed(t.Context(), store, &storage.Deed{On: storage.DeedBasis{Matter: id, Staff: "sue", Subject: "ann", At: t0}}), storage.ErrEnded)
		}
	})
}

package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *verificationSuite) reviews(t *testing.T) {
	takes := func(t *testing.T, store VerificationStore, r storage.Reviewer, id, want string) {
		t.Helper()
		got, err := store.TakeCase(t.Context(), r, id, t0, late)
		if want == "" {
			fails(t, err, storage.ErrNotFound)
			return
		}
		ok(t, err)
		equal(t, got, caseOf(t, store, want))
		equal(t, []any{got.TakenBy, got.TakenUntil}, []any{r.ID, late})
	}
	s.test(t, "TakeTheEarliestDue", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0.Add(time.Minute))
		inReview(t, store, "2", "bob", t0)
		startCase(t, store, "3", "carol")
		before := caseOf(t, store, "2").Version
		takes(t, store, rita, "", "2")
		equal(t, caseOf(t, store, "2").Version, before)
		takes(t, store, raul, "", "1")
		takes(t, store, storage.Reviewer{ID: "rosa"}, "", "")
		takes(t, store, raul, "2", "") // she has it
		takes(t, store, rita, "", "2") // still
	})
	s.test(t, "HoldOneCaseEach", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		inReview(t, store, "2", "bob", t0)
		takes(t, store, rita, "1", "1")
		takes(t, store, rita, "2", "2")
		equal(t, caseOf(t, store, "1").TakenBy, "")
		takes(t, store, rita, "none", "")
		equal(t, caseOf(t, store, "2").TakenBy, "rita")
	})
	s.test(t, "TakeWhatIsNoLongerTaken", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		takes(t, store, rita, "1", "1")
		fails(t, errOf(store.TakeCase(t.Context(), raul, "1", late.Add(-time.Second), late.Add(time.Hour))), storage.ErrNotFound)
		equal(t, must(store.TakeCase(t.Context(), raul, "1", late, late.Add(time.Hour)))(t).TakenBy, "raul")
	})
	s.test(t, "GiveBack", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		takes(t, store, rita, "1", "1")
		fails(t, store.ReturnCase(t.Context(), "raul", "1"), storage.ErrSpent)
		equal(t, caseOf(t, store, "1").TakenBy, "rita")
		oneWins(t, race([]VerificationStore{store}, func(int, VerificationStore) error {
			return store.ReturnCase(t.Context(), "rita", "1")
		}), storage.ErrSpent)
		equal(t, caseOf(t, store, "1").TakenUntil, time.Time{})
		fails(t, store.ReturnCase(t.Context(), "rita", "none"), storage.ErrSpent)
	})
	s.test(t, "KeepToTheirGroups", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		for want, groups := range map[string][]string{"": {"teacher"}, "1": {"teacher", "student"}} {
			takes(t, store, storage.Reviewer{ID: "rita", Groups: groups}, "", want)
		}
		takes(t, store, storage.Reviewer{ID: "rita", Groups: []string{}}, "", "")
	})
	s.test(t, "LeaveTheirOwnCase", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		takes(t, store, storage.Reviewer{ID: "ann"}, "1", "")
		takes(t, store, storage.Reviewer{ID: "rita", Subject: "ann"}, "1", "")
	})
	s.test(t, "LeaveEscalatedCasesToSeniors", func(t *testing.T, store VerificationStore) {
		c := inReview(t, store, "1", "ann", t0)
		c.Escalated = true
		moveTo(t, store, c, storage.CaseReview)
		takes(t, store, rita, "1", "")
		takes(t, store, storage.Reviewer{ID: "rita", Senior: true}, "1", "1")
	})
	t.Run("ListWhatIsWaiting", s.waiting)
}

func (s *verificationSuite) waiting(t *testing.T) {
	store := s.store(t)
	inReview(t, store, "1", "ann", t0.Add(time.Minute))
	inReview(t, store, "2", "bob", t0)
	inReview(t, store, "3", "carol", t0)
	inReview(t, store, "4", "user rita", t0)
	escalated := inReview(t, store, "5", "dave", t0)
	escalated.Escalated = true
	moveTo(t, store, escalated, storage.CaseReview)
	startCase(t, store, "6", "erin")
	take(t, store, raul, "2")
	waiting := func(r storage.Reviewer, due time.Time, id string, limit int) []string {
		t.Helper()
		got := must(store.Cases(t.Context(), storage.CaseFilter{Reviewer: &r, DueAfter: due, AfterID: id, Limit: limit}))(t)
		return idsOf(got)
	}
	equal(t, waiting(rita, time.Time{}, "", 10), []string{"2", "3", "1"})
	equal(t, waiting(rita, time.Time{}, "", 1), []string{"2"})
	equal(t, waiting(rita, t0, "2", 10), []string{"3", "1"})
	equal(t, waiting(rita, t0, "4", 10), []string{"1"})
	equal(t, waiting(storage.Reviewer{ID: "rosa", Senior: true}, t0, "3", 10), []string{"4", "5", "1"})
	equal(t, waiting(storage.Reviewer{ID: "rosa", Groups: []string{"teacher"}}, time.Time{}, "", 10), nil)
}

func (s *verificationSuite) decisions(t *testing.T) {
	decide := func(t *testing.T, store VerificationStore, m storage.CaseMove) storage.Case {
		t.Helper()
		return must(store.MoveCase(t.Context(), m, nobody))(t)
	}
	s.test(t, "ComeBackInOrder", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		m := decided(take(t, store, rita, "1"), storage.CaseReview, rita, "b", storage.DecisionApprove)
		m.Decision.At, m.Decision.CaseID, m.Decision.Undone, m.Decision.Round = elsewhere, "forged", true, 9
		m.Case.Round = 2
		decide(t, store, m)
		decide(t, store, decided(take(t, store, raul, "1"), storage.CaseOpen, raul, "a", storage.DecisionAskAgain))
		got := must(store.Decisions(t.Context(), "1"))(t)
		equal(t, got, []storage.Decision{
			{ID: "a", CaseID: "1", Kind: storage.DecisionAskAgain, Reviewer: "raul", Subject: "user raul", Round: 2, At: t0, Content: []byte("sealed")},
			{ID: "b", CaseID: "1", Kind: storage.DecisionApprove, Reviewer: "rita", Subject: "user rita", Round: 1, At: asStored, Content: []byte("sealed")},
		})
		got = must(store.Decisions(t.Context(), "2"))(t)
		equal(t, len(got), 0)
	})
	forbidden := func(t *testing.T, store VerificationStore, m storage.CaseMove) {
		t.Helper()
		before := caseOf(t, store, m.Case.ID)
		fails(t, errOf(store.MoveCase(t.Context(), m, nobody)), storage.ErrForbidden)
		equal(t, caseOf(t, store, m.Case.ID), before)
	}
	s.test(t, "NeedTheCase", func(t *testing.T, store VerificationStore) {
		c := inReview(t, store, "1", "ann", t0)
		forbidden(t, store, decided(c, storage.CaseApproved, rita, "d", storage.DecisionApprove))
		take(t, store, raul, "1")
		forbidden(t, store, decided(c, storage.CaseApproved, rita, "d", storage.DecisionApprove))
		tooLate := decided(c, storage.CaseApproved, raul, "d", storage.DecisionApprove)
		tooLate.At = late
		forbidden(t, store, tooLate)
		equal(t, statusOf(t, store, "ann", "student"), storage.Status{})
		decide(t, store, decided(c, storage.CaseApproved, raul, "d", storage.DecisionApprove))
	})
	s.test(t, "AreNotAboutOneself", func(t *testing.T, store VerificationStore) {
		c := inReview(t, store, "1", "ann", t0)
		take(t, store, rita, "1")
		for _, r := range []storage.Reviewer{{ID: "rita", Subject: "ann"}, {ID: "ann"}} {
			forbidden(t, store, decided(c, storage.CaseApproved, r, "d", storage.DecisionApprove))
		}
	})
	t.Run("AreOneInARound", func(t *testing.T) {
		for name, second := range map[string]storage.Reviewer{
			"OfTheReviewer": {ID: "rita"}, "OfTheUser": {ID: "rita's other name", Subject: "user rita"},
		} {
			s.test(t, name, func(t *testing.T, store VerificationStore) {
				inReview(t, store, "1", "ann", t0)
				c := decide(t, store, decided(take(t, store, rita, "1"), storage.CaseReview, rita, "a", storage.DecisionApprove))
				fails(t, errOf(store.TakeCase(t.Context(), second, "1", t0, late)), storage.ErrNotFound)
				equal(t, len(must(store.Cases(t.Context(), storage.CaseFilter{Reviewer: &second, Limit: 10}))(t)), 0)
				forbidden(t, store, decided(c, storage.CaseApproved, second, "b", storage.DecisionApprove))
				take(t, store, raul, "1")
				c = moveTo(t, store, c, storage.CaseOpen)
				c.DueAt, c.Round = t0, 2
				moveTo(t, store, c, storage.CaseReview)
				take(t, store, second, "1")
			})
		}
	})
	s.test(t, "AreNotMadeAfterARecusal", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		c := decide(t, store, decided(take(t, store, rita, "1"), storage.CaseReview, rita, "a", storage.DecisionRecuse))
		c.Round = 2
		moveTo(t, store, c, storage.CaseReview)
		fails(t, errOf(store.TakeCase(t.Context(), rita, "1", t0, late)), storage.ErrNotFound)
		take(t, store, raul, "1")
	})
	s.test(t, "AreNotMadeAboutAnAppealAgainstThem", func(t *testing.T, store VerificationStore) {
		inReview(t, store, "1", "ann", t0)
		decide(t, store, decided(take(t, store, rita, "1"), storage.CaseDeclined, rita, "a", storage.DecisionDecline))
		c, _, err := store.StartCase(t.Context(), storage.Case{ID: "2", Subject: "ann", Group: "student", Appeals: "1", CreatedAt: t0}, "1", nobody)
		ok(t, err)
		moveTo(t, store, c, storage.CaseReview)
		fails(t, errOf(store.TakeCase(t.Context(), rita, "2", t0, late)), storage.ErrNotFound)
		take(t, store, raul, "2")
	})
	t.Run("AreUndone", s.undone)
}

func (s *verificationSuite) undone(t *testing.T) {
	prepare := func(t *testing.T) (store VerificationStore, c storage.Case) {
		store = s.store(t)
		inReview(t, store, "1", "ann", t0)
		c = must(store.MoveCase(t.Context(), decided(take(t, store, rita, "1"), storage.CasePending, rita, "a", storage.DecisionApprove), nobody))(t)
		return store, c
	}
	t.Run("AndTheReviewerHasTheCase", func(t *testing.T) {
		store, c := prepare(t)
		inReview(t, store, "2", "bob", t0)
		take(t, store, rita, "2")
		until := late.Add(time.Minute)
		got := must(store.UndoDecision(t.Context(), "a", "rita", to(c, storage.CaseReview), until))(t)
		equal(t, got, caseOf(t, store, "1"))
		equal(t, []any{got.State, got.TakenBy, got.TakenUntil}, []any{storage.CaseReview, "rita", until})
		equal(t, caseOf(t, store, "2").TakenBy, "")
		equal(t, must(store.Decisions(t.Context(), "1"))(t)[0].Undone, true)
		_, err := store.MoveCase(t.Context(), decided(got, storage.CaseDeclined, rita, "b", storage.DecisionDecline), nobody)
		ok(t, err) // in the same round
	})
	t.Run("Once", func(t *testing.T) {
		store, c := prepare(t)
		c = must(store.UndoDecision(t.Context(), "a", "rita", to(c, storage.CaseReview), late))(t)
		fails(t, errOf(store.UndoDecision(t.Context(), "a", "rita", to(c, storage.CaseReview), late)), storage.ErrChanged)
		equal(t, caseOf(t, store, "1"), c)
	})
	t.Run("ByTheirReviewer", func(t *testing.T) {
		store, c := prepare(t)
		fails(t, errOf(store.UndoDecision(t.Context(), "a", "raul", to(c, storage.CaseReview), late)), storage.ErrChanged)
		fails(t, errOf(store.UndoDecision(t.Context(), "none", "rita", to(c, storage.CaseReview), late)), storage.ErrChanged)
		equal(t, caseOf(t, store, "1"), c)
	})
	t.Run("BeforeTheyAreCarriedOut", func(t *testing.T) {
		store, c := prepare(t)
		done := must(store.MoveCase(t.Context(), approval(c), nobody))(t)
		fails(t, errOf(store.UndoDecision(t.Context(), "a", "rita", to(c, storage.CaseReview), late)), storage.ErrChanged)
		again := to(done, storage.CaseReview)
		again.Case.EndedAt = time.Time{}
		fails(t, errOf(store.UndoDecision(t.Context(), "a", "rita", again, late)), storage.ErrChanged)
		equal(t, caseOf(t, store, "1"), done)
	})
}

func (s *verificationSuite) caseNumbers(t *testing.T) {
	store := s.store(t)
	started := func(id, group, method string, at time.Time) storage.Case {
		c, _, err := store.StartCase(t.Context(), storage.Case{ID: id, Subject: id, Group: group, Method: method, CreatedAt: at}, "", nobody)
		ok(t, err)
		return c
	}
	reviewed := func(c storage.Case, due time.Time) storage.Case {
		c.DueAt = due
		return moveTo(t, store, c, storage.CaseReview)
	}
	from, end := t0, t0.Add(24*time.Hour)
	started("1", "student", "code", from)
	started("2", "student", "code", from.Add(-time.Second))
	started("3", "student", "code", end)
	reviewed(started("4", "student", "document", from), end.Add(-time.Hour)) // late
	reviewed(started("5", "student", "document", from), end)
	reviewed(started("6", "student", "document", from.Add(-time.Hour)), from)
	ended := to(reviewed(started("7", "teacher", "document", from), from), storage.CaseApproved)
	ended.Case.EndedAt = from.Add(time.Second)
	ok(t, errOf(store.MoveCase(t.Context(), ended, nobody)))
	punctual := to(reviewed(started("8", "teacher", "document", from), from), storage.CaseApproved)
	punctual.Case.EndedAt = from
	ok(t, errOf(store.MoveCase(t.Context(), punctual, nobody)))
	reviewed(started("9", "a", "document", from.Add(-time.Hour)), from)

	equal(t, must(store.CaseNumbers(t.Context(), from, end))(t), []storage.CaseNumber{
		{Group: "a", Method: "document", State: storage.CaseReview, Waiting: 1, Oldest: from},
		{Group: "student", Method: "code", State: storage.CaseOpen, Count: 1},
		{Group: "student", Method: "document", State: storage.CaseReview, Count: 2, Late: 1, Waiting: 3, Oldest: from},
		{Group: "teacher", Method: "document", State: storage.CaseApproved, Count: 2, Late: 1},
	})
}

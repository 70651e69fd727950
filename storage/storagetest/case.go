package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *verificationSuite) cases(t *testing.T) {
	s.test(t, "ComesBackAsItWasStarted", func(t *testing.T, store VerificationStore) {
		c := storage.Case{
			ID: "1", Subject: "ann", Group: "student", State: storage.CaseOpen, Renewal: true, Method: "document",
			CreatedAt: elsewhere, NextAt: elsewhere, Content: []byte("sealed"),
		}
		got, created, err := store.StartCase(t.Context(), c, "", nobody)
		ok(t, err)
		equal(t, created, true)
		equal(t, caseOf(t, store, "1"), got)
		got.Version = 0
		c.CreatedAt, c.NextAt = asStored, asStored
		equal(t, got, c)
	})
	s.test(t, "OneIsOpenForASubjectAndAGroup", func(t *testing.T, store VerificationStore) {
		first := startCase(t, store, "1", "ann")
		for _, state := range []storage.CaseState{storage.CaseOpen, storage.CasePending, storage.CaseReview} {
			first = moveTo(t, store, first, state)
			got, created, err := store.StartCase(t.Context(), storage.Case{ID: "2", Subject: "ann", Group: "student", CreatedAt: t0}, "", nobody)
			ok(t, err)
			equal(t, created, false)
			equal(t, got, first)
		}
		startCaseIn(t, store, "3", "ann", "teacher")
		startCase(t, store, "4", "bob")
	})
	s.test(t, "AnotherMayFollow", func(t *testing.T, store VerificationStore) {
		for i, state := range []storage.CaseState{storage.CaseApproved, storage.CaseDeclined, storage.CaseWithdrawn, storage.CaseExpired} {
			moveTo(t, store, startCase(t, store, fmt.Sprint(i), "ann"), state)
		}
	})
	s.test(t, "NeedsTheAccountOfItsBasis", func(t *testing.T, store VerificationStore) {
		start := func(on storage.PersonBasis) error {
			return errOf(store.StartCase(t.Context(), storage.Case{ID: "1", Subject: "ann", Group: "student", CreatedAt: t0}, "", on))
		}
		fails(t, start(storage.PersonBasis{HasAccount: true}), storage.ErrNotFound)
		createAccount(t, store, "ann")
		fails(t, start(storage.PersonBasis{Revision: 1}), storage.ErrChanged)
		ok(t, start(storage.PersonBasis{HasAccount: true}))
	})
	s.test(t, "KnowsTheStatusThatStands", func(t *testing.T, store VerificationStore) {
		equal(t, startCase(t, store, "1", "ann").StatusRevision, storage.NoStatus)
		ok(t, store.SetStatus(t.Context(), "bob", storage.Status{Group: "student"}, storage.NoStatus))
		equal(t, startCase(t, store, "2", "bob").StatusRevision, must(store.Person(t.Context(), "bob"))(t).Statuses[0].Revision)
	})
	s.test(t, "IsNotThere", func(t *testing.T, store VerificationStore) {
		fails(t, errOf(store.Case(t.Context(), "none")), storage.ErrNotFound)
		fails(t, errOf(named(t, store, "upstream", "none")), storage.ErrNotFound)
	})
	s.test(t, "HasAnIDOfItsOwn", func(t *testing.T, store VerificationStore) {
		startCase(t, store, "1", "ann")
		_, _, err := store.StartCase(t.Context(), storage.Case{ID: "1", Subject: "bob", Group: "student", CreatedAt: t0}, "", nobody)
		fails(t, err, storage.ErrConflict)
	})
	s.test(t, "FollowsTheLatestThatWasRead", func(t *testing.T, store VerificationStore) {
		start := func(id, after string) (storage.Case, error) {
			c := storage.Case{ID: id, Subject: "ann", Group: "student", Appeals: after, CreatedAt: t0}
			c, _, err := store.StartCase(t.Context(), c, after, nobody)
			return c, err
		}
		moveTo(t, store, startCase(t, store, "1", "ann"), storage.CaseDeclined)
		fails(t, errOf(start("2", "")), storage.ErrChanged)
		appeal := must(start("2", "1"))(t)
		equal(t, appeal.Appeals, "1")
		equal(t, must(start("3", "1"))(t), appeal)
		moveTo(t, store, appeal, storage.CaseDeclined)
		fails(t, errOf(start("3", "1")), storage.ErrChanged)
		startCase(t, store, "4", "bob")
	})
}

func (s *verificationSuite) caseLists(t *testing.T) {
	store := s.store(t)
	startCase(t, store, "1", "ann")
	moveTo(t, store, startCaseIn(t, store, "2", "ann", "teacher"), storage.CaseExpired)
	startCaseIn(t, store, "3", "ann", "teacher")
	startCase(t, store, "4", "bob")
	for name, c := range map[string]struct {
		match storage.CaseFilter
		want  []string
	}{
		"All":                   {storage.CaseFilter{}, []string{"4", "3", "2", "1"}},
		"OfASubject":            {storage.CaseFilter{Subject: "ann"}, []string{"3", "2", "1"}},
		"OfAGroup":              {storage.CaseFilter{Group: "student"}, []string{"4", "1"}},
		"InAState":              {storage.CaseFilter{State: storage.CaseOpen}, []string{"4", "3", "1"}},
		"OfAGroupInAState":      {storage.CaseFilter{Group: "teacher", State: storage.CaseExpired}, []string{"2"}},
		"OfASubjectInAGroup":    {storage.CaseFilter{Subject: "ann", Group: "teacher"}, []string{"3", "2"}},
		"Before":                {storage.CaseFilter{BeforeID: "3", Limit: 1}, []string{"2"}},
		"OfAnother":             {storage.CaseFilter{Subject: "carol"}, nil},
		"UpTo":                  {storage.CaseFilter{Limit: 2}, []string{"4", "3"}},
		"OfASubjectInAllFields": {storage.CaseFilter{Subject: "ann", Group: "teacher", State: storage.CaseOpen, BeforeID: "4"}, []string{"3"}},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, idsOf(must(store.Cases(t.Context(), c.match))(t)), c.want)
		})
	}
}

func (s *verificationSuite) caseTimers(t *testing.T) {
	timed := func(t *testing.T, store VerificationStore, id string, next time.Time) storage.Case {
		c := startCase(t, store, id, id)
		c.NextAt = next
		return moveTo(t, store, c, storage.CasePending)
	}
	s.test(t, "ComeOnceAndWait", func(t *testing.T, store VerificationStore) {
		timed(t, store, "1", t0)
		timed(t, store, "2", t0.Add(-time.Hour))
		timed(t, store, "3", t0.Add(time.Second))
		timed(t, store, "4", time.Time{})
		due := func(now time.Time, limit int) (found []storage.Case) {
			t.Helper()
			found = must(store.DueCases(t.Context(), now, time.Minute, limit))(t)
			return found
		}
		before := caseOf(t, store, "2").Version
		first := due(t0, 1)
		equal(t, idsOf(first), []string{"2"})
		equal(t, first[0].Version, before)
		equal(t, caseOf(t, store, "2").NextAt, t0.Add(time.Minute))
		equal(t, idsOf(due(t0, 10)), []string{"1"})
		equal(t, len(due(t0, 10)), 0)
		equal(t, idsOf(due(t0.Add(time.Second), 10)), []string{"3"})
		equal(t, len(due(t0.Add(time.Minute), 10)), 2)
	})
	s.test(t, "OfAFinalCase", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		c.NextAt = t0
		moveTo(t, store, c, storage.CaseApproved)
		equal(t, idsOf(must(store.DueCases(t.Context(), t0, time.Minute, 10))(t)), []string{"1"})
	})
	s.test(t, "ArePostponed", func(t *testing.T, store VerificationStore) {
		c := moveTo(t, store, startCase(t, store, "1", "ann"), storage.CaseApproved)
		ok(t, store.PostponeCase(t.Context(), "1", c.Version, elsewhere, nil))
		want := c
		want.NextAt = asStored
		equal(t, caseOf(t, store, "1"), want)
		ok(t, store.PostponeCase(t.Context(), "1", c.Version, time.Time{}, []byte("reminded")))
		got := caseOf(t, store, "1")
		want.NextAt, want.Content, want.Version = time.Time{}, []byte("reminded"), got.Version
		equal(t, got, want)
		fails(t, store.PostponeCase(t.Context(), "1", c.Version, t0, nil), storage.ErrChanged)
		fails(t, store.PostponeCase(t.Context(), "none", c.Version, t0, nil), storage.ErrChanged)
	})
	t.Run("MoveWithTheClockOfASandbox", s.elapseCases)
}

func (s *verificationSuite) elapseCases(t *testing.T) {
	const day = 24 * time.Hour
	store := s.store(t)
	c := inReview(t, store, "1", "user ann", t0)
	c.NextAt = t0
	m := to(c, storage.CaseReview)
	m.Status = &storage.Status{Pending: true, VerifiedAt: t0}
	m.Fingerprints = []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest("a"), Until: t0}}
	moved := must(store.MoveCase(t.Context(), m, nobody))(t)
	equal(t, take(t, store, rita, "1").TakenUntil, late)
	other := startCase(t, store, "2", "ann")
	ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "user ", By: day}))
	equal(t, caseOf(t, store, "2"), other)
	got := caseOf(t, store, "1")
	equal(t, []time.Time{got.CreatedAt, got.DueAt, got.NextAt, got.TakenUntil}, []time.Time{t0.Add(-day), t0.Add(-day), t0.Add(-day), late.Add(-day)})
	if got.Version == moved.Version {
		t.Error("the version is the same")
	}
	equal(t, must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{}, 10))(t)[0].Until, t0.Add(-day))
	// The status moved as well, and is still the one that the case knows.
	if _, err := store.MoveCase(t.Context(), approval(got), nobody); err != nil {
		t.Error(err)
	}
}

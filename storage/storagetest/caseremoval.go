package storagetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *verificationSuite) removalOfCases(t *testing.T) {
	t.Run("OfASubject", s.forgetting)
	t.Run("LeavesReferences", s.leaving)
	remove := func(t *testing.T, store VerificationStore, now time.Time) int {
		t.Helper()
		return trimAll(t, store, storage.Trim{Kind: storage.OldCases, Before: late, Now: now}, 2)
	}
	stays := func(t *testing.T, store VerificationStore, now time.Time) {
		t.Helper()
		remove(t, store, now)
		caseOf(t, store, "1")
	}
	goes := func(t *testing.T, store VerificationStore, now time.Time) {
		t.Helper()
		remove(t, store, now)
		fails(t, errOf(store.Case(t.Context(), "1")), storage.ErrNotFound)
	}
	s.test(t, "TakesWhatBelongsToThem", func(t *testing.T, store VerificationStore) {
		for i := range 5 {
			id := fmt.Sprint(i)
			inReview(t, store, id, id, t0)
			m := decided(take(t, store, rita, id), storage.CaseDeclined, rita, "d"+id, storage.DecisionDecline)
			m.References = []storage.CaseReference{{Method: "upstream", Reference: id}}
			m.Message, m.Case.Method = id, "upstream"
			ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
		}
		kept := to(startCase(t, store, "6", "frank"), storage.CaseDeclined)
		kept.Case.EndedAt = late
		ok(t, errOf(store.MoveCase(t.Context(), kept, nobody)))
		startCase(t, store, "7", "grace")
		equal(t, remove(t, store, late), 5)
		equal(t, idsOf(must(store.Cases(t.Context(), storage.CaseFilter{}))(t)), []string{"7", "6"})
		fails(t, errOf(named(t, store, "upstream", "1")), storage.ErrNotFound)
		equal(t, len(must(store.Decisions(t.Context(), "1"))(t)), 0)
	})
	s.test(t, "WaitsForTheEvidence", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		addEvidence(t, store, "e", "1", "ann")
		moveTo(t, store, c, storage.CaseDeclined)
		stays(t, store, late)
		ok(t, errOf(store.ShredEvidence(t.Context(), late, 10)))
		stays(t, store, late)
		ok(t, store.DeletedEvidence(t.Context(), []string{"e"}))
		goes(t, store, late)
		fails(t, errOf(storage.One(store.Evidence(t.Context(), storage.EvidenceID{ID: "e"}))), storage.ErrNotFound)
	})
	s.test(t, "WaitsForTheStatus", func(t *testing.T, store VerificationStore) {
		m := approval(startCase(t, store, "1", "ann"))
		m.Status.ExpiresAt = elsewhere
		ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
		stays(t, store, asStored.Add(-time.Microsecond))
		goes(t, store, asStored)
	})
	s.test(t, "WaitsForAStatusWithoutEnd", func(t *testing.T, store VerificationStore) {
		m := approval(startCase(t, store, "1", "ann"))
		m.Fingerprints = []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest("a")}}
		ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
		stays(t, store, asStored)
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "student"}, storage.AnyRevision))
		goes(t, store, asStored)
		equal(t, len(must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{}, 10))(t)), 0)
	})
	s.test(t, "WaitsForAnAppeal", func(t *testing.T, store VerificationStore) {
		moveTo(t, store, startCase(t, store, "1", "ann"), storage.CaseDeclined)
		c, _, err := store.StartCase(t.Context(), storage.Case{ID: "2", Subject: "ann", Group: "student", Appeals: "1", CreatedAt: t0}, "1", nobody)
		ok(t, err)
		stays(t, store, late)
		moveTo(t, store, c, storage.CaseWithdrawn)
		goes(t, store, late)
	})
	s.test(t, "LeavesFingerprintsTheirTime", func(t *testing.T, store VerificationStore) {
		m := approval(startCase(t, store, "1", "ann"))
		m.Fingerprints = []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest("a")}}
		ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
		ok(t, errOf(store.EndStatus(t.Context(), storage.StatusEnd{CaseID: "1", At: t0, FreeAt: elsewhere})))
		goes(t, store, late)
		m = approval(startCase(t, store, "2", "bob"))
		m.Fingerprints = []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest("a")}}
		fails(t, errOf(store.MoveCase(t.Context(), m, nobody)), storage.ErrTaken)
		equal(t, remove(t, store, asStored), 1)
	})
}

// leaving tests that what other sides have to delete outlives the case, once for each caller.
func (s *verificationSuite) leaving(t *testing.T) {
	stores := s.stores(t, 2)
	store := stores[0]
	c := startCase(t, store, "1", "ann")
	left := storage.LeftReference{ID: "r", Group: "student", Method: "office", Sealed: []byte("sealed"), LeftAt: elsewhere, NextAt: t0}
	fails(t, store.ForgetCase(t.Context(), c.ID, c.Version+1, left), storage.ErrChanged)
	due := func(store VerificationStore, now time.Time) []storage.LeftReference {
		t.Helper()
		return must(store.DueReferences(t.Context(), now, time.Minute, 9))(t)
	}
	equal(t, len(due(store, t0)), 0)
	oneWins(t, race(stores, func(_ int, store VerificationStore) error {
		return store.ForgetCase(t.Context(), c.ID, c.Version, left)
	}), storage.ErrChanged)
	fails(t, errOf(store.Case(t.Context(), c.ID)), storage.ErrNotFound)
	equal(t, len(due(store, t0.Add(-time.Second))), 0)
	taken := make([]int, len(stores))
	var all sync.WaitGroup
	for i, store := range stores {
		all.Go(func() { taken[i] = len(due(store, t0)) })
	}
	all.Wait()
	equal(t, taken[0]+taken[1], 1)
	got := due(store, t0.Add(time.Minute))
	equal(t, len(got), 1)
	want := left
	want.LeftAt, want.NextAt = asStored, got[0].NextAt
	equal(t, got[0], want)
	ok(t, store.SettleReference(t.Context(), "r", t0.Add(time.Hour)))
	equal(t, len(due(store, t0.Add(time.Hour-time.Second))), 0)
	equal(t, len(due(store, t0.Add(time.Hour))), 1)
	ok(t, store.SettleReference(t.Context(), "r", time.Time{}))
	ok(t, store.SettleReference(t.Context(), "r", t0))
	equal(t, len(due(store, t0.Add(24*time.Hour))), 0)
}

func (s *verificationSuite) forgetting(t *testing.T) {
	store := s.store(t)
	forget := func(subject string) {
		t.Helper()
		for {
			n := must(store.ForgetCases(t.Context(), subject, "someone", 2))(t)
			if n == 0 {
				return
			}
		}
	}
	proof := func(name string) []storage.Fingerprint {
		return []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest(name)}}
	}
	for _, who := range []string{"ann", "bob"} {
		for i := range 3 {
			id := fmt.Sprint(who, " ", i)
			c := startCase(t, store, id, who)
			e := item("evidence of "+id, id)
			e.HeldUntil = elsewhere
			ok(t, store.AddEvidence(t.Context(), e, who, roomy))
			m := approval(c)
			m.Fingerprints = proof(id)
			ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
		}
	}
	issue(t, store, "code", 5)
	for _, who := range []string{"ann", "bob"} {
		redeem(t, store, "code", who)
	}
	// Ann and bob are reviewers, too: as themselves, and as users behind a name.
	for i, who := range []string{"ann", "bob"} {
		for j, r := range []storage.Reviewer{{ID: who}, {ID: "staff " + who, Subject: who}} {
			id := fmt.Sprint("reviewed ", i, j)
			inReview(t, store, id, "carol "+id, t0)
			ok(t, errOf(store.MoveCase(t.Context(), decided(take(t, store, r, id), storage.CaseReview, r, id, storage.DecisionApprove), nobody)))
		}
		inReview(t, store, "taken by "+who, "dave "+who, t0)
		take(t, store, storage.Reviewer{ID: who}, "taken by "+who)
	}
	forget("ann")
	left := must(store.Cases(t.Context(), storage.CaseFilter{Subject: "ann"}))(t)
	equal(t, len(left), 0)
	left = must(store.Cases(t.Context(), storage.CaseFilter{Subject: "bob"}))(t)
	equal(t, len(left), 3)
	fails(t, errOf(storage.One(store.Evidence(t.Context(), storage.EvidenceID{ID: "evidence of ann 1"}))), storage.ErrNotFound)
	leftovers(t, store, "evidence of ann 0", "evidence of ann 1", "evidence of ann 2")
	equal(t, evidenceOf(t, store, "evidence of bob 1").Key, []byte("sealed"))
	bound := must(store.Fingerprints(t.Context(), "student", "email", storage.Digest{}, 10))(t)
	for _, f := range bound {
		equal(t, f.Subject, "bob")
	}
	equal(t, len(bound), 3)
	equal(t, redeem(t, store, "code", "ann").Used, 3) // as somebody new
	equal(t, redeem(t, store, "code", "bob").Used, 3)
	var made []storage.Decision
	for _, id := range []string{"reviewed 0 0", "reviewed 0 1", "reviewed 1 0", "reviewed 1 1"} {
		of := must(store.Decisions(t.Context(), id))(t)
		made = append(made, of...)
	}
	var who [][2]string
	for _, d := range made {
		who = append(who, [2]string{d.Reviewer, d.Subject})
	}
	equal(t, who, [][2]string{{"someone", ""}, {"staff ann", "someone"}, {"bob", ""}, {"staff bob", "bob"}})
	equal(t, caseOf(t, store, "taken by ann").TakenBy, "")
	equal(t, caseOf(t, store, "taken by bob").TakenBy, "bob")
}

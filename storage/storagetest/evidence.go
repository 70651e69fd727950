package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// item is evidence of a case.
func item(id, caseID string) storage.Evidence {
	return storage.Evidence{
		ID: id, CaseID: caseID, Kind: "front", MediaType: "image/png", Size: 100, Digest: digest(id), Likeness: 1<<63 + 1,
		Key: []byte("sealed"), AddedAt: t0, ShredAt: late,
	}
}

var roomy = storage.EvidenceLimits{Count: 100, Bytes: 100_000}

func addEvidence(t *testing.T, store storage.Verification, id, caseID, subject string) {
	t.Helper()
	ok(t, store.AddEvidence(t.Context(), item(id, caseID), subject, roomy))
}

func evidenceOf(t *testing.T, store storage.Verification, id string) storage.Evidence {
	t.Helper()
	return must(storage.One(store.Evidence(t.Context(), storage.EvidenceID{ID: id})))(t)
}

func (s *verificationSuite) evidence(t *testing.T) {
	s.test(t, "ComesBackAsItWasAdded", func(t *testing.T, store VerificationStore) {
		startCase(t, store, "1", "ann")
		full := item("e", "1")
		full.AddedAt, full.ShredAt, full.HeldUntil = elsewhere, elsewhere, elsewhere
		bare := storage.Evidence{ID: "d", CaseID: "1", Key: []byte("sealed"), AddedAt: elsewhere}
		for _, e := range []storage.Evidence{full, bare} {
			ok(t, store.AddEvidence(t.Context(), e, "ann", roomy))
		}
		full.AddedAt, full.ShredAt, full.HeldUntil, bare.AddedAt = asStored, asStored, asStored, asStored
		equal(t, evidenceOf(t, store, "e"), full)
		equal(t, must(store.Evidence(t.Context(), storage.EvidenceID{CaseID: "1"}))(t), []storage.Evidence{bare, full})
		fails(t, errOf(storage.One(store.Evidence(t.Context(), storage.EvidenceID{ID: "none"}))), storage.ErrNotFound)
	})
	s.test(t, "NeedsAnOpenCaseOfTheSubject", func(t *testing.T, store VerificationStore) {
		c := startCase(t, store, "1", "ann")
		add := func(caseID, subject string) error {
			return store.AddEvidence(t.Context(), item("e", caseID), subject, roomy)
		}
		fails(t, add("1", "bob"), storage.ErrEnded)
		fails(t, add("none", "ann"), storage.ErrEnded)
		addEvidence(t, store, "mine", "1", "ann")
		for _, state := range []storage.CaseState{storage.CasePending, storage.CaseReview, storage.CaseDeclined} {
			c = moveTo(t, store, c, state)
			fails(t, add("1", "ann"), storage.ErrEnded)
			fails(t, store.RemoveEvidence(t.Context(), "mine", "ann", t0), storage.ErrEnded)
		}
	})
	s.test(t, "IsLimited", func(t *testing.T, store VerificationStore) {
		startCase(t, store, "1", "ann")
		startCaseIn(t, store, "2", "ann", "teacher")
		startCase(t, store, "3", "bob")
		add := func(id, caseID, subject string, limits storage.EvidenceLimits) error {
			return store.AddEvidence(t.Context(), item(id, caseID), subject, limits)
		}
		two := storage.EvidenceLimits{Count: 2, Bytes: 200}
		ok(t, add("a", "1", "ann", two))
		ok(t, add("b", "2", "ann", two))
		fails(t, add("c", "1", "ann", storage.EvidenceLimits{Count: 2, Bytes: 1000}), storage.ErrLimit)
		fails(t, add("c", "1", "ann", storage.EvidenceLimits{Count: 10, Bytes: 299}), storage.ErrLimit)
		ok(t, add("d", "3", "bob", two))
		ok(t, store.RemoveEvidence(t.Context(), "a", "ann", t0))
		ok(t, add("c", "1", "ann", two)) // what is shredded does not count
	})
	s.test(t, "IsRemovedByItsSubject", func(t *testing.T, store VerificationStore) {
		startCase(t, store, "1", "ann")
		addEvidence(t, store, "a", "1", "ann")
		addEvidence(t, store, "b", "1", "ann")
		fails(t, store.RemoveEvidence(t.Context(), "a", "bob", t0), storage.ErrEnded)
		ok(t, store.RemoveEvidence(t.Context(), "none", "ann", t0))
		ok(t, store.RemoveEvidence(t.Context(), "a", "ann", elsewhere))
		got := evidenceOf(t, store, "a")
		equal(t, []any{got.Key, got.ShreddedAt}, []any{[]byte(nil), asStored})
		equal(t, evidenceOf(t, store, "b"), item("b", "1"))
		leftovers(t, store, "a")
	})
	s.test(t, "ThatIsHeldIsRemovedAfterwards", func(t *testing.T, store VerificationStore) {
		startCase(t, store, "1", "ann")
		addEvidence(t, store, "a", "1", "ann")
		ok(t, store.HoldEvidence(t.Context(), "1", late))
		ok(t, store.RemoveEvidence(t.Context(), "a", "ann", t0))
		got := evidenceOf(t, store, "a")
		equal(t, []any{got.Key, got.ShredAt}, []any{[]byte("sealed"), t0})
		equal(t, must(store.ShredEvidence(t.Context(), late, 10))(t), 1)
	})
	s.test(t, "IsLikeThatOfOthers", func(t *testing.T, store VerificationStore) {
		for i, who := range []string{"ann", "bob", "carol"} {
			id := fmt.Sprint(i)
			startCase(t, store, id, who)
			for j := range 2 {
				e := item(fmt.Sprint(id, " ", j), id)
				e.Digest, e.Likeness = digest("picture"), 7
				if who == "carol" {
					e.Digest = digest("another")
				}
				ok(t, store.AddEvidence(t.Context(), e, who, roomy))
			}
		}
		alike := func(want int, picture storage.Digest, likeness uint64) {
			t.Helper()
			equal(t, must(store.CountEvidence(t.Context(), storage.EvidenceFilter{NotOf: "0", Digest: picture, Likeness: likeness}))(t), want)
		}
		alike(1, digest("picture"), 0)
		alike(2, storage.Digest{}, 7)
		alike(2, digest("picture"), 7)
		alike(0, storage.Digest{}, 0)
		ok(t, store.RemoveEvidence(t.Context(), "1 0", "bob", t0))
		ok(t, store.RemoveEvidence(t.Context(), "1 1", "bob", t0))
		alike(1, digest("picture"), 0) // shredded or not
	})
}

// leftovers demands what content is still to be deleted.
func leftovers(t *testing.T, store storage.Verification, want ...string) {
	t.Helper()
	got := must(store.LeftoverEvidence(t.Context(), "", 10))(t)
	equal(t, got, want)
	if len(want) > 0 {
		got = must(store.LeftoverEvidence(t.Context(), want[0], 10))(t)
		equal(t, len(got), len(want)-1)
	}
}

func (s *verificationSuite) shredding(t *testing.T) {
	prepare := func(t *testing.T, ids ...string) VerificationStore {
		store := s.store(t)
		startCase(t, store, "1", "ann")
		for _, id := range ids {
			addEvidence(t, store, id, "1", "ann")
		}
		return store
	}
	shredded := func(t *testing.T, store VerificationStore, now time.Time, limit, want int) {
		t.Helper()
		equal(t, must(store.ShredEvidence(t.Context(), now, limit))(t), want)
	}
	t.Run("TakesItsTurn", func(t *testing.T) {
		store := prepare(t, "a", "b", "c")
		shredded(t, store, late.Add(-time.Microsecond), 10, 0)
		shredded(t, store, late, 2, 2)
		shredded(t, store, late, 2, 1)
		shredded(t, store, late, 2, 0)
		got := evidenceOf(t, store, "a")
		want := item("a", "1")
		want.Key, want.ShreddedAt = nil, late
		equal(t, got, want)
	})
	t.Run("ComesWithTheMove", func(t *testing.T) {
		store := prepare(t, "a")
		m := to(caseOf(t, store, "1"), storage.CaseWithdrawn)
		m.EvidenceUntil = t0
		ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
		equal(t, evidenceOf(t, store, "a").ShredAt, t0)
		shredded(t, store, t0, 10, 1)
		again := to(startCase(t, store, "2", "ann"), storage.CasePending)
		ok(t, errOf(store.MoveCase(t.Context(), again, nobody)))
		equal(t, evidenceOf(t, store, "a").ShredAt, t0)
	})
	t.Run("WaitsForTheEndOfAHold", func(t *testing.T) {
		store := prepare(t, "a")
		startCase(t, store, "2", "bob")
		addEvidence(t, store, "b", "2", "bob")
		hold := late.Add(time.Hour)
		ok(t, store.HoldEvidence(t.Context(), "1", hold))
		ok(t, store.HoldEvidence(t.Context(), "2", hold.Add(time.Hour)))
		held := must(store.HeldEvidence(t.Context(), "", 10))(t)
		equal(t, held, []storage.Hold{{CaseID: "1", Until: hold}, {CaseID: "2", Until: hold.Add(time.Hour)}})
		held = must(store.HeldEvidence(t.Context(), "1", 1))(t)
		equal(t, len(held), 1)
		overdue := func(before time.Time, want int) {
			t.Helper()
			equal(t, must(store.CountEvidence(t.Context(), storage.EvidenceFilter{OverdueAt: before}))(t), want)
		}
		overdue(hold.Add(-time.Second), 0)
		overdue(hold, 1)
		shredded(t, store, hold.Add(-time.Microsecond), 10, 0)
		shredded(t, store, hold, 10, 1)
		overdue(hold, 0)
		ok(t, store.HoldEvidence(t.Context(), "2", time.Time{}))
		shredded(t, store, hold, 10, 1)
		held = must(store.HeldEvidence(t.Context(), "", 10))(t)
		equal(t, len(held), 0)
		ok(t, store.HoldEvidence(t.Context(), "1", hold)) // too late
		equal(t, evidenceOf(t, store, "a").HeldUntil, time.Time{})
	})
	t.Run("LeavesContentToDelete", func(t *testing.T) {
		store := prepare(t, "a", "b")
		leftovers(t, store)
		shredded(t, store, late, 10, 2)
		leftovers(t, store, "a", "b")
		ok(t, store.DeletedEvidence(t.Context(), []string{"a", "none"}))
		leftovers(t, store, "b")
		ok(t, store.DeletedEvidence(t.Context(), nil))
	})
}

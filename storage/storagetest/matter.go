package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// matter is one of a member of the staff, open for half an hour.
func matter(id, staff, subject string, at time.Time) storage.Matter {
	return storage.Matter{
		ID: id, Staff: staff, Role: "support", Subject: subject, Reason: "caller",
		OpenedAt: at, EndsAt: at.Add(30 * time.Minute),
	}
}

func openMatter(t *testing.T, store storage.Matters, m storage.Matter) {
	t.Helper()
	ok(t, store.OpenMatter(t.Context(), m))
}

// matterIDs returns the IDs of matters.
func matterIDs(matters []storage.Matter) (ids []string) {
	for _, m := range matters {
		ids = append(ids, m.ID)
	}
	return ids
}

func (s *suite) matters(t *testing.T) {
	s.test(t, "ComeBackAsStored", func(t *testing.T, store storage.Store) {
		whole := storage.Matter{
			ID: "whole", Staff: "sue", Role: "operator", Subject: "ann", Reason: "authority", Ticket: "T-1", Note: []byte("sealed"),
			OpenedAt: t0, EndsAt: t0.Add(time.Hour), ClosedAt: t0.Add(time.Minute), Proof: storage.SessionProof,
			ProvedUntil: t0.Add(2 * time.Minute), WithheldUntil: t0.Add(24 * time.Hour),
		}
		bare := storage.Matter{ID: "bare", Staff: "sue", Role: "support", Subject: "ann", Reason: "caller", OpenedAt: elsewhere, EndsAt: elsewhere}
		for _, m := range []storage.Matter{whole, bare} {
			openMatter(t, store, m)
		}
		bare.OpenedAt, bare.EndsAt = asStored, asStored
		for _, want := range []storage.Matter{whole, bare} {
			equal(t, must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new(want.ID)})))(t), want)
		}
		fails(t, store.OpenMatter(t.Context(), whole), storage.ErrConflict)
		fails(t, errOf(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new("none")}))), storage.ErrNotFound)
	})
	s.test(t, "AreListedByWhatMatches", func(t *testing.T, store storage.Store) {
		for i, who := range []struct{ staff, subject string }{{"sue", "ann"}, {"sue", "bob"}, {"sam", "ann"}, {"sue", "ann"}} {
			openMatter(t, store, matter(fmt.Sprint(i), who.staff, who.subject, t0.Add(time.Duration(i)*time.Hour)))
		}
		ok(t, store.CloseMatter(t.Context(), "3", "sue", t0.Add(3*time.Hour)))
		at := func(hours int) time.Time { return t0.Add(time.Duration(hours) * time.Hour) }
		for name, c := range map[string]struct {
			match storage.MatterFilter
			want  []string
		}{
			"All":           {storage.MatterFilter{}, []string{"3", "2", "1", "0"}},
			"Staff":         {storage.MatterFilter{Staff: "sue"}, []string{"3", "1", "0"}},
			"Subject":       {storage.MatterFilter{Subject: "ann"}, []string{"3", "2", "0"}},
			"One":           {storage.MatterFilter{ID: new("1")}, []string{"1"}},
			"OfNoID":        {storage.MatterFilter{ID: new("")}, nil},
			"Both":          {storage.MatterFilter{Staff: "sue", Subject: "ann"}, []string{"3", "0"}},
			"Open":          {storage.MatterFilter{OpenAt: at(2)}, []string{"2"}},
			"OpenAtItsEnd":  {storage.MatterFilter{OpenAt: at(2).Add(30 * time.Minute)}, nil},
			"From":          {storage.MatterFilter{From: at(2)}, []string{"3", "2"}},
			"Until":         {storage.MatterFilter{Until: at(2)}, []string{"1", "0"}},
			"FromUntil":     {storage.MatterFilter{From: at(1), Until: at(3)}, []string{"2", "1"}},
			"StaffFrom":     {storage.MatterFilter{Staff: "sue", From: at(1), Until: at(4)}, []string{"3", "1"}},
			"NothingInTime": {storage.MatterFilter{From: at(9)}, nil},
			"Page":          {storage.MatterFilter{BeforeID: "3", Limit: 2}, []string{"2", "1"}},
		} {
			got := must(store.Matters(t.Context(), c.match))(t)
			t.Run(name, func(t *testing.T) { equal(t, matterIDs(got), c.want) })
		}
	})
	s.test(t, "LastAsLongAsTheyAreUsed", func(t *testing.T, store storage.Store) {
		openMatter(t, store, matter("m", "sue", "ann", t0))
		end, later := t0.Add(30*time.Minute), t0.Add(time.Hour)
		fails(t, store.UseMatter(t.Context(), "m", "sam", t0, later), storage.ErrEnded)
		fails(t, store.UseMatter(t.Context(), "none", "sue", t0, later), storage.ErrEnded)
		fails(t, store.UseMatter(t.Context(), "m", "sue", end, later), storage.ErrEnded)
		ok(t, store.UseMatter(t.Context(), "m", "sue", end.Add(-time.Microsecond), later))
		ok(t, store.UseMatter(t.Context(), "m", "sue", t0, end)) // late, and shortens nothing
		equal(t, must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new("m")})))(t).EndsAt, later)
	})
	s.test(t, "AreClosedOnceByWhoOpenedThem", func(t *testing.T, store storage.Store) {
		openMatter(t, store, matter("m", "sue", "ann", t0))
		closed := func() time.Time {
			got := must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new("m")})))(t)
			return got.ClosedAt
		}
		ok(t, store.CloseMatter(t.Context(), "m", "sam", t0))
		ok(t, store.CloseMatter(t.Context(), "none", "sue", t0))
		ok(t, store.CloseMatter(t.Context(), "m", "sue", t0.Add(time.Hour))) // it is over
		equal(t, closed(), time.Time{})
		ok(t, store.CloseMatter(t.Context(), "m", "sue", t0.Add(time.Minute)))
		ok(t, store.CloseMatter(t.Context(), "m", "sue", t0.Add(2*time.Minute)))
		equal(t, closed(), t0.Add(time.Minute))
		fails(t, store.UseMatter(t.Context(), "m", "sue", t0, t0.Add(time.Hour)), storage.ErrEnded)
	})
	s.test(t, "AreReleasedEarlier", func(t *testing.T, store storage.Store) {
		withheld := matter("withheld", "sue", "ann", t0)
		withheld.WithheldUntil = t0.Add(90 * 24 * time.Hour)
		openMatter(t, store, withheld)
		openMatter(t, store, matter("readable", "sue", "ann", t0))
		ok(t, store.ReleaseMatter(t.Context(), "withheld", t0.Add(time.Hour)))
		for _, id := range []string{"withheld", "readable", "none"} {
			fails(t, store.ReleaseMatter(t.Context(), id, t0.Add(2*time.Hour)), storage.ErrEnded)
		}
		for id, want := range map[string]time.Time{"withheld": t0.Add(time.Hour), "readable": {}} {
			equal(t, must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new(id)})))(t).WithheldUntil, want)
		}
	})
	t.Run("OutliveThePersonWithoutNote", s.mattersOfNobody)
	t.Run("AreRemovedOnceTheyWereToBeRead", s.removalOfMatters)
}

func (s *suite) mattersOfNobody(t *testing.T) {
	store := s.store(t)
	createAccount(t, store, "ann")
	for _, who := range []string{"ann", "bob"} {
		m := matter(who, "sue", who, t0)
		m.Note, m.Ticket = []byte("sealed"), "T-1"
		openMatter(t, store, m)
	}
	found := must(store.DeleteAccount(t.Context(), "ann", "someone", nil))(t)
	equal(t, found, true)
	for id, want := range map[string]storage.Matter{
		"ann": {Subject: "someone"}, "bob": {Subject: "bob", Note: []byte("sealed")},
	} {
		got := must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new(id)})))(t)
		equal(t, storage.Matter{Subject: got.Subject, Note: got.Note}, want)
	}
	found = must(store.DeleteAccount(t.Context(), "ann", "another", nil))(t)
	equal(t, found, false)
}

func (s *suite) removalOfMatters(t *testing.T) {
	store := s.store(t)
	for i := range 5 {
		openMatter(t, store, matter(fmt.Sprint(i), "sue", "ann", t0))
	}
	used, withheld := matter("used", "sue", "ann", t0), matter("withheld", "sue", "ann", t0)
	used.EndsAt, withheld.WithheldUntil = t0.Add(2*time.Hour), t0.Add(3*time.Hour)
	openMatter(t, store, used)
	openMatter(t, store, withheld)
	left := func(before time.Time) []string {
		t.Helper()
		trimAll(t, store, storage.Trim{Kind: storage.OldMatters, Before: before}, 1)
		all := must(store.Matters(t.Context(), storage.MatterFilter{}))(t)
		return matterIDs(all)
	}
	equal(t, left(t0.Add(30*time.Minute)), []string{"withheld", "used", "4", "3", "2", "1", "0"})
	equal(t, left(t0.Add(time.Hour)), []string{"withheld", "used"})
	equal(t, left(t0.Add(150*time.Minute)), []string{"withheld"})
	equal(t, left(t0.Add(4*time.Hour)), nil)
}

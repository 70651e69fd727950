package storagetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// rows are rows of a roster by the names of their digests.
func rows(names ...string) (rows []storage.RosterRow) {
	for _, name := range names {
		rows = append(rows, storage.RosterRow{Digest: digest(name), Content: []byte("sealed " + name)})
	}
	return rows
}

func stage(t *testing.T, store storage.Verification, generation int64, names ...string) {
	t.Helper()
	ok(t, store.StageRoster(t.Context(), "members", generation, rows(names...), 0, t0))
}

func swap(t *testing.T, store storage.Verification, generation, replaced int64) {
	t.Helper()
	ok(t, store.SwapRoster(t.Context(), storage.Roster{Name: "members", Generation: generation, ImportedAt: t0, ImportedBy: "olga"}, replaced))
}

// matches demands which of the names are in the roster in force.
func matches(t *testing.T, store storage.Verification, want ...string) {
	t.Helper()
	var got []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, err := store.MatchRoster(t.Context(), "members", []storage.Digest{digest(name)}); err == nil {
			got = append(got, name)
		}
	}
	equal(t, got, want)
}

func (s *verificationSuite) rosters(t *testing.T) {
	s.test(t, "AreEmptyBeforeTheFirstImport", func(t *testing.T, store VerificationStore) {
		equal(t, must(store.Roster(t.Context(), "members"))(t), storage.Roster{Name: "members"})
		stage(t, store, 1, "a")
		matches(t, store)
	})
	s.test(t, "ComeIntoForceAsAWhole", func(t *testing.T, store VerificationStore) {
		stage(t, store, 7, "a", "b", "a")
		stage(t, store, 7, "b", "c")
		ok(t, store.SwapRoster(t.Context(), storage.Roster{Name: "members", Generation: 7, Rows: 99, ImportedAt: elsewhere, ImportedBy: "olga"}, 0))
		got := must(store.Roster(t.Context(), "members"))(t)
		equal(t, got, storage.Roster{Name: "members", Generation: 7, Rows: 3, ImportedAt: asStored, ImportedBy: "olga"})
		matches(t, store, "a", "b", "c")
		fails(t, errOf(store.MatchRoster(t.Context(), "another", []storage.Digest{digest("a")})), storage.ErrNotFound)
	})
	s.test(t, "KeepTheFirstOfARepeatedRow", func(t *testing.T, store VerificationStore) {
		again := rows("a")
		again[0].Content = nil
		stage(t, store, 1, "a")
		ok(t, store.StageRoster(t.Context(), "members", 1, again, 0, t0))
		swap(t, store, 1, 0)
		equal(t, must(store.MatchRoster(t.Context(), "members", []storage.Digest{digest("a")}))(t), rows("a")[0])
	})
	s.test(t, "MatchAnyOfTheDigests", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, "a", "b")
		swap(t, store, 1, 0)
		for _, c := range []struct{ asked, want []string }{
			{[]string{"c", "b", "a"}, []string{"b"}}, {[]string{"a", "b"}, []string{"a"}}, {[]string{"c", "d"}, nil}, {nil, nil},
		} {
			var digests []storage.Digest
			for _, name := range c.asked {
				digests = append(digests, digest(name))
			}
			got, err := store.MatchRoster(t.Context(), "members", digests)
			if c.want == nil {
				fails(t, err, storage.ErrNotFound)
				continue
			}
			ok(t, err)
			equal(t, got, rows(c.want...)[0])
		}
	})
	s.test(t, "TakeManyRows", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, slices.Concat(names("row ", 777), names("row ", 10))...)
		ok(t, store.StageRoster(t.Context(), "members", 1, nil, 3, t0))
		equal(t, must(store.CompareRoster(t.Context(), "members", 1))(t), storage.RosterChange{Rows: 777, Added: 777, Skipped: 3})
		swap(t, store, 1, 0)
		for i := range 777 {
			if _, err := store.MatchRoster(t.Context(), "members", []storage.Digest{digest(fmt.Sprint("row ", i))}); err != nil {
				t.Errorf("row %d: %v", i, err)
			}
		}
	})
	s.test(t, "AreComparedBefore", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, "a", "b", "c")
		swap(t, store, 1, 0)
		stage(t, store, 2, "c", "d")
		equal(t, must(store.CompareRoster(t.Context(), "members", 2))(t), storage.RosterChange{Rows: 2, Added: 1, Vanished: 2})
		fails(t, errOf(store.CompareRoster(t.Context(), "members", 3)), storage.ErrNotFound)
		fails(t, errOf(store.CompareRoster(t.Context(), "another", 2)), storage.ErrNotFound)
	})
	s.test(t, "ReplaceTheOneThatWasSeen", func(t *testing.T, store VerificationStore) {
		for i := range 3 {
			stage(t, store, int64(i+1), "a")
		}
		change := func(generation, replaced int64) error {
			return store.SwapRoster(t.Context(), storage.Roster{Name: "members", Generation: generation}, replaced)
		}
		fails(t, change(1, 5), storage.ErrChanged)
		ok(t, change(1, 0))
		fails(t, change(2, 0), storage.ErrChanged)
		ok(t, change(2, 1))
		fails(t, change(3, 1), storage.ErrChanged)
		fails(t, change(4, 2), storage.ErrChanged) // never staged
		fails(t, change(2, 2), storage.ErrChanged)
		got := must(store.Roster(t.Context(), "members"))(t)
		equal(t, []int64{got.Generation, got.Previous}, []int64{2, 1})
	})
	s.test(t, "AreUndone", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, "a")
		swap(t, store, 1, 0)
		stage(t, store, 2, "b")
		swap(t, store, 2, 1)
		matches(t, store, "b")
		swap(t, store, 1, 2)
		matches(t, store, "a")
		swap(t, store, 2, 1) // and done again
		matches(t, store, "b")
	})
	s.test(t, "AreUndoneToNone", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, "a")
		swap(t, store, 1, 0)
		swap(t, store, 0, 1)
		matches(t, store)
		got := must(store.Roster(t.Context(), "members"))(t)
		equal(t, []int64{got.Generation, got.Previous, int64(got.Rows)}, []int64{0, 1, 0})
		swap(t, store, 1, 0)
		matches(t, store, "a")
	})
	s.test(t, "GrowNoMoreInForce", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, "a")
		swap(t, store, 1, 0)
		fails(t, store.StageRoster(t.Context(), "members", 1, rows("b"), 0, t0), storage.ErrChanged)
		stage(t, store, 2, "c")
		swap(t, store, 2, 1)
		fails(t, store.StageRoster(t.Context(), "members", 1, rows("b"), 0, t0), storage.ErrChanged)
		swap(t, store, 1, 2)
		matches(t, store, "a")
	})
	s.test(t, "AreOfOneName", func(t *testing.T, store VerificationStore) {
		stage(t, store, 1, "a")
		ok(t, store.StageRoster(t.Context(), "another", 1, rows("b"), 0, t0))
		swap(t, store, 1, 0)
		matches(t, store, "a")
	})
	t.Run("Vanish", s.vanished)
	t.Run("AreRemovedOnceUnused", s.removalOfRosters)
}

func (s *verificationSuite) removalOfRosters(t *testing.T) {
	store := s.store(t)
	stage(t, store, 1, "a")
	swap(t, store, 1, 0)
	stage(t, store, 2, "b")
	swap(t, store, 2, 1)
	stage(t, store, 3, "c")
	swap(t, store, 3, 2)
	stage(t, store, 4, names("many ", 100)...)
	ok(t, store.StageRoster(t.Context(), "members", 5, rows("d"), 0, late))
	total := 0
	for first := true; ; first = false {
		n := must(store.Trim(t.Context(), storage.Trim{Kind: storage.OldRosters, Before: late}, 30))(t)
		if first { // a part of it is gone, and it never comes into force
			fails(t, store.SwapRoster(t.Context(), storage.Roster{Name: "members", Generation: 4}, 3), storage.ErrChanged)
			fails(t, store.StageRoster(t.Context(), "members", 4, rows("d"), 0, late), storage.ErrChanged)
			fails(t, errOf(store.CompareRoster(t.Context(), "members", 4)), storage.ErrNotFound)
		}
		if total += n; n == 0 {
			break
		}
	}
	equal(t, total, 101+2) // rows, and what says whose they are
	matches(t, store, "c")
	swap(t, store, 2, 3)
	matches(t, store, "b")
	swap(t, store, 5, 2)
	matches(t, store, "d")
	fails(t, store.SwapRoster(t.Context(), storage.Roster{Name: "members", Generation: 1}, 5), storage.ErrChanged)
}

func (s *verificationSuite) vanished(t *testing.T) {
	store := s.store(t)
	bind := func(id, subject, kind string, name string, free time.Time) {
		m := approval(startCase(t, store, id, subject))
		m.Fingerprints = []storage.Fingerprint{{Group: "student", Kind: kind, Digest: digest(name), Until: free}}
		ok(t, errOf(store.MoveCase(t.Context(), m, nobody)))
	}
	bind("1", "ann", "members", "a", time.Time{})
	bind("2", "bob", "members", "b", time.Time{})
	bind("3", "carol", "members", "c", time.Time{})
	bind("4", "dave", "members", "d", late) // has ended already
	bind("5", "erin", "email", "e", time.Time{})
	vanished := func(after storage.Digest, limit int) (subjects []string) {
		t.Helper()
		got := must(store.Fingerprints(t.Context(), "student", "members", after, limit, "members"))(t)
		for i, f := range got {
			if i > 0 && slices.Compare(got[i-1].Digest[:], f.Digest[:]) >= 0 {
				t.Error("they are in no order")
			}
			subjects = append(subjects, f.Subject)
		}
		return subjects
	}
	equal(t, len(vanished(storage.Digest{}, 10)), 0) // of no import
	stage(t, store, 1, "a")
	swap(t, store, 1, 0)
	got := vanished(storage.Digest{}, 10)
	equal(t, len(got), 2)
	equal(t, slices.Sorted(slices.Values(got)), []string{"bob", "carol"})
	equal(t, vanished(storage.Digest{}, 1), got[:1])
	first := map[string]string{"bob": "b", "carol": "c"}[got[0]]
	equal(t, vanished(digest(first), 10), got[1:])
	swap(t, store, 0, 1)
	equal(t, len(vanished(storage.Digest{}, 10)), 0)
}

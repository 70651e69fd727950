package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// code is a code of the group "student", whose batch has its name.
func code(name string, uses int) storage.VerificationCode {
	return storage.VerificationCode{
		Digest: digest(name), Batch: "batch of " + name, Group: "student", Uses: uses, IssuedBy: "olga", IssuedAt: t0, ExpiresAt: late,
	}
}

func issue(t *testing.T, store storage.Verification, name string, uses int) {
	t.Helper()
	ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{code(name, uses)}))
}

func redeem(t *testing.T, store storage.Verification, name, subject string) storage.VerificationCode {
	t.Helper()
	return must(store.RedeemCode(t.Context(), digest(name), "student", subject, storage.Digest{}, t0))(t)
}

func (s *verificationSuite) verificationCodes(t *testing.T) {
	s.test(t, "ComeBackAsTheyWereIssued", func(t *testing.T, store VerificationStore) {
		want := code("a", 2)
		want.Subgroups, want.Email, want.MadeBy, want.Used = []string{"University"}, digest("ann@example.com"), digest("olga"), 7
		want.IssuedAt, want.ExpiresAt, want.HoldsUntil = elsewhere, elsewhere.Add(time.Minute), elsewhere
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{want}))
		got := must(store.RedeemCode(t.Context(), digest("a"), "student", "ann", digest("ann@example.com"), t0))(t)
		want.Used, want.IssuedAt, want.ExpiresAt, want.HoldsUntil = 1, asStored, asStored.Add(time.Minute), asStored
		equal(t, got, want)
	})
	s.test(t, "AreIssuedAllOrNone", func(t *testing.T, store VerificationStore) {
		issue(t, store, "b", 1)
		fails(t, store.IssueCodes(t.Context(), []storage.VerificationCode{code("a", 1), code("b", 1)}), storage.ErrConflict)
		fails(t, errOf(store.RedeemCode(t.Context(), digest("a"), "student", "ann", storage.Digest{}, t0)), storage.ErrNotFound)
		equal(t, len(must(store.CodeBatches(t.Context(), time.Time{}, 10))(t)), 1)
	})
	s.test(t, "AreUsedUp", func(t *testing.T, store VerificationStore) {
		issue(t, store, "a", 2)
		equal(t, redeem(t, store, "a", "ann").Used, 1)
		equal(t, redeem(t, store, "a", "ann").Used, 1)
		equal(t, redeem(t, store, "a", "bob").Used, 2)
		fails(t, errOf(store.RedeemCode(t.Context(), digest("a"), "student", "carol", storage.Digest{}, t0)), storage.ErrSpent)
		equal(t, redeem(t, store, "a", "ann").Used, 2)
	})
	s.test(t, "AreNotFound", func(t *testing.T, store VerificationStore) {
		c := code("a", 1)
		c.Email = digest("ann@example.com")
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{c}))
		for name, try := range map[string]func() error{
			"None": func() error {
				return errOf(store.RedeemCode(t.Context(), digest("none"), "student", "ann", c.Email, t0))
			},
			"OfAnotherGroup": func() error {
				return errOf(store.RedeemCode(t.Context(), c.Digest, "teacher", "ann", c.Email, t0))
			},
			"Expired": func() error {
				return errOf(store.RedeemCode(t.Context(), c.Digest, "student", "ann", c.Email, late))
			},
			"OfAnotherAddress": func() error {
				return errOf(store.RedeemCode(t.Context(), c.Digest, "student", "ann", digest("bob@example.com"), t0))
			},
			"OfNoAddress": func() error {
				return errOf(store.RedeemCode(t.Context(), c.Digest, "student", "ann", storage.Digest{}, t0))
			},
		} {
			t.Run(name, func(t *testing.T) { fails(t, try(), storage.ErrNotFound) })
		}
		if got, err := store.RedeemCode(t.Context(), c.Digest, "student", "ann", c.Email, t0); err != nil || got.Used != 1 {
			t.Errorf("afterwards: %+v, %v", got, err)
		}
	})
	s.test(t, "EndByTheBatch", func(t *testing.T, store VerificationStore) {
		first, second := code("a", 3), code("b", 2)
		second.Batch = first.Batch
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{first, second}))
		issue(t, store, "c", 1)
		oneWins(t, race([]VerificationStore{store}, func(int, VerificationStore) error {
			n, err := store.EndCodes(t.Context(), first.Batch, t0)
			if err == nil {
				equal(t, n, 2)
			}
			return err
		}), storage.ErrSpent)
		fails(t, errOf(store.RedeemCode(t.Context(), digest("a"), "student", "ann", storage.Digest{}, t0)), storage.ErrNotFound)
		redeem(t, store, "c", "ann")
	})
	s.test(t, "AreReleasedOnce", func(t *testing.T, store VerificationStore) {
		held, other := code("a", 1), code("b", 1)
		held.ExpiresAt, other.ExpiresAt = t0, t0
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{held, other}))
		for _, now := range []time.Time{t0, t0.Add(-time.Minute)} { // by a clock that is behind, too
			fails(t, errOf(store.RedeemCode(t.Context(), digest("a"), "student", "ann", storage.Digest{}, now)), storage.ErrNotFound)
		}
		oneWins(t, race([]VerificationStore{store}, func(int, VerificationStore) error {
			return store.ReleaseCodes(t.Context(), held.Batch, late)
		}), storage.ErrSpent)
		redeem(t, store, "a", "ann")
		fails(t, errOf(store.RedeemCode(t.Context(), digest("b"), "student", "ann", storage.Digest{}, t0)), storage.ErrNotFound)
	})
	t.Run("AreNotReleasedOnceTheyAreEnded", func(t *testing.T) {
		for _, expires := range []time.Time{t0, late} { // one that waits, and one that does not
			for _, at := range []time.Time{t0, t0.Add(time.Second), t0.Add(-time.Second)} {
				store := s.store(t)
				c := code("a", 1)
				c.ExpiresAt = expires
				ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{c}))
				equal(t, must(store.EndCodes(t.Context(), c.Batch, at))(t), 1)
				fails(t, store.ReleaseCodes(t.Context(), c.Batch, late), storage.ErrSpent)
			}
		}
	})
	s.test(t, "AreSummedUpByTheBatch", func(t *testing.T, store VerificationStore) {
		first, second := code("a", 3), code("b", 2)
		second.Batch, second.ExpiresAt = first.Batch, elsewhere
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{first, second}))
		redeem(t, store, "a", "ann")
		later := code("c", 1)
		later.IssuedAt = t0.Add(time.Minute)
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{later}))
		want := []storage.CodeBatch{
			{Batch: "batch of c", Group: "student", Codes: 1, Uses: 1, IssuedBy: "olga", IssuedAt: t0.Add(time.Minute), EndsAt: late},
			{Batch: "batch of a", Group: "student", Codes: 2, Uses: 5, Used: 1, IssuedBy: "olga", IssuedAt: t0, EndsAt: asStored},
		}
		for _, c := range []struct {
			before time.Time
			limit  int
			want   []storage.CodeBatch
		}{{time.Time{}, 10, want}, {time.Time{}, 1, want[:1]}, {t0.Add(time.Minute), 10, want[1:]}, {t0, 10, nil}} {
			equal(t, must(store.CodeBatches(t.Context(), c.before, c.limit))(t), c.want)
		}
	})
	s.test(t, "AreRemoved", func(t *testing.T, store VerificationStore) {
		issue(t, store, "a", 1)
		issue(t, store, "b", 1)
		redeem(t, store, "a", "ann")
		later := code("c", 1)
		later.ExpiresAt = late.Add(time.Second)
		ok(t, store.IssueCodes(t.Context(), []storage.VerificationCode{later}))
		for _, want := range []int{1, 1, 0} {
			equal(t, must(store.Trim(t.Context(), storage.Trim{Kind: storage.OldCodes, Before: late.Add(time.Microsecond)}, 1))(t), want)
		}
		equal(t, len(must(store.CodeBatches(t.Context(), time.Time{}, 10))(t)), 1)
		redeem(t, store, "c", "ann")
	})
}

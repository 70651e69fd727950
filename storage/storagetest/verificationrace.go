package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// races tests what many callers want and not all may have.
func (s *verificationSuite) races(t *testing.T) {
	s.contests(t)
	s.pair(t, "StartsMakeOneCase", func(t *testing.T, stores []VerificationStore) {
		for round := range *rounds {
			subject := fmt.Sprint("subject ", round)
			var made atomic.Int64
			for _, err := range race(stores, func(i int, store VerificationStore) error {
				c := storage.Case{ID: fmt.Sprint(subject, " ", i), Subject: subject, Group: "student", CreatedAt: t0}
				c, created, err := store.StartCase(t.Context(), c, "", nobody)
				if created { // and the decline bars those who have read before
					made.Add(1)
					_, err = store.MoveCase(t.Context(), to(c, storage.CaseDeclined), nobody)
				}
				return err
			}) {
				if err != nil {
					fails(t, err, storage.ErrChanged)
				}
			}
			equal(t, made.Load(), 1)
		}
	})
	s.pair(t, "TakersGetDifferentCases", func(t *testing.T, stores []VerificationStore) {
		const cases = contenders / 2
		for i := range cases {
			inReview(t, stores[0], fmt.Sprint(i), fmt.Sprint("subject ", i), t0)
		}
		var mu sync.Mutex
		taken := map[string]int{}
		errs := race(stores, func(i int, store VerificationStore) error {
			c, err := store.TakeCase(t.Context(), storage.Reviewer{ID: fmt.Sprint("reviewer ", i)}, "", t0, late)
			mu.Lock()
			defer mu.Unlock()
			taken[c.ID]++
			return err
		})
		left := 0
		for _, err := range errs {
			if err != nil {
				fails(t, err, storage.ErrNotFound)
				left++
			}
		}
		equal(t, left, contenders-cases)
		delete(taken, "")
		equal(t, len(taken), cases)
	})
	s.pair(t, "ReviewerHoldsOneCase", func(t *testing.T, stores []VerificationStore) {
		for i := range contenders {
			inReview(t, stores[0], fmt.Sprint(i), fmt.Sprint("subject ", i), t0)
		}
		allWin(t, race(stores, func(i int, store VerificationStore) error {
			return errOf(store.TakeCase(t.Context(), rita, fmt.Sprint(i), t0, late))
		}))
		held := 0
		for i := range contenders {
			if caseOf(t, stores[0], fmt.Sprint(i)).TakenBy != "" {
				held++
			}
		}
		equal(t, held, 1)
	})
	s.pair(t, "CodeIsUsedAsOftenAsItMay", func(t *testing.T, stores []VerificationStore) {
		issue(t, stores[0], "code", 3)
		used := 0
		for _, err := range race(stores, func(i int, store VerificationStore) error {
			return errOf(store.RedeemCode(t.Context(), digest("code"), "student", fmt.Sprint("subject ", i), storage.Digest{}, t0))
		}) {
			if err == nil {
				used++
			} else {
				fails(t, err, storage.ErrSpent)
			}
		}
		equal(t, used, 3)
	})
	s.pair(t, "CodeIsCountedOnceForASubject", func(t *testing.T, stores []VerificationStore) {
		issue(t, stores[0], "code", 3)
		allWin(t, race(stores, func(_ int, store VerificationStore) error {
			return errOf(store.RedeemCode(t.Context(), digest("code"), "student", "ann", storage.Digest{}, t0))
		}))
		equal(t, redeem(t, stores[0], "code", "bob").Used, 2)
	})
	s.pair(t, "ProofHasOneSubject", func(t *testing.T, stores []VerificationStore) {
		moves := make([]storage.CaseMove, contenders)
		for i := range moves {
			moves[i] = approval(startCase(t, stores[0], fmt.Sprint(i), fmt.Sprint("subject ", i)))
			moves[i].Fingerprints = []storage.Fingerprint{{Group: "student", Kind: "email", Digest: digest("a")}}
		}
		oneWins(t, race(stores, func(i int, store VerificationStore) error {
			return errOf(store.MoveCase(t.Context(), moves[i], nobody))
		}), storage.ErrTaken)
	})
	s.pair(t, "EvidenceKeepsToItsLimits", func(t *testing.T, stores []VerificationStore) {
		startCase(t, stores[0], "0", "ann")
		startCaseIn(t, stores[0], "1", "ann", "teacher")
		added := 0
		for _, err := range race(stores, func(i int, store VerificationStore) error {
			return store.AddEvidence(t.Context(), item(fmt.Sprint(i), fmt.Sprint(i%2)), "ann", storage.EvidenceLimits{Count: 10, Bytes: 100_000})
		}) {
			if err == nil {
				added++
			} else {
				fails(t, err, storage.ErrLimit)
			}
		}
		equal(t, added, 10)
	})
	s.pair(t, "EvidenceNeverOutlivesTheCase", func(t *testing.T, stores []VerificationStore) {
		c := startCase(t, stores[0], "1", "ann")
		allWin(t, race(stores, func(i int, store VerificationStore) error {
			if i == contenders/2 {
				m := to(c, storage.CaseWithdrawn)
				m.EvidenceUntil = t0
				return errOf(store.MoveCase(t.Context(), m, nobody))
			}
			err := store.AddEvidence(t.Context(), item(fmt.Sprint(i), "1"), "ann", roomy)
			if errors.Is(err, storage.ErrEnded) {
				return nil // the end was first
			}
			return err
		}))
		for _, e := range must(stores[0].Evidence(t.Context(), storage.EvidenceID{CaseID: "1"}))(t) {
			equal(t, e.ShredAt, t0)
		}
	})
	s.pair(t, "TimersComeOnce", func(t *testing.T, stores []VerificationStore) {
		for i := range contenders {
			c := startCase(t, stores[0], fmt.Sprint(i), fmt.Sprint("subject ", i))
			ok(t, stores[0].PostponeCase(t.Context(), c.ID, c.Version, t0, nil))
		}
		var mu sync.Mutex
		times := map[string]int{}
		allWin(t, race(stores, func(_ int, store VerificationStore) error {
			due, err := store.DueCases(t.Context(), t0, time.Minute, 3)
			mu.Lock()
			defer mu.Unlock()
			for _, c := range due {
				times[c.ID]++
			}
			return err
		}))
		for id, n := range times {
			if n != 1 {
				t.Errorf("%s came %d times", id, n)
			}
		}
	})
	t.Run("RosterInForceIsWhole", s.raceRosters)
}

// raceRosters removes a staged generation while it is put in force: either all of its rows
// are in force, or it never is.
func (s *verificationSuite) raceRosters(t *testing.T) {
	stores := s.stores(t, 2)
	for round := range *rounds {
		name, generation := fmt.Sprint("roster ", round), int64(round+1)
		ok(t, stores[0].StageRoster(t.Context(), name, generation, rows(names("row ", 40)...), 0, t0))
		var swapped error
		race(stores, func(i int, store VerificationStore) error {
			if i == contenders/2 {
				swapped = store.SwapRoster(t.Context(), storage.Roster{Name: name, Generation: generation}, 0)
				return swapped
			}
			return errOf(store.Trim(t.Context(), storage.Trim{Kind: storage.OldRosters, Before: late}, 1))
		})
		if swapped != nil {
			fails(t, swapped, storage.ErrChanged)
			continue
		}
		for i := range 40 {
			if _, err := stores[0].MatchRoster(t.Context(), name, []storage.Digest{digest(fmt.Sprint("row ", i))}); err != nil {
				t.Errorf("%s is in force without its row %d: %v", name, i, err)
			}
		}
	}
}

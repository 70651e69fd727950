package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// endedPlaces returns the ended places of the first list that belong to a credential, and the number
// of the others.
func endedPlaces(t *testing.T, store CredentialStore, known ...int) (ended []int, free int) {
	t.Helper()
	for _, place := range must(store.EndedPlaces(t.Context(), 1))(t) {
		if slices.Contains(known, place) {
			ended = append(ended, place)
		} else {
			free++
		}
	}
	return ended, free
}

func (s *credentialSuite) ends(t *testing.T) {
	filled := func(t *testing.T) CredentialStore {
		store := s.issued(t)
		prepareIssue(t, store, "bob")
		save(t, store, "ann", 1, 2)
		save(t, store, "bob", 3)
		return store
	}
	for name, c := range map[string]struct {
		match storage.CredentialFilter
		want  []int
	}{
		"ByID":                     {storage.CredentialFilter{ID: "bob 003"}, []int{3}},
		"ByIDOfAPerson":            {storage.CredentialFilter{ID: "ann 002", Subject: "ann"}, []int{2}},
		"ByPerson":                 {storage.CredentialFilter{Subject: "ann"}, []int{1, 2}},
		"ByPersonAndWallet":        {storage.CredentialFilter{Subject: "ann", ClientID: "wallet"}, []int{1, 2}},
		"NoneOfAnotherWallet":      {storage.CredentialFilter{Subject: "ann", ClientID: "other"}, nil},
		"NoneOfSomebodyElse":       {storage.CredentialFilter{ID: "bob 003", Subject: "ann"}, nil},
		"NoneThatNobodyEverIssued": {storage.CredentialFilter{ID: "unknown"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			store := filled(t)
			equal(t, must(store.EndCredentials(t.Context(), c.match, storage.EndedByOwner, t0))(t), len(c.want))
			ended, free := endedPlaces(t, store, 1, 2, 3)
			equal(t, ended, c.want)
			if free > 3 || free < min(len(c.want), 1) {
				t.Errorf("%d free places are taken", free)
			}
			equal(t, must(store.EndCredentials(t.Context(), c.match, storage.EndedByStaff, t0))(t), 0)
		})
	}
	t.Run("NotWhatHasExpired", func(t *testing.T) {
		store := filled(t)
		equal(t, must(store.EndCredentials(t.Context(), storage.CredentialFilter{Subject: "ann"}, storage.EndedByOwner, t0.Add(month)))(t), 0)
		if errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{ClientID: "wallet"}, storage.EndedByOwner, t0)) == nil {
			t.Error("the whole table is read")
		}
	})
	// A fixed number, or a rule by which places are chosen, would tell which is somebody's.
	t.Run("HideAmongFreePlaces", func(t *testing.T) {
		store := s.issued(t)
		counts, odd, low := map[int]bool{}, 0, 0
		before := 0
		for place := range 60 {
			err := store.SaveCredential(t.Context(), credential(t, store, "ann", place))
			if errors.Is(err, storage.ErrConflict) {
				continue // one of the free places
			}
			ok(t, err)
			ok(t, errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{Subject: "ann"}, storage.EndedByOwner, t0)))
			all := must(store.EndedPlaces(t.Context(), 1))(t)
			counts[len(all)-before-1] = true
			before = len(all)
		}
		for _, place := range must(store.EndedPlaces(t.Context(), 1))(t) {
			if place >= storage.CredentialPlaces {
				t.Errorf("place %d is none of the list", place)
			}
			odd += place & 1
			if place < storage.CredentialPlaces/2 {
				low++
			}
		}
		if len(counts) != 3 || counts[0] || odd < before/4 || odd > 3*before/4 || low > 60+3*(before-60)/4 {
			t.Errorf("of %d places %d are odd, %d low; so many with each: %v", before, odd, low, counts)
		}
	})
}

func (s *credentialSuite) lists(t *testing.T) {
	s.test(t, "NextOneIsOpenedWhenOneIsFull", func(t *testing.T, store CredentialStore) {
		fails(t, errOf(store.EndedPlaces(t.Context(), 1)), storage.ErrNotFound)
		prepareIssue(t, store, "ann")
		save(t, store, "ann", 1, 2)
		equal(t, must(store.OpenList(t.Context(), 3, t0))(t), 1)
		equal(t, must(store.OpenList(t.Context(), 2, t0))(t), 2)
		equal(t, must(store.OpenList(t.Context(), 2, t0))(t), 2)
		fails(t, errOf(store.EndedPlaces(t.Context(), 3)), storage.ErrNotFound)
		fails(t, errOf(store.EndedPlaces(t.Context(), 0)), storage.ErrNotFound)
	})
	t.Run("EndsWithItsLastCredential", func(t *testing.T) {
		store := s.issued(t)
		save(t, store, "ann", 7, 5, 6)
		ok(t, errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{ID: "ann 007"}, storage.EndedByOwner, t0)))
		ok(t, errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{ID: "ann 005"}, storage.EndedByOwner, t0)))
		ended, free := endedPlaces(t, store, 5, 6, 7)
		equal(t, ended, []int{5, 7})
		equal(t, must(store.OpenList(t.Context(), 3, t0))(t), 2)
		gone := t0.Add(month + 24*time.Hour)
		sweepAll(t, store, gone.Add(-time.Microsecond))
		ended, left := endedPlaces(t, store, 5, 6, 7)
		equal(t, fmt.Sprint(ended, left), fmt.Sprint([]int{5, 7}, free))
		sweepAll(t, store, gone)
		fails(t, errOf(store.EndedPlaces(t.Context(), 1)), storage.ErrEnded)
		equal(t, len(must(store.EndedPlaces(t.Context(), 2))(t)), 0)
	})
}

// removal tests what is left of credentials when what they rest on is removed.
func (s *credentialSuite) removal(t *testing.T) {
	t.Run("OfAPersonDisownsThem", func(t *testing.T) {
		store := s.issued(t)
		prepareIssue(t, store, "bob")
		var places []int
		for place := range 40 {
			places = append(places, place)
		}
		save(t, store, "ann", places...)
		save(t, store, "bob", 100)
		ok(t, errOf(store.EndCredentials(t.Context(), storage.CredentialFilter{ID: "ann 000"}, storage.EndedByOwner, t0)))
		equal(t, must(store.DeleteAccount(t.Context(), "ann", "someone", nil))(t), true)
		removeAll(t, store, "ann")
		ended, _ := endedPlaces(t, store, append(places, 100)...)
		equal(t, ended, places)
		for _, match := range []storage.CredentialFilter{{Subject: "ann"}, {ID: "ann 001"}, {Notification: digest("notification ann1")}} {
			equal(t, ids(must(store.Credentials(t.Context(), match))(t)), "")
		}
		equal(t, ids(must(store.Credentials(t.Context(), storage.CredentialFilter{Subject: "bob"}))(t)), "bob 100, ")
	})
	t.Run("OfAGrantComesAfterThem", func(t *testing.T) {
		store := s.issued(t)
		save(t, store, "ann", 1)
		g := storage.GrantFilter{Subject: "ann"}
		sweepAll(t, store, t0.Add(month-time.Microsecond))
		found, _, err := store.FindGrants(t.Context(), g, storage.GrantID{}, 9)
		ok(t, err)
		equal(t, len(found), 1)
		sweepAll(t, store, t0.Add(month))
		found, _, err = store.FindGrants(t.Context(), g, storage.GrantID{}, 9)
		ok(t, err)
		equal(t, len(found), 0)
	})
	t.Run("KeepsAGrantThatStaysLonger", func(t *testing.T) {
		store := s.issued(t)
		c := credential(t, store, "ann", 1)
		c.ExpiresAt = t0.Add(time.Hour)
		ok(t, store.SaveCredential(t.Context(), c))
		sweepAll(t, store, t0.Add(2*time.Hour))
		found, _, err := store.FindGrants(t.Context(), storage.GrantFilter{Subject: "ann"}, storage.GrantID{}, 9)
		ok(t, err)
		equal(t, len(found), 1)
	})
	t.Run("TimePassesInASandbox", func(t *testing.T) {
		store := s.issued(t)
		save(t, store, "ann", 1)
		before := must(store.Credentials(t.Context(), storage.CredentialFilter{ID: "ann 001"}))(t)[0]
		ok(t, store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"wallet"}, UserPrefix: "ann", By: time.Hour}))
		after := must(store.Credentials(t.Context(), storage.CredentialFilter{ID: "ann 001"}))(t)[0]
		equal(t, before.ExpiresAt.Sub(after.ExpiresAt), time.Hour)
		equal(t, lapsed(t, store, t0), "")
	})
}

// races tests that no place is given twice, and that none outlives what it rests on.
func (s *credentialSuite) races(t *testing.T) {
	s.pair(t, "PlaceIsGivenOnce", func(t *testing.T, stores []CredentialStore) {
		prepareIssue(t, stores[0], "ann")
		c := credential(t, stores[0], "ann", 1)
		errs := make([]error, 100)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				c := c
				c.ID, c.Notification = fmt.Sprint("id ", i), digest(fmt.Sprint("notification ", i))
				errs[i] = stores[i%2].SaveCredential(t.Context(), c)
			})
		}
		all.Wait()
		oneWins(t, errs, storage.ErrConflict)
	})
	s.pair(t, "NextListIsOpenedOnce", func(t *testing.T, stores []CredentialStore) {
		prepareIssue(t, stores[0], "ann")
		save(t, stores[0], "ann", 1)
		allWin(t, race(stores, func(_ int, store CredentialStore) error {
			list, err := store.OpenList(t.Context(), 1, t0)
			if err == nil && list != 2 {
				err = fmt.Errorf("list %d is open", list)
			}
			return err
		}))
	})
	for name, end := range map[string]func(t *testing.T, store CredentialStore) error{
		"Revocation": func(t *testing.T, store CredentialStore) error {
			return errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "ann"}, t0))
		},
		"Consent": func(t *testing.T, store CredentialStore) error {
			return store.RevokeConsent(t.Context(), "ann", "wallet", t0)
		},
		"Lock": func(t *testing.T, store CredentialStore) error {
			return store.SetDisabled(t.Context(), "ann", true, t0)
		},
		"Status": func(t *testing.T, store CredentialStore) error {
			return store.RemoveStatus(t.Context(), "ann", "student")
		},
		"Deletion": func(t *testing.T, store CredentialStore) error {
			if err := errOf(store.DeleteAccount(t.Context(), "ann", "someone", nil)); err != nil {
				return err
			}
			removeAll(t, store, "ann")
			return nil
		},
	} {
		t.Run("NoneOutlives"+name, func(t *testing.T) {
			everyRound(t, func(t *testing.T) { s.raceEnd(t, end) })
		})
	}
}

// raceEnd issues credentials while what they rest on ends: those in force afterwards are found.
func (s *credentialSuite) raceEnd(t *testing.T, end func(t *testing.T, store CredentialStore) error) {
	stores := s.stores(t, 2)
	prepareIssue(t, stores[0], "ann")
	c := credential(t, stores[0], "ann", 0)
	saved := make([]bool, contenders)
	allWin(t, race(stores, func(i int, store CredentialStore) error {
		if i == contenders/2 {
			return end(t, store)
		}
		c := c
		c.ID, c.Place, c.Notification = fmt.Sprint("id ", i), i, digest(fmt.Sprint("notification ", i))
		err := store.SaveCredential(t.Context(), c)
		saved[i] = err == nil
		if errors.Is(err, storage.ErrEnded) {
			return nil // the end was first
		}
		return err
	}))
	known := must(stores[0].EndedPlaces(t.Context(), 1))(t)
	found, _, err := stores[0].LapsedCredentials(t.Context(), t0, t0, "", 99)
	ok(t, err)
	for _, l := range found {
		known = append(known, l.Place)
	}
	for place, is := range saved {
		if is && !slices.Contains(known, place) {
			t.Errorf("the credential at place %d outlives what it rests on", place)
		}
	}
	c.ID, c.Place, c.Notification = "late", contenders, digest("late")
	fails(t, stores[0].SaveCredential(t.Context(), c), storage.ErrEnded)
}

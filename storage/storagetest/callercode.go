package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func callerCode(account, code string, proof storage.CallerProof) storage.CallerCode {
	return storage.CallerCode{AccountID: account, Proof: proof, Digest: digest(code), ExpiresAt: t0.Add(5 * time.Minute), Tries: 5}
}

// withCallers returns a store with two people, a matter of sue about each, and two codes of
// ann.
func (s *suite) withCallers(t *testing.T) storage.Store {
	t.Helper()
	store := s.store(t)
	fillCallers(t, store)
	return store
}

func fillCallers(t *testing.T, store storage.Store) {
	t.Helper()
	for _, who := range []string{"ann", "bob"} {
		createAccount(t, store, who)
		openMatter(t, store, matter("about "+who, "sue", who, t0))
	}
	ok(t, store.SaveCallerCode(t.Context(), callerCode("ann", "mailed", storage.MailboxProof)))
	ok(t, store.SaveCallerCode(t.Context(), callerCode("ann", "shown", storage.SessionProof)))
}

// prove is what sue does with a code in a matter about somebody.
func prove(t *testing.T, store storage.Store, about, code string) error {
	t.Helper()
	return errOf(store.ProveCaller(t.Context(), "about "+about, "sue", digest(code), t0, t0.Add(time.Minute)))
}

func (s *suite) callerCodes(t *testing.T) {
	t.Run("ProveWhatTheyAreFor", func(t *testing.T) {
		for code, want := range map[string]storage.CallerProof{"mailed": storage.MailboxProof, "shown": storage.SessionProof} {
			store := s.withCallers(t)
			equal(t, must(store.ProveCaller(t.Context(), "about ann", "sue", digest(code), t0, t0.Add(time.Minute)))(t), want)
			got := must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new("about ann")})))(t)
			equal(t, got.Proof, want)
			equal(t, got.ProvedUntil, t0.Add(time.Minute))
			fails(t, prove(t, store, "ann", code), storage.ErrProof) // it is used up
		}
	})
	t.Run("AreForTheirPerson", func(t *testing.T) {
		store := s.withCallers(t)
		fails(t, prove(t, store, "bob", "mailed"), storage.ErrProof)
		equal(t, must(storage.One(store.Matters(t.Context(), storage.MatterFilter{ID: new("about bob")})))(t).Proof, storage.NoProof)
		ok(t, prove(t, store, "ann", "mailed"))
	})
	t.Run("WantAnOpenMatterOfTheStaff", func(t *testing.T) {
		store := s.withCallers(t)
		try := func(matter, staff string, at time.Time) error {
			return errOf(store.ProveCaller(t.Context(), matter, staff, digest("mailed"), at, at.Add(time.Minute)))
		}
		fails(t, try("none", "sue", t0), storage.ErrEnded)
		fails(t, try("about ann", "sam", t0), storage.ErrEnded)
		fails(t, try("about ann", "sue", t0.Add(30*time.Minute)), storage.ErrEnded)
		ok(t, store.CloseMatter(t.Context(), "about bob", "sue", t0))
		fails(t, try("about bob", "sue", t0), storage.ErrEnded)
		ok(t, try("about ann", "sue", t0))
	})
	t.Run("EndOnTime", func(t *testing.T) {
		store := s.withCallers(t)
		end := t0.Add(5 * time.Minute)
		fails(t, errOf(store.ProveCaller(t.Context(), "about ann", "sue", digest("mailed"), end, end)), storage.ErrProof)
		ok(t, errOf(store.ProveCaller(t.Context(), "about ann", "sue", digest("mailed"), end.Add(-time.Microsecond), end)))
	})
	t.Run("EndAfterTheirTries", func(t *testing.T) {
		store := s.withCallers(t)
		ok(t, store.SaveCallerCode(t.Context(), callerCode("bob", "of bob", storage.MailboxProof)))
		for i := range 4 {
			fails(t, prove(t, store, "ann", fmt.Sprint("guess ", i)), storage.ErrProof)
		}
		ok(t, prove(t, store, "ann", "mailed")) // the fifth
		fails(t, prove(t, store, "ann", "guess"), storage.ErrProof)
		fails(t, prove(t, store, "ann", "shown"), storage.ErrProof) // five were wrong
		ok(t, prove(t, store, "bob", "of bob"))
	})
	t.Run("ReplaceTheOneBefore", func(t *testing.T) {
		store := s.withCallers(t)
		for range 5 {
			fails(t, prove(t, store, "ann", "guess"), storage.ErrProof)
		}
		ok(t, store.SaveCallerCode(t.Context(), callerCode("ann", "mailed again", storage.MailboxProof)))
		fails(t, prove(t, store, "ann", "mailed"), storage.ErrProof)
		ok(t, prove(t, store, "ann", "mailed again"))
	})
	t.Run("WantAnAccount", func(t *testing.T) {
		store := s.withCallers(t)
		fails(t, store.SaveCallerCode(t.Context(), callerCode("nobody", "mailed", storage.MailboxProof)), storage.ErrNotFound)
		openMatter(t, store, matter("about the host's", "sue", "the host's", t0))
		fails(t, prove(t, store, "the host's", "mailed"), storage.ErrProof)
		ok(t, errOf(store.DeleteAccount(t.Context(), "ann", "someone", nil)))
		fails(t, prove(t, store, "ann", "mailed"), storage.ErrProof)
	})
	t.Run("AreSweptAtTheirEnd", func(t *testing.T) {
		store := s.withCallers(t)
		end := t0.Add(5 * time.Minute)
		equal(t, sweepAll(t, store, end.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, end), 2)
	})
}

// callerRaces tests codes that many try at once.
func (s *suite) callerRaces(t *testing.T) {
	s.pair(t, "GuessesAtOnceHaveNoMoreTries", func(t *testing.T, stores []storage.Store) {
		fillCallers(t, stores[0])
		for _, err := range race(stores, func(i int, store storage.Store) error {
			return prove(t, store, "ann", fmt.Sprint("guess ", i))
		}) {
			fails(t, err, storage.ErrProof)
		}
		fails(t, prove(t, stores[0], "ann", "mailed"), storage.ErrProof)
	})
	s.pair(t, "CallersAndDeletionsDoNotWaitForEachOther", func(t *testing.T, stores []storage.Store) {
		for round := range *rounds {
			who := fmt.Sprint("person ", round)
			createAccount(t, stores[0], who)
			openMatter(t, stores[0], matter("about "+who, "sue", who, t0))
			ok(t, stores[0].SaveCallerCode(t.Context(), callerCode(who, "mailed", storage.MailboxProof)))
			errs := make(chan error, 2)
			go func() { errs <- prove(t, stores[0], who, "mailed") }()
			go func() {
				_, err := stores[1].DeleteAccount(t.Context(), who, "someone", nil)
				errs <- err
			}()
			for range 2 {
				if err := <-errs; err != nil && !errors.Is(err, storage.ErrProof) {
					t.Error(err)
				}
			}
		}
	})
}

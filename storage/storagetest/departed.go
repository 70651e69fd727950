package storagetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// departures tests the deletion of people of whom there is more than one step removes.
func (s *suite) departures(t *testing.T) {
	t.Run("WhoIsDeletedIsGoneFromTheFirstStep", s.goneFromTheFirstStep)
	s.test(t, "IsListedUntilAllIsRemoved", func(t *testing.T, store storage.Store) {
		for _, who := range []string{"ann", "nobody"} { // of whom something may be kept beside
			createAccount(t, store, "ann")
			ok(t, errOf(store.DeleteAccount(t.Context(), who, "someone", nil)))
			is := must(storage.One(store.Departed(t.Context(), "", 1, who)))(t)
			equal(t, is, storage.Departed{Subject: who, Pseudonym: "someone"})
			equal(t, departed(t, store), []storage.Departed{is})
			fails(t, store.CreateAccount(t.Context(), storage.Account{ID: who, CreatedAt: t0}), storage.ErrUnavailable)
			ok(t, errOf(store.DeleteAccount(t.Context(), who, "another", nil)))
			equal(t, departed(t, store), []storage.Departed{is})
			removeAll(t, store, who)
			fails(t, errOf(storage.One(store.Departed(t.Context(), "", 1, who))), storage.ErrNotFound)
		}
	})
	s.test(t, "WhoIsGoneIsLeftAlone", func(t *testing.T, store storage.Store) {
		appendEvents(t, store, 2)
		equal(t, must(store.RemoveDeparted(t.Context(), storage.Departed{Subject: "ann", Pseudonym: "someone"}, erasing))(t), false)
		equal(t, len(must(store.Events(t.Context(), storage.EventFilter{Subject: "ann"}))(t)), 1)
	})
	t.Run("StepRewritesFewEvents", s.shortSteps)
	s.test(t, "AreListedInOrder", func(t *testing.T, store storage.Store) {
		for _, who := range []string{"carl", "ann", "bob"} {
			recordMany(t, store, who, 100)
			for sealed(t, store, 100) {
			}
			ok(t, errOf(store.DeleteAccount(t.Context(), who, "someone", slowly)))
		}
		all := must(store.Departed(t.Context(), "", 2))(t)
		equal(t, all, []storage.Departed{{Subject: "ann", Pseudonym: "someone"}, {Subject: "bob", Pseudonym: "someone"}})
		all = must(store.Departed(t.Context(), "bob", 2))(t)
		equal(t, all, []storage.Departed{{Subject: "carl", Pseudonym: "someone"}})
		all = must(store.Departed(t.Context(), "", -1))(t)
		equal(t, len(all), 0)
	})
}

// slowly is erasing for so long that a step has time for few events, on any machine.
func slowly(e storage.Event) storage.Erasure {
	for range 8 {
		sha256.Sum256(long)
	}
	return erasing(e)
}

var long = make([]byte, 1<<17)

// recordMany records events of a person in one step.
func recordMany(t *testing.T, store storage.Store, who string, n int) {
	t.Helper()
	e := storage.Event{At: t0, Name: "sign_in", Subject: who, Address: "192.0.2.1"}
	ok(t, withDeed(t.Context(), store, &storage.Deed{Events: slices.Repeat([]storage.Event{e}, n)}))
}

func departed(t *testing.T, store storage.Store) []storage.Departed {
	t.Helper()
	return must(store.Departed(t.Context(), "", 100))(t)
}

// goneFromTheFirstStep deletes somebody of whom there is much, one step after the other in two
// processes in turn, as if each was cut off.
func (s *suite) goneFromTheFirstStep(t *testing.T) {
	stores := s.stores(t, 2)
	store := stores[0]
	createAccount(t, store, "ann")
	saveClient(t, store, "client")
	for i := range 40 {
		g := grant(fmt.Sprint("grant ", i), "client", "ann")
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, fmt.Sprint("token ", i)), token(g, storage.RefreshToken, fmt.Sprint("refresh ", i))))
	}
	ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "sign_in", Subject: "bob", Address: "192.0.2.2"}))
	recordMany(t, store, "ann", 300)
	for sealed(t, store, 100) {
	}
	recordMany(t, store, "ann", 100)

	equal(t, must(store.DeleteAccount(t.Context(), "ann", "someone", slowly))(t), true)
	equal(t, departed(t, store), []storage.Departed{{Subject: "ann", Pseudonym: "someone"}})
	g := grant("of who comes back", "client", "ann") // to a host that keeps its users
	ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, "later")))
	for steps := 1; ; steps++ {
		store := stores[steps%2]
		isGone(t, store)
		// What is written in between does not stay, and is in blocks before it goes.
		ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "sign_in_failed", Subject: "ann", Address: "192.0.2.1"}))
		sealed(t, store, 100)
		fails(t, store.CreateAccount(t.Context(), storage.Account{ID: "ann", CreatedAt: t0}), storage.ErrUnavailable)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := store.RemoveDeparted(canceled, storage.Departed{Subject: "ann"}, slowly); err == nil {
			t.Fatal("a step is done without a context")
		}
		left := must(store.RemoveDeparted(t.Context(), storage.Departed{Subject: "ann"}, slowly))(t)
		if !left {
			break
		}
	}
	isGone(t, store)
	equal(t, len(departed(t, store)), 0)
	for number := int64(1); ; number++ {
		events, erased, err := store.BlockEvents(t.Context(), number)
		if errors.Is(err, storage.ErrNotFound) {
			break
		}
		ok(t, err)
		for _, e := range events {
			if e.Subject == "ann" || e.Address == "192.0.2.1" {
				t.Fatalf("a line of block %d names who is deleted", number)
			}
			if e.Subject == "someone" && !slices.ContainsFunc(erased, func(was storage.Erasure) bool { return was.EventID == e.ID && string(was.Subject) == "ann" }) {
				t.Fatalf("of line %d it is not known what it was", e.ID)
			}
		}
	}
	for i := range 40 {
		fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest(fmt.Sprint("token ", i)))), storage.ErrNotFound)
	}
	_, back, err := store.Token(t.Context(), storage.AccessToken, digest("later"))
	ok(t, err)
	equal(t, back.RevokedAt.IsZero(), true)
	createAccount(t, store, "ann")
	ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "sign_in", Subject: "ann"}))
	equal(t, len(must(store.Events(t.Context(), storage.EventFilter{Subject: "ann"}))(t)), 1)
}

// shortSteps deletes somebody with many events in closed blocks, and looks after each step how many of
// them it has rewritten.
func (s *suite) shortSteps(t *testing.T) {
	const many, most = 1000, 256
	store := s.store(t)
	createAccount(t, store, "ann")
	recordMany(t, store, "ann", many)
	for sealed(t, store, 250) {
	}
	rewritten, left := 0, must(store.DeleteAccount(t.Context(), "ann", "someone", erasing))(t)
	for {
		all := 0
		for number := int64(1); number <= many/250; number++ {
			_, erased, err := store.BlockEvents(t.Context(), number)
			ok(t, err)
			all += len(erased)
		}
		if all-rewritten > most {
			t.Errorf("a step has rewritten %d events, want %d at most", all-rewritten, most)
		}
		if rewritten = all; !left {
			break
		}
		left = must(patiently(func() (bool, error) {
			return store.RemoveDeparted(t.Context(), storage.Departed{Subject: "ann"}, erasing)
		}))(t)
	}
	equal(t, rewritten, many)
}

// isGone reports what can still be read of ann, what was changed of bob, and blocks that do not
// hold what they held. Whoever deletes ann once more finds nobody, and changes nothing.
func isGone(t *testing.T, store storage.Store) {
	t.Helper()
	_, err := store.Account(t.Context(), "ann")
	fails(t, err, storage.ErrNotFound)
	for _, match := range []storage.EventFilter{
		{Subject: "ann"}, {Subject: "ann", Name: "sign_in"}, {Subject: "ann", From: t0}, {Name: "sign_in", Subject: "ann", Until: t0.Add(1)},
	} {
		equal(t, len(must(store.Events(t.Context(), match))(t)), 0)
	}
	read := func(events []storage.Event, err error) {
		t.Helper()
		ok(t, err)
		for _, e := range events {
			want := storage.Event{Subject: "someone"}
			if e.Subject == "bob" {
				want = storage.Event{Subject: "bob", Address: "192.0.2.2"}
			}
			equal(t, storage.Event{Subject: e.Subject, Address: e.Address}, want)
		}
	}
	read(store.Events(t.Context(), storage.EventFilter{Limit: 1000}))
	read(store.Events(t.Context(), storage.EventFilter{Limit: 1000, Names: []string{"sign_in"}}))
	read(store.OpenEvents(t.Context(), 0, 1000))
	for i := range 40 {
		_, g, err := store.Token(t.Context(), storage.RefreshToken, digest(fmt.Sprint("refresh ", i)))
		if !errors.Is(err, storage.ErrNotFound) {
			ok(t, err)
			equal(t, g.RevokedAt.IsZero(), false)
		}
	}
	for number := int64(1); number <= 3; number++ {
		lines, erased, err := store.BlockEvents(t.Context(), number)
		ok(t, err)
		equal(t, rootOf(lines, erased...), blocks(t, store, storage.BlockFilter{After: number - 1, Before: number + 1})[0].Root)
	}
}

// departureRaces tests that a line which is recorded while its person is removed does not stay.
func (s *suite) departureRaces(t *testing.T) {
	s.pair(t, "NoLineOutlivesTheRemoval", func(t *testing.T, stores []storage.Store) {
		for round := range 4 {
			who := fmt.Sprint("person ", round)
			recordMany(t, stores[0], who, 200)
			for sealed(t, stores[0], 100) {
			}
			var outlives sync.Map // the lines that were there when nobody was removed any more
			var all sync.WaitGroup
			for i, store := range stores {
				all.Go(func() {
					if _, err := patiently(func() (bool, error) { return store.DeleteAccount(t.Context(), who, "someone", slowly) }); err != nil {
						t.Error(err)
					}
					removeAll(t, store, who)
				})
				all.Go(func() {
					for n := range 60 {
						detail := fmt.Sprint(i, " ", n)
						_, err := patiently(func() (bool, error) {
							return true, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "consent", Subject: who, Detail: detail})
						})
						if err != nil {
							t.Error(err)
						}
						if removed, err := store.Departed(t.Context(), "", 100); err != nil || len(removed) == 0 {
							outlives.Store(detail, true)
						}
					}
				})
			}
			all.Wait()
			removeAll(t, stores[0], who)
			equal(t, len(departed(t, stores[0])), 0)
			for _, e := range must(stores[0].Events(t.Context(), storage.EventFilter{Subject: who, Limit: 200}))(t) {
				if _, may := outlives.Load(e.Detail); !may {
					t.Errorf("the line %q of %s outlives the removal", e.Detail, who)
				}
			}
		}
		for sealed(t, stores[0], 100) {
		}
		isWhole(t, stores[0], 4*(200+2*60))
	})
}

// removeAll removes what is left of a person.
func removeAll(t *testing.T, store storage.Store, who string) {
	for left := true; left; {
		var err error
		left, err = patiently(func() (bool, error) {
			return store.RemoveDeparted(t.Context(), storage.Departed{Subject: who}, slowly)
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// patiently tries a step again for which others, who write without a pause, leave no room in time.
func patiently(step func() (bool, error)) (bool, error) {
	for {
		if did, err := step(); !errors.Is(err, storage.ErrUnavailable) {
			return did, err
		}
	}
}

package storagetest

import (
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// deletions tests the deletions that owners of accounts request.
func (s *suite) deletions(t *testing.T) {
	due := t0.Add(14 * 24 * time.Hour)
	setup := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.store(t)
		saveClient(t, store, "client")
		createAccount(t, store, "ann")
		ok(t, store.CreateSession(t.Context(), session("here", "ann"), storage.Proof{}, storage.Digest{}))
		g := grant("ann", "client", "ann")
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, "ann")))
		ok(t, store.SaveConsent(t.Context(), consent("ann", "client"), storage.ConsentBasis{}))
		ok(t, store.SetAttributes(t.Context(), "ann", attributes(`{"handle": 1}`), nil))
		return store
	}
	t.Run("EndsWhatWasIssuedAndLetsNothingIn", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDeletion(t.Context(), "ann", storage.Proof{}, due, elsewhere))
		got := must(store.Account(t.Context(), "ann"))(t)
		equal(t, got.DeleteAt, due)
		equal(t, got.Epoch, 1)
		fails(t, errOf(store.Session(t.Context(), digest("here"))), storage.ErrNotFound)
		_, g, err := store.Token(t.Context(), storage.AccessToken, digest("ann"))
		ok(t, err)
		equal(t, g.RevokedAt, asStored)
		fails(t, store.CreateSession(t.Context(), session("late", "ann"), storage.Proof{Epoch: 1}, storage.Digest{}), storage.ErrNotFound)
		late := grant("late", "client", "ann")
		fails(t, store.CreateGrant(t.Context(), late, storage.Basis{}, token(late, storage.AccessToken, "late")), storage.ErrEnded)
		equal(t, must(store.Person(t.Context(), "ann"))(t).HasAccount, false)
	})
	t.Run("IsTakenBack", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDeletion(t.Context(), "ann", storage.Proof{}, due, t0))
		ok(t, store.SetDeletion(t.Context(), "ann", storage.Proof{Epoch: 1}, time.Time{}, t0))
		got := must(store.Account(t.Context(), "ann"))(t)
		equal(t, got.DeleteAt, time.Time{})
		equal(t, got.Epoch, 2)
		ok(t, store.CreateSession(t.Context(), session("again", "ann"), storage.Proof{Epoch: 2}, storage.Digest{}))
		equal(t, must(store.Person(t.Context(), "ann"))(t).HasAccount, true)
		equal(t, must(store.DeleteAccount(t.Context(), "ann", "someone", nil, due.Add(time.Hour)))(t), false)
	})
	t.Run("IsOfItsEpoch", func(t *testing.T) {
		store := setup(t)
		fails(t, store.SetDeletion(t.Context(), "ann", storage.Proof{Epoch: 1}, due, t0), storage.ErrChanged)
		fails(t, store.SetDeletion(t.Context(), "nobody", storage.Proof{}, due, t0), storage.ErrNotFound)
		equal(t, must(store.Account(t.Context(), "ann"))(t).DeleteAt, time.Time{})
	})
	t.Run("ComesDue", func(t *testing.T) {
		store := setup(t)
		for i, id := range []string{"c", "b", "a"} {
			createAccount(t, store, id)
			ok(t, store.SetDeletion(t.Context(), id, storage.Proof{}, due.Add(time.Duration(i)*time.Hour), t0))
		}
		for _, when := range []struct {
			now   time.Time
			after string
			limit int
			want  []string
		}{
			{due.Add(-time.Second), "", 9, nil}, {due, "", 9, []string{"c"}}, {due.Add(24 * time.Hour), "", 2, []string{"a", "b"}},
			{due.Add(24 * time.Hour), "a", 9, []string{"b", "c"}}, {due.Add(24 * time.Hour), "c", 9, nil},
		} {
			accounts := must(store.Accounts(t.Context(), when.after, when.limit, when.now))(t)
			var ids []string
			for _, a := range accounts {
				ids = append(ids, a.ID)
			}
			equal(t, ids, when.want)
		}
	})
	s.pair(t, "RemovesOnceAndOnlyWhatIsDue", func(t *testing.T, stores []storage.Store) {
		store := stores[0]
		createAccount(t, store, "ann")
		ok(t, store.SetAttributes(t.Context(), "ann", attributes(`{"handle": 1}`), nil))
		ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "event", Subject: "ann", Address: "192.0.2.0/24"}))
		ok(t, store.SetDeletion(t.Context(), "ann", storage.Proof{}, due, t0))
		equal(t, must(store.DeleteAccount(t.Context(), "ann", "someone", nil, due.Add(-time.Second)))(t), false)
		results := make([]bool, len(stores))
		var group sync.WaitGroup
		for i, each := range stores {
			group.Go(func() {
				var err error
				if results[i], err = each.DeleteAccount(t.Context(), "ann", "someone", nil, due); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if results[0] == results[1] {
			t.Errorf("two processes have removed the account: %v", results)
		}
		fails(t, errOf(store.Account(t.Context(), "ann")), storage.ErrNotFound)
		equal(t, len(must(store.Person(t.Context(), "ann"))(t).Attributes), 0)
		events := must(store.Events(t.Context(), storage.EventFilter{Subject: "someone"}))(t)
		equal(t, len(events), 1)
		equal(t, events[0].Address, "")
	})
	t.Run("OwnAttributesAreOfAnAccountInItsEpoch", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetOwnAttributes(t.Context(), "ann", 0, attributes(`{"fname": "Ann"}`), nil, t0))
		fails(t, store.SetOwnAttributes(t.Context(), "ann", 1, attributes(`{"fname": "Eve"}`), nil, t0), storage.ErrChanged)
		fails(t, store.SetOwnAttributes(t.Context(), "nobody", 0, attributes(`{"fname": "Eve"}`), nil, t0), storage.ErrNotFound)
		person := must(store.Person(t.Context(), "ann"))(t)
		equal(t, string(person.Attributes["fname"]), `"Ann"`)
		equal(t, string(person.Attributes["handle"]), `1`)
		person = must(store.Person(t.Context(), "nobody"))(t)
		equal(t, len(person.Attributes), 0)
	})
}

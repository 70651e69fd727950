package storagetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// collect pages through the results of a step, and checks that pages are bounded.
func collect[K comparable](t *testing.T, find func(after K, limit int) ([]K, K, error)) (found []K) {
	t.Helper()
	var none, after K
	for range 100 {
		page, last, err := find(after, 2)
		ok(t, err)
		if len(page) > 2 {
			t.Fatalf("a page of 2 has %d", len(page))
		}
		found = append(found, page...)
		if last == none {
			return found
		}
		after = last
	}
	t.Fatal("there is no end")
	return nil
}

// changeAll passes records to a step until it has changed them all.
func changeAll[K any](t *testing.T, ids []K, change func([]K) (int, error)) {
	t.Helper()
	for range 1000 {
		if len(ids) == 0 {
			return
		}
		done := must(change(ids))(t)
		ids = ids[done:]
	}
	t.Fatalf("%d are left", len(ids))
}

// told returns an event of each subject.
func told(subjects []string) (events []storage.Event) {
	for _, subject := range subjects {
		events = append(events, storage.Event{At: t0, Name: "ended", Subject: subject})
	}
	return events
}

// subjectsOf are those of whom a step has ended something.
func subjectsOf(t *testing.T, store storage.Store) (subjects []string) {
	t.Helper()
	for _, e := range must(store.Events(t.Context(), storage.EventFilter{Name: "ended"}))(t) {
		subjects = append(subjects, e.Subject)
	}
	return subjects
}

func (s *suite) batches(t *testing.T) {
	// grants makes five, the odd ones of blue, each later than the one before.
	grants := func(t *testing.T) (storage.Store, []storage.GrantID) {
		store := s.store(t)
		var ids []storage.GrantID
		for i := range 5 {
			client := []string{"red", "blue"}[i%2]
			saveClient(t, store, client)
			g := grant(fmt.Sprint("g", i), client, "subject")
			g.ID = storage.GrantID{15: byte(i + 1)}
			g.CreatedAt = t0.Add(time.Duration(i) * time.Second)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, fmt.Sprint(i)), token(g, storage.RefreshToken, fmt.Sprint("r", i))))
			ids = append(ids, g.ID)
		}
		return store, ids
	}
	pick := func(ids []storage.GrantID, indexes ...int) (picked []storage.GrantID) {
		for _, i := range indexes {
			picked = append(picked, ids[i])
		}
		return picked
	}
	t.Run("FindGrants", func(t *testing.T) {
		store, ids := grants(t)
		ok(t, errOf(store.EndGrants(t.Context(), ids[:1], t0)))
		for name, tc := range map[string]struct {
			match storage.GrantFilter
			want  []storage.GrantID
		}{
			"OfAClient":            {storage.GrantFilter{ClientID: "red"}, pick(ids, 0, 2, 4)},
			"OfBefore":             {storage.GrantFilter{CreatedBefore: t0.Add(2 * time.Second)}, pick(ids, 0, 1)},
			"OfBoth":               {storage.GrantFilter{ClientID: "blue", CreatedBefore: t0.Add(2 * time.Second)}, pick(ids, 1)},
			"BeforeTheEndOfTimes":  {storage.GrantFilter{CreatedBefore: time.Unix(1<<62, 0)}, ids},
			"OfASubject":           {storage.GrantFilter{Subject: "subject"}, ids},
			"NotOfAnother":         {storage.GrantFilter{Subject: "another"}, nil},
			"NotByAnEmptyFilter":   {storage.GrantFilter{}, nil},
			"OneThatIsKnownByName": {storage.GrantFilter{ID: ids[3]}, pick(ids, 3)},
		} {
			t.Run(name, func(t *testing.T) {
				equal(t, collect(t, func(after storage.GrantID, limit int) ([]storage.GrantID, storage.GrantID, error) {
					return store.FindGrants(t.Context(), tc.match, after, limit)
				}), tc.want)
			})
		}
	})
	t.Run("EndGrants", func(t *testing.T) {
		store, ids := grants(t)
		gone := storage.GrantID{0xff}
		changeAll(t, append(pick(ids, 1, 3), gone), func(ids []storage.GrantID) (int, error) {
			return store.EndGrants(t.Context(), ids, elsewhere, told)
		})
		once := subjectsOf(t, store) // or twice, if one step has not sufficed
		equal(t, slices.Compact(slices.Clone(once)), []string{"subject"})
		changeAll(t, pick(ids, 1), func(ids []storage.GrantID) (int, error) { return store.EndGrants(t.Context(), ids, t0, told) }) // which had ended
		equal(t, subjectsOf(t, store), once)
		for i := range ids {
			_, g, err := store.Token(t.Context(), storage.AccessToken, digest(fmt.Sprint(i)))
			ok(t, err)
			want := time.Time{}
			if i%2 == 1 {
				want = asStored
			}
			equal(t, g.RevokedAt, want)
		}
	})
	t.Run("RemoveGrants", func(t *testing.T) {
		store, ids := grants(t)
		g := grant("many", "red", "subject")
		var tokens []storage.Token
		for i := range 200 {
			tokens = append(tokens, token(g, storage.RefreshToken, fmt.Sprint("many", i)))
		}
		ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, tokens...))
		gone := storage.GrantID{0xff}
		changeAll(t, append(pick(ids, 0, 2), gone, g.ID), func(ids []storage.GrantID) (int, error) { return store.RemoveGrants(t.Context(), ids) })
		for i := range ids {
			_, _, err := store.Token(t.Context(), storage.RefreshToken, digest(fmt.Sprint("r", i)))
			if i == 0 || i == 2 {
				fails(t, err, storage.ErrNotFound)
			} else {
				ok(t, err)
			}
		}
		equal(t, collect(t, func(after storage.GrantID, limit int) ([]storage.GrantID, storage.GrantID, error) {
			return store.FindGrants(t.Context(), storage.GrantFilter{Subject: "subject"}, after, limit)
		}), pick(ids, 1, 3, 4))
	})
	s.test(t, "Consents", func(t *testing.T, store storage.Store) {
		want := map[storage.ConsentID]bool{}
		for _, subject := range []string{"ann", "bob", "Zoë"} {
			for _, client := range []string{"red", "blue"} {
				saveClient(t, store, client)
				ok(t, store.SaveConsent(t.Context(), consent(subject, client), storage.ConsentBasis{}))
			}
			want[storage.ConsentID{Subject: subject, ClientID: "red"}] = true
		}
		find := func(after storage.ConsentID, limit int) ([]storage.ConsentID, storage.ConsentID, error) {
			return store.FindConsents(t.Context(), "red", after, limit)
		}
		found := collect(t, find)
		got := map[storage.ConsentID]bool{}
		for _, id := range found {
			got[id] = true
		}
		equal(t, len(found), len(want))
		equal(t, got, want)
		changeAll(t, append(found[:2:2], storage.ConsentID{Subject: "nobody", ClientID: "red"}),
			func(ids []storage.ConsentID) (int, error) { return store.RemoveConsents(t.Context(), ids, t0) })
		equal(t, collect(t, find), found[2:])
		ok(t, errOf(store.Consent(t.Context(), "ann", "blue")))
	})
	s.test(t, "Sessions", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "ann")
		for i := range 5 {
			n := session(fmt.Sprint(i), "ann")
			n.CreatedAt = t0.Add(time.Duration(i) * time.Second)
			ok(t, store.CreateSession(t.Context(), n, storage.Proof{}, storage.Digest{}))
		}
		old := collect(t, func(after storage.Digest, limit int) ([]storage.Digest, storage.Digest, error) {
			return store.FindSessions(t.Context(), t0.Add(2*time.Second), after, limit)
		})
		changeAll(t, append(old, digest("unknown")), func(ds []storage.Digest) (int, error) { return store.RemoveSessions(t.Context(), ds, told) })
		equal(t, slices.Compact(subjectsOf(t, store)), []string{"ann"})
		got := make([]bool, 5)
		for i := range got {
			_, _, err := store.Session(t.Context(), digest(fmt.Sprint(i)))
			got[i] = err == nil
		}
		equal(t, got, []bool{false, false, true, true, true})
	})
}

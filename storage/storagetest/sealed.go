package storagetest

import (
	"bytes"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// sealedValues returns all values of a store under data keys, by their columns, and how many there are of each.
func sealedValues(t *testing.T, store storage.Store, limit int) (all []storage.SealedValue, columns map[string]int) {
	t.Helper()
	columns = map[string]int{}
	for after := (storage.SealedValue{}); ; {
		page := must(store.SealedValues(t.Context(), after, limit))(t)
		if len(page) == 0 {
			return all, columns
		}
		for _, v := range page {
			columns[v.Column]++
		}
		if all, after = append(all, page...), page[len(page)-1]; len(page) > limit {
			t.Fatalf("a page of %d", len(page))
		}
	}
}

func (s *suite) sealedValues(t *testing.T) {
	filled := func(t *testing.T) (one, other storage.Store) {
		stores := s.stores(t, 2)
		for _, id := range []string{"ann", "bob", "cem"} {
			a := storage.Account{ID: id, Email: "sealed " + id, EmailKey: "key of " + id, CreatedAt: t0}
			ok(t, stores[0].CreateAccount(t.Context(), a, storage.FirstFactors{Passkey: passkey(id, id)}))
			ok(t, stores[0].SetAttributes(t.Context(), id, attributes(`{"a":"x","b":"y"}`), nil))
			ok(t, stores[0].SetStatus(t.Context(), id, storage.Status{Group: "g", Reason: "why " + id}, storage.NoStatus))
		}
		return stores[0], stores[1]
	}
	t.Run("AreAllReadInPages", func(t *testing.T) {
		store, _ := filled(t)
		for _, limit := range []int{1, 2, 100} {
			all, columns := sealedValues(t, store, limit)
			want := map[string]int{"accounts.email": 3, "attributes.sealed_value": 6, "statuses.sealed_reason": 3, "passkeys.sealed_name": 3, "passkeys.sealed_key": 3}
			equal(t, columns, want)
			for _, v := range all {
				if len(v.Value) == 0 {
					t.Errorf("%s is empty", v.Column)
				}
			}
		}
	})
	t.Run("AreReplacedWhereTheyAreStillTheSame", func(t *testing.T) {
		store, other := filled(t)
		all, _ := sealedValues(t, store, 100)
		before := must(store.Person(t.Context(), "ann"))(t)
		ok(t, other.SetAttributes(t.Context(), "bob", attributes(`{"a":"meanwhile","b":null}`), nil))
		var anew []storage.Resealed
		for _, v := range all {
			anew = append(anew, storage.Resealed{SealedValue: v, New: bytes.Replace(v.Value, []byte("x"), []byte("anew"), 1)})
		}
		equal(t, must(store.ReplaceSealed(t.Context(), anew))(t), len(all)-2)
		for id, value := range map[string]string{"ann": `"anew"`, "bob": `"meanwhile"`} {
			person := must(store.Person(t.Context(), id))(t)
			equal(t, string(person.Attributes["a"]), value)
			if id == "ann" && (person.Revision != before.Revision || person.Email != "sealed ann" || string(person.Attributes["b"]) != `"y"`) {
				t.Errorf("something else has changed: %+v, before %+v", person, before)
			}
		}
	})
	t.Run("AreReplacedOnce", func(t *testing.T) {
		store, other := filled(t)
		all, _ := sealedValues(t, store, 100)
		oneWins(t, race([]storage.Store{store, other}, func(i int, s storage.Store) error {
			n, err := s.ReplaceSealed(t.Context(), []storage.Resealed{{SealedValue: all[0], New: []byte{'0' + byte(i)}}})
			if err == nil && n == 0 {
				return storage.ErrChanged
			}
			return err
		}), storage.ErrChanged)
	})
}

package storagetest

import (
	"fmt"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// findablePeople tests values by which people are found.
func (s *suite) findablePeople(t *testing.T) {
	by := func(handle, value string) map[string]storage.Digest {
		return map[string]storage.Digest{handle: digest(value)}
	}
	found := func(t *testing.T, store storage.People, value string) []string {
		t.Helper()
		return must(store.Subjects(t.Context(), storage.SubjectFilter{Handle: "number", Find: digest(value)}, "", many))(t)
	}
	s.test(t, "AreFoundExactly", func(t *testing.T, store storage.Store) {
		for _, who := range []string{"bob", "ann", "cid"} {
			ok(t, store.SetAttributes(t.Context(), who, attributes(`{"number":"7","zip":"7"}`), by("number", "7")))
		}
		ok(t, store.SetAttributes(t.Context(), "dan", attributes(`{"zip":"7"}`), by("zip", "7")))
		equal(t, found(t, store, "7"), []string{"ann", "bob", "cid"})
		equal(t, found(t, store, "8"), nil)
		equal(t, must(store.Subjects(t.Context(), storage.SubjectFilter{Handle: "number", Find: digest("7")}, "", 2))(t), []string{"ann", "bob"})
		equal(t, must(store.Subjects(t.Context(), storage.SubjectFilter{Handle: "zip", Find: storage.Digest{}}, "", many))(t), nil)
	})
	s.test(t, "AreFoundByTheLastValue", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "ann")
		steps := []func() error{
			func() error {
				return store.SetAttributes(t.Context(), "ann", attributes(`{"number":"0"}`), by("number", "0"))
			},
			func() error {
				return store.SetOwnAttributes(t.Context(), "ann", 0, attributes(`{"number":"1"}`), by("number", "1"), t0)
			},
			func() error {
				return store.ReplaceAttribute(t.Context(), "ann", "number", []byte(`"1"`), []byte(`"2"`), digest("2"))
			},
		}
		for i, step := range steps {
			ok(t, step())
			for j := range steps {
				var want []string
				if i == j {
					want = []string{"ann"}
				}
				equal(t, found(t, store, fmt.Sprint(j)), want)
			}
		}
		fails(t, store.ReplaceAttribute(t.Context(), "ann", "number", []byte(`"1"`), []byte(`"3"`), digest("3")), storage.ErrChanged)
		equal(t, found(t, store, "3"), nil)
	})
	t.Run("AreNotFoundByWhatIsGone", func(t *testing.T) {
		for name, end := range map[string]func(storage.Store) error{
			"ValueWithoutADigest": func(s storage.Store) error {
				return s.SetAttributes(t.Context(), "ann", attributes(`{"number":"7"}`), nil)
			},
			"ReplacedWithoutADigest": func(s storage.Store) error {
				return s.ReplaceAttribute(t.Context(), "ann", "number", []byte(`"7"`), []byte(`"7"`), storage.Digest{})
			},
			"NoValue": func(s storage.Store) error {
				return s.SetAttributes(t.Context(), "ann", attributes(`{"number":null}`), by("number", "7"))
			},
			"NoPerson": func(s storage.Store) error {
				return errOf(s.DeleteAccount(t.Context(), "ann", "someone", nil))
			},
		} {
			s.test(t, name, func(t *testing.T, store storage.Store) {
				ok(t, store.SetAttributes(t.Context(), "ann", attributes(`{"number":"7","zip":"7"}`), by("number", "7")))
				equal(t, found(t, store, "7"), []string{"ann"})
				ok(t, store.SetAttributes(t.Context(), "ann", attributes(`{"zip":"8"}`), nil)) // another handle
				equal(t, found(t, store, "7"), []string{"ann"})
				ok(t, end(store))
				equal(t, found(t, store, "7"), nil)
			})
		}
	})
}

package storagetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// attributes makes values by handle from a JSON object.
func attributes(object string) map[string]json.RawMessage {
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &values); err != nil {
		panic(err)
	}
	return values
}

func (s *suite) people(t *testing.T) {
	person := func(t *testing.T, store storage.Store, subject string) storage.Person {
		t.Helper()
		p := must(store.Person(t.Context(), subject))(t)
		p.Revision = 0
		for i := range p.Statuses { // any, but one
			if p.Statuses[i].Revision <= storage.NoStatus {
				t.Errorf("a status has the revision %d", p.Statuses[i].Revision)
			}
			p.Statuses[i].Revision = 0
		}
		return p
	}
	s.test(t, "ListsPagesOfSubjects", func(t *testing.T, store storage.Store) {
		want := map[string]bool{}
		for _, id := range []string{"b", "a", "B", "é", "the host's"} {
			ok(t, store.SetAttributes(t.Context(), id, attributes(`{"a":1,"b":2}`), nil))
			want[id] = true
		}
		ok(t, store.SetStatus(t.Context(), "of a group", storage.Status{Group: "g"}, storage.NoStatus))
		got := map[string]bool{}
		for after := ""; ; {
			page := must(store.Subjects(t.Context(), storage.SubjectFilter{}, after, 2))(t)
			if len(page) == 0 {
				break
			}
			if len(page) > 2 {
				t.Fatalf("a page of 2 has %d subjects", len(page))
			}
			for _, id := range page {
				if got[id] {
					t.Fatalf("%s comes twice", id)
				}
				got[id], after = true, id
			}
		}
		equal(t, got, want)
	})
	s.test(t, "ReplacesTheValueThatWasThere", func(t *testing.T, store storage.Store) {
		ok(t, store.SetAttributes(t.Context(), "subject", attributes(`{"a":1,"b":"x"}`), nil))
		ok(t, store.ReplaceAttribute(t.Context(), "subject", "a", []byte(`1`), []byte(`2`), storage.Digest{}))
		fails(t, store.ReplaceAttribute(t.Context(), "subject", "a", []byte(`1`), []byte(`3`), storage.Digest{}), storage.ErrChanged)
		fails(t, store.ReplaceAttribute(t.Context(), "subject", "none", []byte(`1`), []byte(`3`), storage.Digest{}), storage.ErrChanged)
		fails(t, store.ReplaceAttribute(t.Context(), "another", "a", []byte(`2`), []byte(`3`), storage.Digest{}), storage.ErrChanged)
		if err := store.ReplaceAttribute(t.Context(), "subject", "a", []byte(`2`), []byte(`{`), storage.Digest{}); err == nil {
			t.Error("a value that is not JSON was taken")
		}
		equal(t, must(store.Person(t.Context(), "subject"))(t).Attributes, attributes(`{"a":2,"b":"x"}`))
	})
	s.test(t, "UnknownIsEmpty", func(t *testing.T, store storage.Store) {
		equal(t, person(t, store, "nobody"), storage.Person{})
	})
	s.test(t, "AttributesKeepTheirType", func(t *testing.T, store storage.Store) {
		want := attributes(`{"text":"Zoë \"Z\" <b>\\","number":12345678901234567890,"flag":false,"list":[{"a":1},"b"],"empty":""}`)
		ok(t, store.SetAttributes(t.Context(), "subject", want, nil))
		equal(t, person(t, store, "subject"), storage.Person{Attributes: want})
	})
	s.test(t, "AttributesNotNamedStay", func(t *testing.T, store storage.Store) {
		ok(t, store.SetAttributes(t.Context(), "subject", attributes(`{"a":1,"b":2}`), nil))
		ok(t, store.SetAttributes(t.Context(), "subject", attributes(`{"b":3,"c":4}`), nil))
		ok(t, store.SetAttributes(t.Context(), "subject", nil, nil))
		equal(t, person(t, store, "subject").Attributes, attributes(`{"a":1,"b":3,"c":4}`))
	})
	s.test(t, "NullRemovesAnAttribute", func(t *testing.T, store storage.Store) {
		ok(t, store.SetAttributes(t.Context(), "subject", attributes(`{"a":1,"b":2,"c":3}`), nil))
		ok(t, store.SetAttributes(t.Context(), "subject", map[string]json.RawMessage{
			"a": nil, "b": json.RawMessage("null"), "unknown": nil,
		}, nil))
		equal(t, person(t, store, "subject").Attributes, attributes(`{"c":3}`))
	})
	s.test(t, "MalformedValueChangesNothing", func(t *testing.T, store storage.Store) {
		ok(t, store.SetAttributes(t.Context(), "subject", attributes(`{"a":1}`), nil))
		err := store.SetAttributes(t.Context(), "subject", map[string]json.RawMessage{
			"a": json.RawMessage("2"), "b": json.RawMessage("{"),
		}, nil)
		if err == nil {
			t.Error("a value that is not JSON was recorded")
		}
		equal(t, person(t, store, "subject").Attributes, attributes(`{"a":1}`))
	})
	s.test(t, "StatusComesBackWhole", func(t *testing.T, store storage.Store) {
		want := storage.Status{
			Group: "military", Subgroups: []string{"Veteran", "Retiree"}, Verified: true, Pending: true,
			VerifiedBy: "registry", Source: "roster", Method: "document", Reason: "too dark", VerifiedAt: elsewhere, ExpiresAt: t0,
		}
		ok(t, store.SetStatus(t.Context(), "subject", want, storage.AnyRevision))
		want.VerifiedAt = asStored
		equal(t, person(t, store, "subject"), storage.Person{Statuses: []storage.Status{want}})
	})
	s.test(t, "TimesBeyondTheYear9999AreTheLast", func(t *testing.T, store storage.Store) {
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{
			Group: "military", VerifiedAt: time.Unix(-1<<62, 0), ExpiresAt: time.Unix(1<<62, 0),
		}, storage.AnyRevision))
		got := person(t, store, "subject").Statuses[0]
		if got.ExpiresAt.Year() != 9999 || got.VerifiedAt.Year() != 1 {
			t.Errorf("from %v until %v", got.VerifiedAt, got.ExpiresAt)
		}
	})
	s.test(t, "StatusReplacesTheOneBefore", func(t *testing.T, store storage.Store) {
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{
			Group: "military", Subgroups: []string{"Veteran"}, Verified: true, VerifiedBy: "x", VerifiedAt: t0, ExpiresAt: t0,
		}, storage.AnyRevision))
		want := storage.Status{Group: "military"}
		ok(t, store.SetStatus(t.Context(), "subject", want, storage.AnyRevision))
		equal(t, person(t, store, "subject"), storage.Person{Statuses: []storage.Status{want}})
	})
	s.test(t, "StatusThatHasChangedStays", func(t *testing.T, store storage.Store) {
		revision := func() int64 {
			p := must(store.Person(t.Context(), "subject"))(t)
			return p.Statuses[0].Revision
		}
		verified := storage.Status{Group: "military", Verified: true}
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: "military"}, storage.NoStatus))
		fails(t, store.SetStatus(t.Context(), "subject", verified, storage.NoStatus), storage.ErrChanged)
		read := revision()
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: "military", VerifiedBy: "revoked"}, read))
		fails(t, store.SetStatus(t.Context(), "subject", verified, read), storage.ErrChanged)
		fails(t, store.SetStatus(t.Context(), "another", verified, read), storage.ErrChanged)
		equal(t, person(t, store, "subject").Statuses, []storage.Status{{Group: "military", VerifiedBy: "revoked"}})
		read = revision()
		ok(t, store.RemoveStatus(t.Context(), "subject", "military"))
		fails(t, store.SetStatus(t.Context(), "subject", verified, read), storage.ErrChanged)
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: "military"}, storage.NoStatus))
		fails(t, store.SetStatus(t.Context(), "subject", verified, read), storage.ErrChanged) // not the same again
	})
	t.Run("RestOnAnAccount", func(t *testing.T) {
		store, on := s.store(t), storage.PersonBasis{HasAccount: true}
		createAccount(t, store, "subject")
		write := func() (attributeErr, statusErr error) {
			return store.SetAttributes(t.Context(), "subject", attributes(`{"a":1}`), nil, on),
				store.SetStatus(t.Context(), "subject", storage.Status{Group: "nurse"}, storage.AnyRevision, on)
		}
		attribute, status := write()
		ok(t, attribute)
		ok(t, status)
		ok(t, errOf(store.DeleteAccount(t.Context(), "subject", "someone", nil)))
		attribute, status = write()
		fails(t, attribute, storage.ErrNotFound)
		fails(t, status, storage.ErrNotFound)
		equal(t, person(t, store, "subject"), storage.Person{})
	})
	s.test(t, "RestOnWhoWasRead", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "subject")
		createAccount(t, store, "another")
		read := func() storage.PersonBasis {
			p := must(store.Person(t.Context(), "subject"))(t)
			return storage.PersonBasis{Revision: p.Revision}
		}
		first := read()
		ok(t, store.SetAttributes(t.Context(), "another", attributes(`{"a":1}`), nil))
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: "nurse"}, storage.AnyRevision, first))
		equal(t, read(), first)
		for _, change := range []func() error{
			func() error { return store.SetAttributes(t.Context(), "subject", attributes(`{"a":1}`), nil) },
			func() error { return store.SetAttributes(t.Context(), "subject", attributes(`{"a":null}`), nil) },
			func() error { return store.SetOwnAttributes(t.Context(), "subject", 0, attributes(`{"a":2}`), nil, t0) },
		} {
			before := read()
			ok(t, change())
			fails(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: "nurse", Verified: true}, storage.AnyRevision, before), storage.ErrChanged)
			fails(t, store.SetAttributes(t.Context(), "subject", attributes(`{"a":3}`), nil, before), storage.ErrChanged)
		}
		equal(t, person(t, store, "subject").Statuses, []storage.Status{{Group: "nurse"}})
		fails(t, store.SetStatus(t.Context(), "nobody", storage.Status{Group: "nurse"}, storage.AnyRevision, first), storage.ErrChanged)
	})
	s.test(t, "OwnerChangesNothingThatIsChecked", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "subject")
		createAccount(t, store, "another")
		own := func(at time.Time) error {
			return store.SetOwnAttributes(t.Context(), "subject", 0, attributes(`{"a":1}`), nil, at)
		}
		for _, s := range []storage.Status{
			{Group: "g", Pending: true}, {Group: "g", Verified: true}, {Group: "g", Verified: true, ExpiresAt: t0.Add(time.Hour)},
		} {
			ok(t, store.SetStatus(t.Context(), "subject", s, storage.AnyRevision))
			fails(t, own(t0), storage.ErrConflict)
		}
		equal(t, len(person(t, store, "subject").Attributes), 0)
		ok(t, own(t0.Add(time.Hour))) // the verification has ended
		ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: "g"}, storage.AnyRevision))
		ok(t, store.SetStatus(t.Context(), "another", storage.Status{Group: "g", Verified: true}, storage.AnyRevision))
		ok(t, own(t0))
	})
	s.test(t, "StatusesAreOrderedByGroup", func(t *testing.T, store storage.Store) {
		for _, group := range []string{"teacher", "Nurse", "military", "nurse"} {
			ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: group}, storage.AnyRevision))
		}
		equal(t, person(t, store, "subject").Statuses, []storage.Status{
			{Group: "Nurse"}, {Group: "military"}, {Group: "nurse"}, {Group: "teacher"},
		})
	})
	s.test(t, "RemovedStatusIsGone", func(t *testing.T, store storage.Store) {
		for _, group := range []string{"military", "nurse"} {
			ok(t, store.SetStatus(t.Context(), "subject", storage.Status{Group: group}, storage.AnyRevision))
		}
		ok(t, store.RemoveStatus(t.Context(), "subject", "military"))
		ok(t, store.RemoveStatus(t.Context(), "subject", "military"))
		equal(t, person(t, store, "subject").Statuses, []storage.Status{{Group: "nurse"}})
	})
	s.test(t, "SubjectsAreApart", func(t *testing.T, store storage.Store) {
		ok(t, store.SetAttributes(t.Context(), "ann", attributes(`{"a":1}`), nil))
		ok(t, store.SetStatus(t.Context(), "ann", storage.Status{Group: "nurse"}, storage.AnyRevision))
		ok(t, store.RemoveStatus(t.Context(), "bob", "nurse"))
		equal(t, person(t, store, "bob"), storage.Person{})
		equal(t, len(person(t, store, "ann").Statuses), 1)
	})
	s.test(t, "TheAccountComesAlong", func(t *testing.T, store storage.Store) {
		account := storage.Account{
			ID: "subject", Email: "Zoë@Example.com", EmailKey: "zoë@example.com", EmailVerified: true, CreatedAt: t0,
		}
		ok(t, store.CreateAccount(t.Context(), account))
		ok(t, store.SetAttributes(t.Context(), "subject", attributes(`{"a":1}`), nil))
		want := storage.Person{
			Attributes: attributes(`{"a":1}`), HasAccount: true, Email: "Zoë@Example.com", EmailVerified: true,
		}
		equal(t, person(t, store, "subject"), want)
		ok(t, store.SetEmail(t.Context(), "subject", "zoë@example.com", "", "", false))
		want.Email, want.EmailVerified = "", false
		equal(t, person(t, store, "subject"), want)
	})
	s.test(t, "ADisabledAccountIsNone", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "subject")
		ok(t, store.SetDisabled(t.Context(), "subject", true, t0))
		equal(t, person(t, store, "subject"), storage.Person{})
		ok(t, store.SetDisabled(t.Context(), "subject", false, t0))
		equal(t, person(t, store, "subject"), storage.Person{HasAccount: true})
	})
}

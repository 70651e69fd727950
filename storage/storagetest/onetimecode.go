package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func oneTimeCode(name, purpose, subject string) storage.OneTimeCode {
	return storage.OneTimeCode{
		Digest: digest(name), Purpose: purpose, Subject: subject,
		Payload: []byte{0, 0xff}, ExpiresAt: t0.Add(time.Minute),
	}
}

func (s *suite) oneTimeCodes(t *testing.T) {
	s.test(t, "IsRedeemedOnce", func(t *testing.T, store storage.Store) {
		want := oneTimeCode("code", "reset", "subject")
		ok(t, store.SaveOneTimeCode(t.Context(), want))
		for _, read := range []func(context.Context, string, storage.Digest, time.Time) (storage.OneTimeCode, error){store.OneTimeCode, store.UseOneTimeCode} {
			equal(t, must(read(t.Context(), "reset", digest("code"), t0))(t), want)
		}
		fails(t, errOf(store.UseOneTimeCode(t.Context(), "reset", digest("code"), t0)), storage.ErrNotFound)
		fails(t, errOf(store.OneTimeCode(t.Context(), "reset", digest("code"), t0)), storage.ErrNotFound)
	})
	s.test(t, "IsSpentWithTheAccountItIsFor", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "other")
		ok(t, store.CreateSession(t.Context(), session("before", "other"), proofOf(t, store, "other"), storage.Digest{}))
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "sign_up", "subject")))
		create := func(id, key string) error {
			return store.CreateAccount(t.Context(), storage.Account{ID: id, EmailKey: key, CreatedAt: t0}, storage.FirstFactors{
				On: storage.Proof{OneTimeCode: digest("code"), At: t0}, Begin: session("session of "+id, id), Replaced: digest("before"),
			})
		}
		fails(t, create("first", "key of other"), storage.ErrConflict)
		ok(t, errOf(store.Session(t.Context(), digest("before"))))
		ok(t, create("first", "first"))
		fails(t, create("second", "second"), storage.ErrProof)
		fails(t, errOf(store.Account(t.Context(), "second")), storage.ErrNotFound)
		_, owner, err := store.Session(t.Context(), digest("session of first"))
		ok(t, err)
		equal(t, owner.ID, "first")
		fails(t, errOf(store.Session(t.Context(), digest("before"))), storage.ErrNotFound)
	})
	s.test(t, "IsGoodForItsPurposeOnly", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "verify", "subject")))
		fails(t, errOf(store.UseOneTimeCode(t.Context(), "reset", digest("code"), t0)), storage.ErrNotFound)
		fails(t, errOf(store.UseOneTimeCode(t.Context(), "verify", digest("guess"), t0)), storage.ErrNotFound)
		fails(t, errOf(store.OneTimeCode(t.Context(), "reset", digest("code"), t0)), storage.ErrNotFound)
		_, err := store.UseOneTimeCode(t.Context(), "verify", digest("code"), t0) // was not used up
		ok(t, err)
	})
	s.test(t, "IsRemovedWithAllOthers", func(t *testing.T, store storage.Store) {
		for _, name := range []string{"a", "b", "c"} {
			ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode(name, "reset", name)))
		}
		for _, want := range []int{2, 1, 0} {
			equal(t, must(store.Trim(t.Context(), storage.Trim{Kind: storage.AllOneTimeCodes}, 2))(t), want)
		}
		fails(t, errOf(store.UseOneTimeCode(t.Context(), "reset", digest("c"), t0)), storage.ErrNotFound)
	})
	s.test(t, "EndsOnTime", func(t *testing.T, store storage.Store) {
		end := t0.Add(time.Minute)
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "reset", "subject")))
		fails(t, errOf(store.UseOneTimeCode(t.Context(), "reset", digest("code"), end)), storage.ErrNotFound)
		fails(t, errOf(store.OneTimeCode(t.Context(), "reset", digest("code"), end)), storage.ErrNotFound)
		ok(t, errOf(store.UseOneTimeCode(t.Context(), "reset", digest("code"), end.Add(-time.Microsecond))))
	})
	s.test(t, "ReplacesTheOneBefore", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("first", "reset", "subject")))
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("second", "reset", "subject")))
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("elsewhere", "verify", "subject")))
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("another", "reset", "another")))
		fails(t, errOf(store.UseOneTimeCode(t.Context(), "reset", digest("first"), t0)), storage.ErrNotFound)
		for purpose, name := range map[string]string{"reset": "second", "verify": "elsewhere"} {
			ok(t, errOf(store.UseOneTimeCode(t.Context(), purpose, digest(name), t0)))
		}
	})
	s.test(t, "MayBeSavedAgain", func(t *testing.T, store storage.Store) {
		want := oneTimeCode("code", "reset", "subject")
		ok(t, store.SaveOneTimeCode(t.Context(), want))
		want.Payload = []byte("changed")
		want.ExpiresAt = t0.Add(time.Hour)
		ok(t, store.SaveOneTimeCode(t.Context(), want))
		equal(t, must(store.UseOneTimeCode(t.Context(), "reset", digest("code"), t0))(t), want)
	})
	s.test(t, "NeverTakesTheDigestOfAnother", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "reset", "victim")))
		fails(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "reset", "other")), storage.ErrConflict)
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("own", "reset", "other")))
		fails(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "reset", "other")), storage.ErrConflict)
		equal(t, must(store.UseOneTimeCode(t.Context(), "reset", digest("code"), t0))(t).Subject, "victim")
	})
}

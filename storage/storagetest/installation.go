package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) installations(t *testing.T) {
	first := storage.Installation{Issuer: "https://a.example/oidc", DataKeys: []byte{0, 1, 0xff}, RPID: "a.example", EndBefore: t0}
	s.test(t, "ComesBackWhole", func(t *testing.T, store storage.Store) {
		fails(t, errOf(store.Installation(t.Context())), storage.ErrNotFound)
		ok(t, store.SaveInstallation(t.Context(), storage.Installation{}, first))
		equal(t, must(store.Installation(t.Context()))(t), first)
	})
	s.pair(t, "ThereIsOne", func(t *testing.T, stores []storage.Store) {
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.SaveInstallation(t.Context(), storage.Installation{}, storage.Installation{Issuer: fmt.Sprint(i), DataKeys: []byte{byte(i)}})
		}), storage.ErrChanged)
	})
	s.test(t, "IsSavedOverTheOneThatWasThere", func(t *testing.T, store storage.Store) {
		second := storage.Installation{Issuer: first.Issuer, DataKeys: []byte("sealed anew")}
		fails(t, store.SaveInstallation(t.Context(), first, second), storage.ErrChanged)
		ok(t, store.SaveInstallation(t.Context(), storage.Installation{}, first))
		other := first
		other.RPID = "b.example"
		fails(t, store.SaveInstallation(t.Context(), other, second), storage.ErrChanged)
		other = first
		other.EndBefore = time.Time{}
		fails(t, store.SaveInstallation(t.Context(), other, second), storage.ErrChanged)
		ok(t, store.SaveInstallation(t.Context(), first, second))
		fails(t, store.SaveInstallation(t.Context(), first, first), storage.ErrChanged)
		other = second
		other.EndBefore = t0
		fails(t, store.SaveInstallation(t.Context(), other, first), storage.ErrChanged)
		equal(t, must(store.Installation(t.Context()))(t), second)
	})
}

package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) secretUses(t *testing.T) {
	uses := func(t *testing.T, store storage.Store, client string, want ...storage.SecretUse) {
		t.Helper()
		equal(t, must(store.SecretUses(t.Context(), client))(t), want)
	}
	s.test(t, "AreOfOneSecretEach", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		saveClient(t, store, "another")
		uses(t, store, "client")
		ok(t, store.RecordSecretUse(t.Context(), "client", elsewhere, t0))
		ok(t, store.RecordSecretUse(t.Context(), "client", t0, elsewhere))
		ok(t, store.RecordSecretUse(t.Context(), "client", time.Time{}, t0)) // of the configuration
		ok(t, store.RecordSecretUse(t.Context(), "another", t0, t0.Add(time.Hour)))
		uses(t, store, "client",
			storage.SecretUse{UsedAt: t0},
			storage.SecretUse{CreatedAt: t0, UsedAt: asStored},
			storage.SecretUse{CreatedAt: asStored, UsedAt: t0})
		uses(t, store, "unknown")
	})
	s.test(t, "KeepTheLatest", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		for _, at := range []time.Duration{time.Minute, 0, time.Hour, time.Minute} {
			ok(t, store.RecordSecretUse(t.Context(), "client", t0, t0.Add(at)))
		}
		uses(t, store, "client", storage.SecretUse{CreatedAt: t0, UsedAt: t0.Add(time.Hour)})
	})
	s.test(t, "NeedTheClient", func(t *testing.T, store storage.Store) {
		fails(t, store.RecordSecretUse(t.Context(), "unknown", t0, t0), storage.ErrNotFound)
	})
	s.test(t, "OutliveTheRegistrationBeingSaved", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		ok(t, store.RecordSecretUse(t.Context(), "client", t0, t0))
		c := must(store.Client(t.Context(), "client"))(t)
		ok(t, store.SaveClient(t.Context(), c))
		uses(t, store, "client", storage.SecretUse{CreatedAt: t0, UsedAt: t0})
	})
	s.test(t, "GoWithTheClient", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		ok(t, store.RecordSecretUse(t.Context(), "client", t0, t0))
		deleteClient(t, store, "client")
		saveClient(t, store, "client")
		uses(t, store, "client")
	})
}

package storagetest

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func key(generation int64, id string) storage.Key {
	return storage.Key{Generation: generation, Alg: "RS256", ID: id, Sealed: []byte{0, 0xff}, CreatedAt: t0, UseFrom: t0}
}

func (s *suite) keys(t *testing.T) {
	s.test(t, "ComeBackInOrder", func(t *testing.T, store storage.Store) {
		first, second, third := key(1, "a"), key(2, "z"), key(10, "b")
		second.UseFrom = elsewhere
		for _, k := range []storage.Key{third, first, second} {
			ok(t, store.AddKey(t.Context(), k))
		}
		second.UseFrom = asStored
		equal(t, must(store.Keys(t.Context()))(t), []storage.Key{first, second, third})
	})
	t.Run("NoneAtFirst", func(t *testing.T) {
		equal(t, len(must(s.store(t).Keys(t.Context()))(t)), 0)
	})
	s.test(t, "NeverChange", func(t *testing.T, store storage.Store) {
		ok(t, store.AddKey(t.Context(), key(1, "a")))
		fails(t, store.AddKey(t.Context(), key(1, "b")), storage.ErrConflict)
		fails(t, store.AddKey(t.Context(), key(2, "a")), storage.ErrConflict)
		equal(t, must(store.Keys(t.Context()))(t), []storage.Key{key(1, "a")})
	})
	s.test(t, "AreSealedAnewOnce", func(t *testing.T, store storage.Store) {
		ok(t, store.AddKey(t.Context(), key(1, "a")))
		ok(t, store.AddKey(t.Context(), key(2, "b")))
		before, after := key(2, "b").Sealed, []byte{1, 0, 2}
		fails(t, store.ResealKey(t.Context(), 3, before, after), storage.ErrNotFound)
		fails(t, store.ResealKey(t.Context(), 2, after, after), storage.ErrNotFound)
		ok(t, store.ResealKey(t.Context(), 2, before, after))
		fails(t, store.ResealKey(t.Context(), 2, before, []byte{3}), storage.ErrNotFound)
		resealed := key(2, "b")
		resealed.Sealed = after
		equal(t, must(store.Keys(t.Context()))(t), []storage.Key{key(1, "a"), resealed})
	})
	s.test(t, "OldOnesAreRemoved", func(t *testing.T, store storage.Store) {
		for i, id := range []string{"a", "b", "c"} {
			ok(t, store.AddKey(t.Context(), key(int64(i+1), id)))
		}
		ok(t, store.RemoveKeys(t.Context(), "RS256", 3))
		ok(t, store.RemoveKeys(t.Context(), "RS256", 3))
		equal(t, must(store.Keys(t.Context()))(t), []storage.Key{key(3, "c")})
	})
	s.test(t, "OfOneAlgorithmLeaveThoseOfOthersAlone", func(t *testing.T, store storage.Store) {
		of := func(alg string, generation int64, id string) storage.Key {
			k := key(generation, id)
			k.Alg = alg
			return k
		}
		for _, k := range []storage.Key{of("RS256", 1, "a"), of("ES256", 2, "b"), of("EdDSA", 3, "c"), of("ES256", 4, "d")} {
			ok(t, store.AddKey(t.Context(), k))
		}
		fails(t, store.AddKey(t.Context(), of("PS256", 2, "e")), storage.ErrConflict)
		ok(t, store.RemoveKeys(t.Context(), "ES256", 4))
		got := must(store.Keys(t.Context()))(t)
		equal(t, got, []storage.Key{of("RS256", 1, "a"), of("EdDSA", 3, "c"), of("ES256", 4, "d")})
		ok(t, store.RemoveKeys(t.Context(), "", 4))
		got = must(store.Keys(t.Context()))(t)
		equal(t, got, []storage.Key{of("ES256", 4, "d")})
	})
}

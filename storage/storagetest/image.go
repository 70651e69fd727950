package storagetest

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) images(t *testing.T) {
	content := bytes.Repeat([]byte{0, 0xff, '\'', '\n'}, 64<<10)
	image := storage.Image{Digest: sha256.Sum256(content), MediaType: "image/png", Bytes: content, Silhouette: []byte{0, 1, 2}}

	s.test(t, "ComesBackWhole", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveImage(t.Context(), image))
		equal(t, must(store.Image(t.Context(), image.Digest))(t), image)
	})
	t.Run("UnknownIsNotFound", func(t *testing.T) {
		fails(t, errOf(s.store(t).Image(t.Context(), image.Digest)), storage.ErrNotFound)
	})
	s.test(t, "IsRemovedOnceItIsNobodysLogo", func(t *testing.T, store storage.Store) {
		ok(t, store.RemoveImage(t.Context(), image.Digest)) // there is none
		ok(t, store.SaveImage(t.Context(), image))
		other := storage.Image{Digest: sha256.Sum256([]byte("other")), MediaType: "image/png", Bytes: []byte("other")}
		ok(t, store.SaveImage(t.Context(), other))
		for _, id := range []string{"red", "blue"} {
			client := storage.Client{ID: id, Logo: image.Digest}
			ok(t, store.SaveClient(t.Context(), client))
		}
		deleteClient(t, store, "red")
		ok(t, store.RemoveImage(t.Context(), image.Digest))
		_, err := store.Image(t.Context(), image.Digest)
		ok(t, err) // blue has it
		deleteClient(t, store, "blue")
		ok(t, store.RemoveImage(t.Context(), image.Digest))
		fails(t, errOf(store.Image(t.Context(), image.Digest)), storage.ErrNotFound)
		ok(t, errOf(store.Image(t.Context(), other.Digest)))
	})
	s.test(t, "StaysAsItIs", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveImage(t.Context(), image))
		ok(t, store.SaveImage(t.Context(), storage.Image{Digest: image.Digest, MediaType: "text/html", Bytes: []byte("<script>")}))
		equal(t, must(store.Image(t.Context(), image.Digest))(t), image)
	})
}

package storagetest

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) images(t *testing.T) {
	content := bytes.Repeat([]byte{0, 0xff, '\'', '\n'}, 64<<10)
	image := storage.Image{Digest: sha256.Sum256(content), MediaType: "image/png", Bytes: content}

	t.Run("ComesBackWhole", func(t *testing.T) {
		store := s.store(t)
		ok(t, store.SaveImage(t.Context(), image))
		got, err := store.Image(t.Context(), image.Digest)
		ok(t, err)
		equal(t, got, image)
	})
	t.Run("UnknownIsNotFound", func(t *testing.T) {
		_, err := s.store(t).Image(t.Context(), image.Digest)
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("StaysAsItIs", func(t *testing.T) {
		store := s.store(t)
		ok(t, store.SaveImage(t.Context(), image))
		ok(t, store.SaveImage(t.Context(), storage.Image{Digest: image.Digest, MediaType: "text/html", Bytes: []byte("<script>")}))
		got, err := store.Image(t.Context(), image.Digest)
		ok(t, err)
		equal(t, got, image)
	})
}

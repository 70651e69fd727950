package sqlstore

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// SaveImage implements storage.Images.
func (s *Store) SaveImage(ctx context.Context, i storage.Image) error {
	return s.change(ctx, "save image", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO images (digest, media_type, bytes) VALUES (?1, ?2, ?3)
			ON CONFLICT (digest) DO NOTHING`, i.Digest[:], i.MediaType, i.Bytes)
		return err
	})
}

// Image implements storage.Images.
func (s *Store) Image(ctx context.Context, digest storage.Digest) (storage.Image, error) {
	return read(ctx, s, "read image", func(tx *tx) (storage.Image, error) {
		return one(tx, scanImage, `SELECT digest, media_type, bytes FROM images WHERE digest = ?1`, digest[:])
	})
}

func scanImage(row scanner) (i storage.Image, err error) {
	err = row.Scan((*digest)(&i.Digest), &i.MediaType, &i.Bytes)
	return i, err
}
